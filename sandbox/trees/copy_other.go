//go:build !linux

package trees

import (
	"errors"
	"path/filepath"

	"golang.org/x/sys/unix"
)

func setTime(fd int, st *unix.Stat_t) error {
	return unix.Futimes(fd, []unix.Timeval{unix.NsecToTimeval(st.Atim.Nano()), unix.NsecToTimeval(st.Mtim.Nano())})
}

// special makes a FIFO, and reports whether it did: a socket that nobody
// listens on is left out. The copy holds nothing yet but what this process made
// in it, so that its directories lead where they are said to.
func (c *Copier) special(_ int, rel string, st *unix.Stat_t) (bool, error) {
	if st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return false, nil
	}
	err := unix.Mkfifo(filepath.Join(c.to, rel), 0o600)
	if errors.Is(err, unix.ENAMETOOLONG) {
		return false, nil // a place too deep to name: it is left out
	}
	return err == nil, err
}

// again gives a copy one more name, and reports whether it did: by the first,
// for this system can't link an open file. Where that is out of reach, the file
// is openCopy once more.
func (c *Copier) again(first openCopy, dst int, name string) (bool, error) {
	err := unix.Linkat(unix.AT_FDCWD, filepath.Join(c.to, first.rel), dst, name, 0)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENAMETOOLONG) {
		return false, nil
	}
	return err == nil, err
}

// shared makes out a shared copy of in, and reports whether it did.
func shared(_, _ int) bool { return false }

// There are no overlays here, and nothing that one keeps.

func attributes(_, _ int) error { return nil }

func whiteout(_ int, _ string) error { return nil }

// plain reports whether a file has no extended attributes: nobody looked.
func plain(int) bool { return false }
