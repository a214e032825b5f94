package roots

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"cookoff/sandbox/guest/files"
	"cookoff/sandbox/noted"
)

// noteSums notes the sum of each file of a root, so that nobody has to read it
// again as long as it is not changed. A file system without attributes has none.
func noteSums(dir string) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(p)
		if err != nil {
			return nil // who may not read it sums it again, and says so then
		}
		defer f.Close()
		noted.Note(f, files.Sum(p))
		return nil
	})
}

// changed is when the kernel saw a file change last, in nanoseconds.
func changed(info fs.FileInfo) int64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return st.Ctim.Nano()
}
