package files

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNoLinks: no part of a path below a project is a link, were it one to nothing.
func TestNoLinks(t *testing.T) {
	out, real := t.TempDir(), t.TempDir()
	dir := filepath.Join(out, "project") // itself a link: the user stands there
	for at, to := range map[string]string{dir: real, filepath.Join(real, "dir"): out,
		filepath.Join(real, "file.md"): "/nowhere"} {
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(real, "plain.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, link := range map[string]bool{
		filepath.Join(dir, "file.md"): true, filepath.Join(dir, "dir", "x.md"): true, filepath.Join(dir, "dir"): true,
		filepath.Join(real, "dir", "x.md"): true, // the same project by its other name
		filepath.Join(dir, "plain.md"):     false,
		filepath.Join(dir, "new", "x.md"):  false, filepath.Join(out, "x.md"): false,
	} {
		if err := NoLinks(dir, path); (err != nil) != link {
			t.Errorf("%s: %v", path, err)
		}
	}
}
