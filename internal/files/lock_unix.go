//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// Hold has this process be the only one that holds a file, which is made where it is
// missing, until free is called or the process ends, however it ends. false: another holds
// it. On a file system without locks nobody does.
func Hold(path string) (free func(), alone bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, false, err
	}
	if !Lock(f) {
		return nil, false, f.Close()
	}
	return func() { _ = f.Close() }, true, nil // with it goes the lock
}

// Lock locks an open file for as long as it is open. false: another has it locked.
func Lock(f *os.File) bool {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return !errors.Is(err, syscall.EWOULDBLOCK)
		}
	}
}

// own gives a file the owner and group of another, where this user may: root's editing of a
// user's file leaves it the user's.
func own(f *os.File, like os.FileInfo) {
	if st, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}
