package layers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
		if err := s.makeKept(to); err != nil {
			return nil, err
		}
		c := s.copier()
		c.Take = true
		if err := c.Copy(filepath.Join(top, d), to); err != nil {
			return nil, fmt.Errorf("keeping what was prepared: %w", err)
		}
	}
	if err := s.exportRest(filepath.Join(top, plan.TopRest), filepath.Join(dir, plan.TopRest)); err != nil {
		return nil, fmt.Errorf("keeping what was prepared: %w", err)
	}
	work := filepath.Join(top, plan.TopWork)
	err = filepath.WalkDir(work, func(path string, d fs.DirEntry, err error) error {
		if s.several && errors.Is(err, fs.ErrPermission) {
			return nil // another user's of the world: it is new, or the project would have it
		}
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
func (s *State) exportRest(from, to string) error {
	if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := s.makeKept(to); err != nil {
		return err
	}
	c := s.copier()
	c.Layer, c.Take, c.Leave = true, true, []string{"tmp", "var/tmp", "run", "dev", "proc"}
	return c.Copy(from, to)
}

// copier copies what is kept of the state on the host, with owners where there are several.
func (s *State) copier() trees.Copier {
	c := trees.Copier{Several: s.several}
	if c.UID, c.GID = users.Kept(); s.several {
		c.UID, c.GID = -1, -1
	}
	return c
}

// makeKept makes a directory for that. It is root's where there are several.
func (s *State) makeKept(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil || !s.several {
		return err
	}
	span, err := users.Spanned()
	if err != nil {
		return err
	}
	return span.Agent().Own(dir)
}

// KeepCaches copies what the newest world wrote to its build caches.
func (s *State) KeepCaches(dir string) error {
	from := filepath.Join(s.dir, plan.TopCaches)
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil // it had none
	}
	c := trees.Copier{Take: true, Several: s.several}
	if c.UID, c.GID = users.Kept(); s.several { // root's alone, whoever built
		c.UID, c.GID = 0, 0
	}
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
