package layers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/users"
)

// maskDir holds the layer that hides files, in the directory of a trial.
const maskDir = "m"

// masker makes a layer that takes what globs match out of the view, for
// one world only: a whiteout for each file, in directories that look like
// those below.
type masker struct {
	agent      users.Agent
	top, lower string
	newer      []stratum // layers above lower
	several    bool      // files belong to several users
	globs      []string
}

// mask makes the layer in top, over all of lower.
func (m *masker) mask(lower []stratum) error {
	if err := validGlobs(m.globs); err != nil {
		return err
	}
	for _, d := range []string{filepath.Dir(m.top), m.top} {
		if err := m.agent.MakeDir(d); err != nil {
			return err
		}
	}
	for i, s := range lower {
		if s.work == "" {
			continue
		}
		m.lower, m.newer = s.work, lower[:i]
		if err := filepath.WalkDir(s.work, m.entry); err != nil {
			return err
		}
	}
	return nil
}

func (m *masker) entry(path string, d fs.DirEntry, err error) error {
	if m.several && errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%.200q is another user's, and what is hidden in it can't be seen\n"+
			"hint: hide only what lies in directories of root's, or that all may read", filepath.Base(path))
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil // nobody can see into it through the view either
	}
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(m.lower, path)
	if err != nil || rel == "." || !hidden(m.globs, rel) {
		return err
	}
	if m.covered(rel) {
		return nil
	}
	if err := m.parents(filepath.Dir(rel)); err != nil {
		return err
	}
	err = unix.Mknod(filepath.Join(m.top, rel), unix.S_IFCHR, 0)
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// covered reports whether a newer layer already takes rel out of the view: a
// directory made in the mask would bring its parents back.
func (m *masker) covered(rel string) bool {
	for _, s := range m.newer {
		at := s.work
		for part := range strings.SplitSeq(rel, "/") {
			at = filepath.Join(at, part)
			st, err := os.Lstat(at)
			if err != nil {
				break
			}
			if !st.IsDir() {
				return true
			}
			var v [1]byte
			if n, err := unix.Lgetxattr(at, "user.overlay.opaque", v[:]); err == nil && n == 1 && v[0] == 'y' {
				return true
			}
		}
	}
	return false
}

// parents makes the directories that lead to a whiteout. The view shows the
// mask's modes, so the first layer that has the directory gives them.
func (m *masker) parents(rel string) error {
	if rel == "." {
		return nil
	}
	to := filepath.Join(m.top, rel)
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	if err := m.parents(filepath.Dir(rel)); err != nil {
		return err
	}
	st, err := os.Lstat(filepath.Join(m.lower, rel))
	if err != nil {
		return err
	}
	if err := m.agent.MakeDir(to); err != nil {
		return err
	}
	if s, ok := st.Sys().(*syscall.Stat_t); ok && m.several && int(s.Uid) != m.agent.UID && s.Uid != 0 {
		if err := os.Lchown(to, int(s.Uid), int(s.Gid)); err != nil {
			return fmt.Errorf("%.200q is another user's, and can't be made again\n"+
				"hint: hide only what lies in directories of root's", rel)
		}
	}
	return os.Chmod(to, st.Mode().Perm())
}
