package launch

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/wire"
)

// SocketPair is a connection, and the other end of it for a process.
func SocketPair() (io.ReadWriteCloser, *os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("making a socket: %w", err)
	}
	ours, err := wire.Connection(pair[0])
	if err != nil {
		unix.Close(pair[1])
		return nil, nil, err
	}
	return ours, os.NewFile(uintptr(pair[1]), "guest"), nil
}

// ChildAttr is for a program that builds worlds: it dies with this process, in
// a session of its own.
func ChildAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL, Setsid: true}
}
