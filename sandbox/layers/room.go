package layers

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// Crowded says of an error of a disk without room whose doing that is: it wraps
// sandbox.ErrShort as well where the world has written little, so that others filled the
// disk.
func (f *Files) Crowded(err error) error {
	if !errors.Is(err, syscall.ENOSPC) || errors.Is(err, sandbox.ErrShort) || !f.little() {
		return err
	}
	return fmt.Errorf("%w: %w\n%s", sandbox.OfKinds("others filled the disk below the sandboxes", sandbox.ErrShort), err,
		sandbox.RoomHint)
}

// little reports whether the world, and the one whose state it started with, have written no
// more than who filled a disk.
func (f *Files) little() bool {
	bytes, files := f.most.Little()
	dirs := []string{f.dir}
	if f.from != nil {
		dirs = append(dirs, f.from.dir)
	}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		err := filepath.WalkDir(filepath.Join(dir, plan.TopDir), func(_ string, d fs.DirEntry, err error) error {
			if f.several && errors.Is(err, fs.ErrPermission) {
				return nil // another user's of the world: whose doing it is, is not said
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				bytes -= st.Blocks * 512
			}
			if files--; bytes < 0 || files < 0 {
				return errMuch
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // what can't be looked at may be much
			return false
		}
	}
	return true
}

// errMuch ends a walk.
var errMuch = errors.New("much was written")
