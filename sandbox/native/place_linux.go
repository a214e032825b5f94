package native

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// place is the directory that holds this process's sandboxes. A lock on it
// says that the process lives; what a killed one left is removed by the next.
type place struct {
	dir  string
	lock *os.File
}

// makeDir makes the trial's directory, with a name that says nothing.
func (w *world) makeDir() error {
	p, err := w.b.place()
	if err != nil {
		return err
	}
	w.dir = filepath.Join(p, rand.Text()[:16])
	return os.Mkdir(w.dir, 0o700)
}

// place makes the process's directory, once, and clears away those of dead
// processes.
func (b *backend) place() (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.host.place.dir != "" {
		return b.host.place.dir, nil
	}
	base := b.opt.Dir
	if base == "" {
		base = filepath.Join(os.TempDir(), "cookoff-"+strconv.Itoa(os.Getuid()))
	}
	base, err := filepath.Abs(base)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", err
	}
	var st unix.Stat_t
	if err := unix.Lstat(base, &st); err != nil {
		return "", err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || st.Uid != uint32(os.Geteuid()) {
		return "", fmt.Errorf("%s belongs to somebody else\nhint: set TMPDIR to a directory of your own", base)
	}
	clearDead(base)
	p := place{dir: filepath.Join(base, rand.Text()[:16])}
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		return "", err
	}
	if p.lock, err = os.OpenFile(filepath.Join(p.dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return "", err
	}
	if err := unix.Flock(int(p.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return "", fmt.Errorf("locking %s: %w", p.dir, err)
	}
	b.host.place = p
	return p.dir, nil
}

// clearDead removes the places whose processes are gone. Failing to is no
// reason not to go on.
func clearDead(base string) {
	entries, _ := os.ReadDir(base)
	for _, e := range entries {
		dir := filepath.Join(base, e.Name())
		f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
		if errors.Is(err, os.ErrNotExist) {
			// Perhaps it is just being made.
			if info, ierr := e.Info(); ierr == nil && e.IsDir() && time.Since(info.ModTime()) > time.Hour {
				_ = removeTree(dir)
			}
			continue
		}
		if err != nil {
			continue
		}
		if info, serr := f.Stat(); serr == nil && time.Since(info.ModTime()) > time.Second && unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = removeTree(dir)
		}
		f.Close()
	}
}
