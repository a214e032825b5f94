package tasks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNamedLinks: a dataset leads to no task through a link, wherever on the way it is.
func TestNamedLinks(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	for _, at := range []string{filepath.Join(dir, "a/b"), filepath.Join(out, "b")} {
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "task.toml"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for at, to := range map[string]string{"out": out, "a/again": "b", "one": filepath.Join(out, "b")} {
		if err := os.Symlink(to, filepath.Join(dir, at)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"a/b": "", "a/../a/b": "", "out/b": `"out" is a link`,
		"a/again": `"a/again" is a link`, "one": `"one" is a link`, "./out/../out/b": `"out" is a link`} {
		if err := os.WriteFile(filepath.Join(dir, "dataset.toml"),
			[]byte("[[tasks]]\nname = 'x/y'\npath = '"+name+"'\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := Find(dir)
		taken := err == nil && len(found) == 1
		if refused := err != nil && strings.Contains(err.Error(), want); want == "" && !taken ||
			want != "" && !refused {
			t.Errorf("%s: got %v, %v", name, found, err)
		}
	}
}
