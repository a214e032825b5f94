package files

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Extended attributes that a program can set are described: another value is
// another description.
func TestAttrs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(dir, unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if got := attrs(fd, "f", 0o644); got != "" {
		t.Errorf("none: %q", got)
	}
	if err := unix.Setxattr(file, "user.a", []byte("1"), 0); err != nil {
		t.Skipf("this file system has no extended attributes: %v", err)
	}
	one := attrs(fd, "f", 0o644)
	if err := unix.Setxattr(file, "user.a", []byte("2"), 0); err != nil {
		t.Fatal(err)
	}
	if two := attrs(fd, "f", 0o644); one == "" || one == two {
		t.Errorf("%q and %q", one, two)
	}
	for attr, want := range map[string]bool{"user.overlay.opaque": false, "user.x": true,
		"system.posix_acl_access": true, "security.capability": true, "security.selinux": false} {
		if settable(attr) != want {
			t.Errorf("%s: %v", attr, !want)
		}
	}
}
