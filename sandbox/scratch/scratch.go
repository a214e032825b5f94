// Package scratch keeps the files of worlds on the host: one directory for each
// process, locked as long as it lives, and in that one for each world. What a killed
// process left is found here, and removed by the next.
package scratch

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"cookoff/internal/temporary"
	"cookoff/sandbox/trees"
)

// The names of what a process's directory holds beside those of its worlds.
const (
	lockName    = "lock"  // locked as long as the process lives
	scopeNote   = "scope" // says which control groups are the process's
	SharedBegin = "guest" // begins the name of what all worlds share
)

// unlocked begins the name of a directory whose lock is not held yet: others leave
// it alone.
const unlocked = "new-"

// Space is the directory of one process. It is made when it is first asked for.
type Space struct {
	// Base is the directory of all processes' directories; "": a directory of the
	// user's own under the system's directory for temporary files.
	Base string
	// Passable says that users other than this process's pass through the
	// directories, to what is their own in them.
	Passable bool

	mu   sync.Mutex
	dir  string
	lock *os.File
}

// Root is the directory of all processes' directories, absolute.
func Root(base string) (string, error) {
	if base == "" {
		var err error
		if base, err = usualBase(); err != nil {
			return "", err
		}
	}
	return filepath.Abs(base)
}

// Dir makes the process's directory, once, and clears away those of dead
// processes.
func (s *Space) Dir() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != "" {
		return s.dir, nil
	}
	root, err := Root(s.Base)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", err
	}
	var st unix.Stat_t
	if err := unix.Lstat(root, &st); err != nil {
		return "", err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || st.Uid != uint32(os.Geteuid()) {
		return "", fmt.Errorf("%s belongs to somebody else\nhint: set TMPDIR to a directory of your own", root)
	}
	temporary.Spread(root)
	clearDead(root)
	err = s.makeIn(root)
	return s.dir, err
}

// makeIn makes the locked directory. It gets its name when the lock is held, so that
// nobody ever takes it for a dead one.
func (s *Space) makeIn(root string) error {
	name := rand.Text()[:16]
	tmp := filepath.Join(root, unlocked+name)
	temporary.Note(tmp)
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return err
	}
	temporary.Spread(tmp)
	lock, err := os.OpenFile(filepath.Join(tmp, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("locking %s: %w", tmp, err)
	}
	dir := filepath.Join(root, name)
	if err := os.Rename(tmp, dir); err != nil {
		return err
	}
	s.dir, s.lock = dir, lock
	return nil
}

// New makes a directory for what is a world's, with a name that says nothing.
func (s *Space) New() (string, error) {
	own, err := s.Dir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(own, rand.Text()[:16])
	if !s.Passable {
		return dir, os.Mkdir(dir, 0o700)
	}
	for _, d := range []string{filepath.Dir(own), own} {
		if err := os.Chmod(d, 0o711); err != nil {
			return "", err
		}
	}
	return dir, os.Mkdir(dir, 0o711)
}

// NoteScope writes down which directory holds the process's control groups, before it
// is made: whoever removes this one, removes those.
func (s *Space) NoteScope(groups string) error {
	dir, err := s.Dir()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, scopeNote), []byte(groups), 0o600)
}

// Close removes the directory, unless something of a world is still in it: then it is
// left over when the process has ended. It can be made again.
func (s *Space) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return nil
	}
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		if e.Name() != lockName && e.Name() != scopeNote && !strings.HasPrefix(e.Name(), SharedBegin) {
			return err
		}
	}
	err = errors.Join(err, trees.Remove(s.dir), s.lock.Close())
	s.dir, s.lock = "", nil
	return err
}
