package layers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/users"
)

// Export keeps what the newest layer of the state holds of project and home, and of the rest of a
// root of its own. Files are moved where they can be: the state opens no world after it.
func (s *State) Export(dir string) (gone []string, err error) {
	top := filepath.Join(s.dir, plan.TopDir)
	for _, d := range []string{plan.TopWork, plan.TopHome} {
		to := filepath.Join(dir, d)
		if err := os.MkdirAll(to, 0o755); err != nil {
			return nil, err
		}
		c := trees.Copier{Take: true}
		c.UID, c.GID = users.Kept()
		if err := c.Copy(filepath.Join(top, d), to); err != nil {
			return nil, fmt.Errorf("keeping what was prepared: %w", err)
		}
	}
	if err := exportRest(filepath.Join(top, plan.TopRest), filepath.Join(dir, plan.TopRest)); err != nil {
		return nil, fmt.Errorf("keeping what was prepared: %w", err)
	}
	work := filepath.Join(top, plan.TopWork)
	err = filepath.WalkDir(work, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(work, path) // path lies below it
		var st unix.Stat_t
		if d.Type()&fs.ModeCharDevice != 0 && unix.Lstat(path, &st) == nil && st.Rdev == 0 || d.IsDir() && rel != "." &&
			opaque(path) {
			gone = append(gone, rel)
		}
		return nil
	})
	return gone, err
}

// exportRest copies what was changed or removed elsewhere in a root of its own, but for
// what programs leave lying about.
func exportRest(from, to string) error {
	if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	c := trees.Copier{Layer: true, Take: true, Skip: func(rel string) bool {
		return slices.Contains([]string{"tmp", "var/tmp", "run", "dev", "proc"}, rel)
	}}
	c.UID, c.GID = users.Kept()
	return c.Copy(from, to)
}

// KeepCaches copies what the newest world wrote to its build caches.
func (s *State) KeepCaches(dir string) error {
	from := filepath.Join(s.dir, plan.TopCaches)
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil // it had none
	}
	c := trees.Copier{Take: true}
	c.UID, c.GID = users.Kept()
	if err := c.Copy(from, dir); err != nil {
		return fmt.Errorf("keeping build caches: %w", err)
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o755)
		case d.Type().IsRegular():
			return nil
		}
		return os.Remove(path) // a link, or what says that a file is gone
	})
}

// opaque reports whether a directory hides what lies below it: it was removed and made
// again, or is new.
func opaque(dir string) bool {
	var v [1]byte
	for _, name := range []string{"user.overlay.opaque", "trusted.overlay.opaque"} {
		if n, _ := unix.Lgetxattr(dir, name, v[:]); n == 1 && v[0] == 'y' {
			return true
		}
	}
	return false
}
