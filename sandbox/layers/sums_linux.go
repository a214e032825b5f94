package layers

import (
	"io/fs"
	"path/filepath"
	"syscall"

	"cookoff/sandbox/guest/files"
	"cookoff/sandbox/noted"
)

// filesIn describes the files in a directory: those of a list as it has them, and read bytes
// of the others. What can't be read is left out: who describes a world says so then.
func filesIn(dir string, known noted.List) (list []noted.File, read int64) {
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			if f := known.Find(st.Ino, st.Ctim.Nano()); f.Sum != "" {
				list = append(list, f)
				return nil
			}
			list = append(list, noted.File{Inode: st.Ino, Changed: st.Ctim.Nano(), Sum: files.Sum(p),
				Plain: files.Attrs(p, info.Mode()) == ""})
			read += info.Size()
		}
		return nil
	})
	return list, read
}
