package cachedir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPath: a path is only given where it can be made, and nothing is made for it.
func TestPath(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "a", "b"))
	want := filepath.Join(dir, "a", "b", "cookoff", "proofs", "x")
	if got, err := Path("proofs", "x"); got != want || err != nil {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	if _, err := os.Lstat(filepath.Join(dir, "a")); err == nil {
		t.Error("it was made")
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{file, "/proc/1/x"} {
		t.Setenv("XDG_CACHE_HOME", bad)
		if got, err := Path("proofs"); err == nil || !strings.Contains(err.Error(), "can't be written to") {
			t.Errorf("%s: %q %v", bad, got, err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if got, err := Path("proofs"); err == nil {
		t.Errorf("without a home: %q", got)
	}
}

// TestWritable: a directory that another user has made in this one's cache is named. Root may write everywhere.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	if err := Writable(); err != nil {
		t.Error(err)
	}
	warm := filepath.Join(dir, "cookoff", "warm")
	if err := os.MkdirAll(warm, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Writable(); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(warm, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	if err := Writable(); err == nil || !strings.Contains(err.Error(), warm+" can't be written to") {
		t.Error(err)
	}
	if got, err := Path("admitted"); err != nil {
		t.Errorf("%q %v", got, err)
	}
}
