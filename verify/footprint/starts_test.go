package footprint

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// counted is a world of files, by path, that notes which of them are read.
type counted struct {
	sandbox.Sandbox
	files map[string]string
	read  []string
}

func (p *counted) FS() sandbox.FS { return countedFS{counted: p} }

type countedFS struct {
	sandbox.FS
	*counted
}

func (p countedFS) Pack(_ context.Context, paths []string, each func(sandbox.Item) error) error {
	p.read = append(p.read, paths...)
	for _, path := range paths {
		if err := each(sandbox.Item{Path: path, Mode: 0o644, Data: []byte(p.files[path])}); err != nil {
			return err
		}
	}
	return nil
}

func (p *counted) manifest() (m sandbox.Manifest) {
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		m = append(m, sandbox.File{Path: path, Mode: 0o644, Size: int64(len(p.files[path])), Sum: p.files[path]})
	}
	return m
}

// TestStarts: a state reads of its texts what the last one did not have, and gives all of them.
func TestStarts(t *testing.T) {
	s := &Starts{}
	for _, tt := range []struct {
		files map[string]string
		read  string
	}{
		{map[string]string{"a.go": "1", "b.go": "1"}, "a.go b.go"},
		{map[string]string{"a.go": "1", "b.go": "1"}, ""},
		{map[string]string{"a.go": "1", "b.go": "2", "c.go": "3"}, "b.go c.go"},
		{map[string]string{"c.go": "3"}, ""},
		{map[string]string{"a.go": "1", "c.go": "3"}, "a.go"}, // only the last state is kept
	} {
		w := &counted{files: tt.files}
		m := w.manifest()
		texts, err := s.Texts(t.Context(), w, s.Files(m))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(w.read, " "); got != tt.read {
			t.Errorf("of %v was read %q, not %q", tt.files, got, tt.read)
		}
		for path, text := range tt.files {
			if string(texts[path].Data) != text {
				t.Errorf("%s of %v is %q", path, tt.files, texts[path].Data)
			}
		}
	}
	w := &counted{files: map[string]string{"a.go": "1"}}
	m := w.manifest()
	if _, err := s.Texts(t.Context(), w, m); err != nil {
		t.Fatal(err)
	}
	m = slices.Clone(m)
	m[0].Mode = 0o600
	texts, err := s.Texts(t.Context(), w, m)
	if got := texts["a.go"].Mode; err != nil || got != 0o600 {
		t.Errorf("a file of another mode has %v, %v", got, err)
	}
}

// TestLike: a difference in a file whose name the setup draws is known by where that lies and how it ends; one whose
// content alone is drawn has its name.
func TestLike(t *testing.T) {
	file := func(path, sum string) sandbox.File { return sandbox.File{Path: path, Sum: sum} }
	dir := func(path string) sandbox.File { return sandbox.File{Path: path, Mode: fs.ModeDir | 0o755} }
	of := &Starts{}
	of.Files(sandbox.Manifest{dir(".git"), file(".git/b", "1"), file("app.log", "1"), file("q", "1"), dir("spool"),
		file("spool/x.lock", "1"), dir("~/tmp.1"), file("~/tmp.1/key", "1")})
	m := sandbox.Manifest{dir(".git"), file(".git/a", "1"), file("app.log", "2"), file("e", "1"), dir("spool"),
		file("spool/y.lock", "1"), dir("~/tmp.2"), file("~/tmp.2/key", "1")}
	few := of.Few()
	of.Files(m)
	if !few || of.Few() {
		t.Error("one start is few, two are not")
	}
	s := &Start{Files: m, Of: of}
	for _, c := range []struct{ does, path, want string }{
		{"content ", "app.log", ""},
		{"removed ", ".git/a", ""},
		{"removed ", "e", "drawn removed ./*"},
		{"removed ", "spool/y.lock", "drawn removed spool/*.lock"},
		{"added ", "spool/new.lock", ""},
		{"removed ", "~/tmp.2", "drawn removed ~/*"},
		{"added ", "~/tmp.2/new", "drawn added ~/*/new"},
		{"set ", "spool/y.lock#a.b", "drawn set spool/*.lock#a.b"},
	} {
		if got := s.like(Difference{Key: c.does + c.path, Path: c.path}); got != c.want {
			t.Errorf("%s%s: %q, want %q", c.does, c.path, got, c.want)
		}
	}
	if got := of.Drawn(m); len(got) != 6 {
		t.Errorf("drawn: %v", got)
	}
	if s := (&Start{Files: m}); s.like(Difference{Key: "removed e", Path: "e"}) != "" {
		t.Error("drawn names of no starts")
	}
}
