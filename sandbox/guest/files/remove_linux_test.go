package files

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRemoveDeep: a tree deeper than there may be open files is removed, with names in it
// that removing uses too.
func TestRemoveDeep(t *testing.T) {
	dir := t.TempDir()
	root, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(root)
	for _, path := range []string{"x/.moved-1/a/b", "x/c/.moved-2/d", "x/c/e"} {
		if err := os.MkdirAll(filepath.Join(dir, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "x/.moved-3"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	at, _ := unix.Open(filepath.Join(dir, "x"), unix.O_RDONLY|unix.O_DIRECTORY, 0)
	for i := range 3000 {
		if err := unix.Mkdirat(at, "d", 0o755); err != nil {
			t.Fatal(i, err)
		}
		next, err := unix.Openat(at, "d", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(at)
		at = next
	}
	unix.Close(at)
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	low := was
	low.Cur = 200
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	err = removeSpot(spot{dir: root, name: "x"}, true)
	_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &was)
	if left, _ := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Error(err, fmt.Sprint(left))
	}
}
