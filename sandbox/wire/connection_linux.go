package wire

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
)

// Connection makes a connection of a socket, which no program that is started
// gets to see. It is a file, since what imports net is initialised late: a part
// of a sandbox would wait for it.
func Connection(socket int) (*os.File, error) {
	unix.CloseOnExec(socket)
	if err := unix.SetNonblock(socket, true); err != nil { // or its reader would hold a thread
		unix.Close(socket)
		return nil, fmt.Errorf("taking a socket: %w", err)
	}
	return os.NewFile(uintptr(socket), "connection"), nil
}

// OpenUppers opens project and home where the guest looks for what they hold.
func OpenUppers() error {
	for i, dir := range []string{sandbox.WorkDir, sandbox.HomeDir} {
		at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err == nil {
			err = unix.Dup3(at, FirstUpper+i, 0)
		}
		if err != nil {
			return fmt.Errorf("opening %s: %w", dir, err)
		}
		unix.Close(at)
	}
	return nil
}

// ExactReader reads from the socket without taking more than is asked for:
// the next frame is the guest's.
type ExactReader struct{ FD int }

// Read takes at most as many bytes as fit into b.
func (r ExactReader) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(r.FD, b)
		if err == unix.EINTR {
			continue
		}
		if n == 0 && err == nil {
			err = errors.New("the host is gone")
		}
		return max(0, n), err
	}
}
