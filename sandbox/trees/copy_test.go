package trees

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What nobody needs any more is moved: the copy is the same as one that is made byte by byte, but for files
// with several names and, on Linux, those with attributes, which are copied.
func TestCopyTakes(t *testing.T) {
	old := time.Date(2001, 9, 9, 1, 46, 40, 5000, time.UTC)
	for _, take := range []bool{false, true} {
		dir := t.TempDir()
		from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
		for _, d := range []string{filepath.Join(from, "deep/er"), to} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for name, mode := range map[string]os.FileMode{"run": 0o755 | os.ModeSetuid, "deep/er/closed": 0,
			"deep/two": 0o640} {
			at := filepath.Join(from, name)
			if err := os.WriteFile(at, []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(at, old, old); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(at, mode); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Link(filepath.Join(from, "deep/two"), filepath.Join(from, "other")); err != nil {
			t.Fatal(err)
		}
		c := Copier{UID: -1, GID: -1, Take: take}
		if err := c.Copy(from, to); err != nil {
			t.Fatal(err)
		}
		for name, mode := range map[string]os.FileMode{"run": 0o755 | os.ModeSetuid, "deep/er/closed": 0, "deep/two": 0o640,
			"other": 0o640} {
			st, err := os.Lstat(filepath.Join(to, name))
			if err != nil || st.Mode() != mode || !st.ModTime().Equal(old) {
				t.Errorf("take %v: %s is %v, %v", take, name, st, err)
			}
		}
		two, _ := os.Lstat(filepath.Join(to, "deep/two"))
		other, _ := os.Lstat(filepath.Join(to, "other"))
		if !os.SameFile(two, other) {
			t.Errorf("take %v: one file with two names became two", take)
		}
		if _, err := os.Lstat(filepath.Join(from, "run")); (err == nil) == take {
			t.Errorf("take %v: the file that was copied: %v", take, err)
		}
		if _, err := os.Lstat(filepath.Join(from, "other")); err != nil {
			t.Errorf("take %v: a file with two names was moved: %v", take, err)
		}
	}
}
