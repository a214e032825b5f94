package roots

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"cookoff/sandbox"
)

// entry is one of a layer: its content, or the target of a link.
type entry struct {
	name string
	kind byte
	text string
	mode int64
}

func bash() entry { return entry{"bin/bash", tar.TypeReg, "#!", 0o755} }

func layerOf(t *testing.T, entries ...entry) v1.Layer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: e.mode}
		switch e.kind {
		case tar.TypeReg:
			h.Size = int64(len(e.text))
		case tar.TypeSymlink, tar.TypeLink:
			h.Linkname = e.text
		}
		if h.Mode == 0 {
			h.Mode = 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if e.kind == tar.TypeReg {
			if _, err := w.Write([]byte(e.text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())),
			nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func archive(t *testing.T, layers ...v1.Layer) string {
	t.Helper()
	img, err := mutate.AppendLayers(empty.Image, layers...)
	if err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag("x:1")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "image.tar")
	if err := tarball.WriteToFile(path, tag, img); err != nil {
		t.Fatal(err)
	}
	return path
}

func store(t *testing.T) Store {
	return Store{Dir: filepath.Join(t.TempDir(), "roots"), Limits: Limits{Bytes: 1 << 20, Entries: 100}}
}

// held describes the files of a root but for those that every root is given.
func held(t *testing.T, r sandbox.Root) string {
	t.Helper()
	tree := filepath.Join(r.Dir, sandbox.RootTree)
	var all []string
	err := filepath.WalkDir(tree, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(tree, p)
		if _, ours := made[rel]; ours {
			return nil
		}
		if to, err := os.Readlink(p); err == nil {
			all = append(all, rel+">"+to)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(p)
		all = append(all, rel+"="+string(b))
		if info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
			all = append(all, rel+" has another's rights")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// TestLayers: what a higher layer takes away is gone, hard links stay links, and a
// name behind a link lies where the link leads in the image.
func TestLayers(t *testing.T) {
	file := func(name, text string) entry { return entry{name, tar.TypeReg, text, 0} }
	dir := func(name string) entry { return entry{name, tar.TypeDir, "", 0o555} }
	low := layerOf(t, dir("usr/bin"), entry{"bin", tar.TypeSymlink, "/usr/bin", 0},
		entry{"bin/bash", tar.TypeReg, "sh", 0o4755}, file("a/one", "1"), file("a/two", "2"), file("b/c/old", "o"),
		file("b/old", "o"),
		entry{"etc/l", tar.TypeLink, "/a/one", 0}, entry{"up", tar.TypeSymlink, "../../../../etc", 0},
		file("tofile", "x"), dir("todir"), file("todir/x", "x"), file("dev/null", ""))
	high := layerOf(t, file("a/.wh.two", ""), file("b/.wh..wh..opq", ""), file("b/c/new", "n"), file("bin/more", "m"),
		file("up/deep", "d"), dir("tofile"), file("tofile/in", "i"), file("todir", "f"),
		file(".wh..wh.plnk", ""), file("./q//r/../s.txt", "q"))
	s := store(t)
	if _, err := s.Open(t.Context(), archive(t, low, high)); err == nil || !strings.Contains(err.Error(),
		`"./q//r/../s.txt": leads out of the image`) {
		t.Errorf("dots in a name: %v", err)
	}
	high = layerOf(t, file("a/.wh.two", ""), file("b/.wh..wh..opq", ""), file("b/c/new", "n"), file("bin/more", "m"),
		file("up/deep", "d"), dir("tofile"), file("tofile/in", "i"), file("todir", "f"), file(".wh..wh.plnk", ""))
	path := archive(t, low, high)
	want := "a/one=1 b/c/new=n bin>/usr/bin dev/null= etc/deep=d etc/l=1 todir=f tofile/in=i up>../../../../etc " +
		"usr/bin/bash=sh usr/bin/more=m"
	r, err := s.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if got := held(t, r); got != want {
		t.Errorf("the root holds\n%s, want\n%s", got, want)
	}
	if again, err := s.Open(t.Context(), path); err != nil || again != r {
		t.Errorf("opened again: %v %v, want %v", again, err, r)
	}
	img, err := mutate.AppendLayers(empty.Image, low, high)
	if err != nil {
		t.Fatal(err)
	}
	oci := t.TempDir()
	l, err := layout.Write(oci, empty.Index)
	if err == nil {
		err = l.AppendImage(img)
	}
	if err != nil {
		t.Fatal(err)
	}
	if same, err := s.Open(t.Context(), oci); err != nil || same != r {
		t.Errorf("as a layout: %v %v, want %v", same, err, r)
	}
	lost, err := low.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(oci, "blobs", "sha256", lost.Hex)); err != nil {
		t.Fatal(err)
	}
	if _, err := (&Store{Dir: t.TempDir()}).Open(t.Context(), oci); err == nil || !strings.Contains(err.Error(),
		"its layer 1 of 2, "+lost.String()+", is missing") {
		t.Errorf("with a layer missing: %v", err)
	}
	copied, err := s.Open(t.Context(), filepath.Join(r.Dir, sandbox.RootTree))
	if err != nil {
		t.Fatal(err)
	}
	if got := held(t, copied); got != strings.Replace(want, "dev/null= ", "", 1) {
		t.Errorf("as a directory it holds\n%s", got)
	}
}

// TestHostileImages: each trick is refused by name, or does nothing, and leaves
// nothing.
func TestHostileImages(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("x", 600_000)
	many := make([]entry, 120)
	for i := range many {
		many[i] = entry{"f", tar.TypeReg, "", 0}
	}
	for _, c := range []struct {
		want    string
		entries []entry
	}{
		{"leads out of the image", []entry{{"../x", tar.TypeReg, "x", 0}}},
		{"leads out of the image", []entry{{"a", tar.TypeLink, "../../etc/passwd", 0}}},
		{"is no file of the image", []entry{{"a", tar.TypeLink, "/etc/shadow", 0}}},
		{"", []entry{{"l", tar.TypeSymlink, outside, 0}, {"l/x", tar.TypeReg, "x", 0}}},
		{"", []entry{{"l", tar.TypeSymlink, "../../../../../../.." + outside, 0}, {"l/x", tar.TypeReg, "x", 0}}},
		{"", []entry{{"l", tar.TypeSymlink, outside, 0}, {"l", tar.TypeReg, "x", 0}}},
		{"too many links", []entry{{"l", tar.TypeSymlink, "m", 0}, {"m", tar.TypeSymlink, "l", 0},
			{"l/x", tar.TypeReg, "x", 0}}},
		{"is a device", []entry{{"sda", tar.TypeBlock, "", 0}}},
		{"is a pipe", []entry{{"p", tar.TypeFifo, "", 0}}},
		{"", []entry{{"dev/sda", tar.TypeBlock, "", 0}, {"etc/.wh.none", tar.TypeReg, "", 0}}},
		{"is a whiteout of nothing", []entry{{".wh.", tar.TypeReg, "", 0}}},
		{"is a whiteout of nothing", []entry{{".wh..", tar.TypeReg, "", 0}}},
		{"is a whiteout of nothing", []entry{{"a/b/.wh...", tar.TypeReg, "", 0}}},
		{"", []entry{{"su", tar.TypeReg, "x", 0o6755}}},
		{"unpacks to more than is allowed", []entry{{"a", tar.TypeReg, big, 0}, {"b", tar.TypeReg, big, 0}}},
		{"more than 100 entries", many},
		{"more than 100 entries", []entry{{strings.Repeat("d/", 120) + "f", tar.TypeReg, "x", 0}}},
		{"/home is no directory", []entry{{"home", tar.TypeReg, "x", 0}}},
		{"which is no directory", []entry{{"f", tar.TypeReg, "x", 0}, {"f/g", tar.TypeReg, "x", 0}}},
	} {
		s := store(t)
		r, err := s.Open(t.Context(), archive(t, layerOf(t, append([]entry{bash()}, c.entries...)...)))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v: %v", c.entries[0], err)
		case c.want == "":
			held(t, r)
		case err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%.100v: %v, want %q", c.entries[0], err, c.want)
		}
		left, _ := filepath.Glob(filepath.Join(s.Dir, "new-*"))
		if found, _ := os.ReadDir(outside); len(found) > 0 || len(left) > 0 {
			t.Fatalf("%v wrote %v, left %v", c.entries[0], found, left)
		}
	}
	if _, err := store(t).Open(t.Context(), archive(t, layerOf(t, entry{"bin/sh", tar.TypeReg, "x", 0}))); err == nil ||
		!strings.Contains(err.Error(), "has no bash") {
		t.Errorf("without bash: %v", err)
	}
}

// withLayer gives an archive of an image of one layer whose compressed bytes are others.
func withLayer(t *testing.T, other func(was []byte) []byte) string {
	t.Helper()
	f, err := os.Open(archive(t, layerOf(t, bash())))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err != nil {
			break
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(h.Name, ".tar.gz") {
			b = other(b)
			h.Size = int64(len(b))
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "other.tar")
	if err := os.WriteFile(at, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

// TestForgedLayers: a layer that is not what the configuration names is refused, so
// that nobody puts files into another's image.
func TestForgedLayers(t *testing.T) {
	at := withLayer(t, func([]byte) []byte {
		other, err := layerOf(t, bash(), entry{"evil", tar.TypeReg, "x", 0}).Compressed()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(other)
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
	if _, err := store(t).Open(t.Context(), at); err == nil || !strings.Contains(err.Error(), "layer 1: ") {
		t.Errorf("a forged layer: %v", err)
	}
}

// TestDamagedLayers: a layer that was cut short, or has a wrong byte, is said to be damaged, with what to do.
func TestDamagedLayers(t *testing.T) {
	for name, other := range map[string]func([]byte) []byte{
		"cut short":  func(b []byte) []byte { return b[:len(b)/2] },
		"wrong byte": func(b []byte) []byte { b[len(b)-6] ^= 0xff; return b },
		"wrong data": func(b []byte) []byte { b[len(b)/2] ^= 0xff; return b },
	} {
		_, err := store(t).Open(t.Context(), withLayer(t, other))
		if err == nil || !strings.Contains(err.Error(), "layer 1 is damaged: ") ||
			!strings.Contains(err.Error(), "\nhint: save the image again") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTextsOfImages: what is read into memory of an image is a file of its own, and
// small.
func TestTextsOfImages(t *testing.T) {
	tarOf := func(add func(w *tar.Writer)) string {
		path := filepath.Join(t.TempDir(), "image.tar")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := tar.NewWriter(f)
		add(w)
		if err := errors.Join(w.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put := func(w *tar.Writer, h tar.Header, text string) {
		h.Size, h.Mode = int64(len(text)), 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	manifest := `[{"Config":"cfg","Layers":[]}]`
	layout := t.TempDir()
	for name, to := range map[string]string{"index.json": "/dev/zero", "oci-layout": ""} {
		path := filepath.Join(layout, name)
		err := os.WriteFile(path, []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644)
		if to != "" {
			err = errors.Join(os.Remove(path), os.Symlink(to, path))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		layout: "is no file",
		tarOf(func(w *tar.Writer) {
			put(w, tar.Header{Name: "manifest.json"}, manifest)
			put(w, tar.Header{Name: "cfg"}, strings.Repeat(" ", maxText+1))
		}): "its configuration",
		tarOf(func(w *tar.Writer) {
			put(w, tar.Header{Name: "big"}, strings.Repeat(" ", maxText+1))
			put(w, tar.Header{Name: "manifest.json", Typeflag: tar.TypeSymlink, Linkname: "big"}, "")
		}): "is a link",
	} {
		if _, err := store(t).Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
