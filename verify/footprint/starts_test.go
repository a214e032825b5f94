package footprint

import (
	"context"
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
