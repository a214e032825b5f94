//go:build unix

package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// openNoFollow keeps an open from following a link or waiting for a FIFO that
// has just taken the file's place.
const openNoFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

// lockDir holds a directory for as long as the file that it gives is open.
func lockDir(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
