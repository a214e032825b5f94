package recipe

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/recipe/gitsource"
	"cookoff/recipe/lookup"
)

// bundled writes a bundle of files, in order; a name that ends in > is a
// symbolic link.
func bundled(t *testing.T, names ...string) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for i := 0; i < len(names); i += 2 {
		h := &tar.Header{Name: names[i], Mode: 0o644, Size: int64(len(names[i+1])), Typeflag: tar.TypeReg}
		if link, ok := strings.CutSuffix(names[i], ">"); ok {
			h = &tar.Header{Name: link, Linkname: names[i+1], Typeflag: tar.TypeSymlink}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := io.WriteString(w, names[i+1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.tgz")
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestBundles(t *testing.T) {
	refused := func(what, want string, names ...string) {
		t.Helper()
		if _, err := Discover(bundled(t, names...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", what, err, want)
		}
	}
	refused("nothing", "a bundle without a recipe.md")
	refused("another file", "a bundle without a recipe.md", "a.md", minimal("x"))
	refused("a link", "a bundle without a recipe.md", "recipe.md>", "/etc/passwd")
	refused("another place", "a bundle without a recipe.md", "../recipe.md", minimal("x"))
	refused("too large", "larger than 16 MiB: this is no recipe", "recipe.md", strings.Repeat("x", gitsource.MaxFile+1))
	refused("behind too much", "a bundle without a recipe.md", "a", strings.Repeat("\x00", (256<<20)), "recipe.md",
		minimal("x"))

	file := bundled(t, "recipe.md", minimal("in it"), "repairs/a.yaml", "a", "repairs/b.yaml>", "/etc/passwd",
		"repairsx/c.yaml", "c")
	r, err := Discover(file)
	if err != nil || r.Name != "in it" || !r.FromElsewhere() {
		t.Errorf("got %+v, %v", r, err)
	}
	got, err := lookup.BundleFiles(file, "repairs")
	if err != nil || len(got) != 1 || string(got["a.yaml"]) != "a" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, name := range []string{"repairs/../a", "repairs/a/b", "repairs/..", `repairs/a\b`} {
		if got, err := lookup.BundleFiles(bundled(t, name, "x"), "repairs"); err == nil {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got, err := lookup.BundleFiles(bundled(t, "repairs/a", strings.Repeat("x", 9<<20), "repairs/b",
		strings.Repeat("x", 9<<20)), "repairs"); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("too much: got %d, %v", len(got), err)
	}
	plain := filepath.Join(t.TempDir(), "recipe.md")
	if err := os.WriteFile(plain, []byte(minimal("x")), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := lookup.BundleTree(bundled(t, "recipe.md", "r", "beside/judge/a/b.py", "deep"), "beside/judge")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fs.ReadFile(tree, "a/b.py"); string(got) != "deep" || err != nil {
		t.Errorf("below a directory lies %q: %v", got, err)
	}
	for _, name := range []string{"beside/judge/../x", "beside/judge//x", "beside/judge/."} {
		if tree, err := lookup.BundleTree(bundled(t, name, "x"), "beside/judge"); err == nil {
			t.Errorf("%s is read: %v", name, tree)
		}
	}
	if tree, err := lookup.BundleTree(plain, "beside/judge"); tree != nil || err != nil {
		t.Errorf("no bundle has %v, %v", tree, err)
	}
	if got, err := lookup.BundleFiles(plain, "repairs"); got != nil || err != nil {
		t.Errorf("no bundle: got %v, %v", got, err)
	}
}
