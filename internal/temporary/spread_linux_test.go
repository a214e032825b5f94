package temporary

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSpread sets the flag where the file system has it, of a directory of one's own and of one
// that temporary.Dir makes; what is no directory, or not there, is left alone.
func TestSpread(t *testing.T) {
	Spread(filepath.Join(t.TempDir(), "none"))
	made, err := Dir(t.TempDir(), "new-*")
	if err != nil {
		t.Fatal(err)
	}
	own := t.TempDir()
	for range 2 { // it may be asked for again
		Spread(own)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(own, &fs); err != nil || fs.Type != unix.EXT4_SUPER_MAGIC {
		t.Skip("the directory for temporary files is on no ext4")
	}
	for _, dir := range []string{made, own} {
		f, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if flags, err := unix.IoctlGetUint32(int(f.Fd()), unix.FS_IOC_GETFLAGS); err != nil || flags&topDir == 0 {
			t.Errorf("%s has the flags %x, %v", dir, flags, err)
		}
	}
}
