package project

import (
	"os"
	"path/filepath"
	"testing"

	"cookoff/recipe"
)

// TestProjectDigest: names, modes, links and contents all count.
func TestProjectDigest(t *testing.T) {
	seen := map[string]bool{}
	check := func(edit func(dir string) error) {
		t.Helper()
		dir := t.TempDir()
		err := os.WriteFile(filepath.Join(dir, "a"), []byte("1"), 0o644)
		if err == nil {
			err = edit(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		d, err := Digest(dir, &recipe.Recipe{})
		if err != nil || d == "" || seen[d] {
			t.Errorf("digest %q is not new (%v)", d, err)
		}
		seen[d] = true
	}
	check(func(string) error { return nil })
	check(func(dir string) error { return os.WriteFile(filepath.Join(dir, "a"), []byte("2"), 0o644) })
	check(func(dir string) error { return os.Chmod(filepath.Join(dir, "a"), 0o755) })
	check(func(dir string) error { return os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")) })
	check(func(dir string) error { return os.Symlink("a", filepath.Join(dir, "l")) })
	check(func(dir string) error { return os.Symlink("b", filepath.Join(dir, "l")) })
	check(func(dir string) error { return os.Mkdir(filepath.Join(dir, "d"), 0o755) })
}

// TestDigestOfACopy: the mode of the directory that holds the files is the copier's, as its umask has it.
func TestDigestOfACopy(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, mode := range []os.FileMode{0o755, 0o700} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		d, err := Digest(dir, &recipe.Recipe{})
		if err != nil {
			t.Fatal(err)
		}
		seen[d] = true
	}
	if len(seen) != 1 {
		t.Errorf("%d digests", len(seen))
	}
}
