package native

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/launch"
	"cookoff/sandbox/plan"
)

// keep has the set-up give a mount of what the world has in memory, and gives it the one
// that was kept.
func keep(o launch.Order, made *launch.Prepared) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("making a socket: %w", err)
	}
	ours := os.NewFile(uintptr(pair[0]), "kept")
	o.Plan.Keep = plan.SocketFD + len(made.Given)
	made.Given = append(made.Given, os.NewFile(uintptr(pair[1]), "keep"))
	made.Kept = func() (*os.File, error) {
		defer ours.Close()
		return received(ours)
	}
	if o.Memory == nil {
		return nil
	}
	again, err := unix.FcntlInt(o.Memory.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("handing down what was kept in memory: %w", err)
	}
	o.Plan.Scratch = plan.SocketFD + len(made.Given)
	made.Given = append(made.Given, os.NewFile(uintptr(again), "memory"))
	return nil
}

// received takes the descriptor that was sent.
func received(socket *os.File) (*os.File, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	oob, n, got := make([]byte, unix.CmsgSpace(4)), 0, error(nil)
	if err := raw.Control(func(fd uintptr) {
		_, n, _, _, got = unix.Recvmsg(int(fd), make([]byte, 1), oob, unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
	}); err != nil {
		return nil, err
	}
	if got != nil {
		return nil, fmt.Errorf("keeping what is in memory: %w", got)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		if fds, err := unix.ParseUnixRights(&m); err == nil && len(fds) == 1 {
			return os.NewFile(uintptr(fds[0]), "memory"), nil
		}
	}
	return nil, errors.New("keeping what is in memory: nothing came")
}
