package noted

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
)

// TestNoted: a sum is that of the file it was noted of, whatever times are set, and of no
// copy that has the attribute, too.
func TestNoted(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) (path string, f *os.File) {
		t.Helper()
		path = filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return path, f
	}
	first, f := write("first")
	if Of(first) != "" {
		t.Error("a sum that nobody noted")
	}
	Note(f, "sum")
	attr := make([]byte, 256)
	n, err := unix.Lgetxattr(first, sandbox.SumAttr, attr)
	if err != nil {
		t.Skipf("this file system notes nothing: %v", err)
	}
	if got := Of(first); got != "sum" {
		t.Errorf("noted %q", got)
	}
	copied, _ := write("copied")
	// the kernel's clock ticks some hundred times a second
	for madeAt(unix.AT_FDCWD, copied) == madeAt(unix.AT_FDCWD, first) {
		if err := os.Remove(copied); err != nil {
			t.Fatal(err)
		}
		copied, _ = write("copied")
	}
	for _, forged := range []string{string(attr[:n]), "sum", "sum ", " ", ""} {
		if err := unix.Lsetxattr(copied, sandbox.SumAttr, []byte(forged), 0); err != nil {
			t.Fatal(err)
		}
		if got := Of(copied); got != "" {
			t.Errorf("a copy with %q has the sum %q", forged, got)
		}
	}
	if Of(filepath.Join(dir, "none")) != "" {
		t.Error("a file that is not there has a sum")
	}
}
