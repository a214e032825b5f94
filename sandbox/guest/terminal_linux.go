package guest

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/guest/stream"
	"cookoff/sandbox/wire"
)

// launchOnTerminal starts the process on a terminal of its own, which it and
// what it starts are ended with.
func (ps *programs) launchOnTerminal(p *program, m meant, size sandbox.Window) error {
	ours, theirs, err := terminal(size)
	if err != nil {
		return fmt.Errorf("making a terminal: %w", err)
	}
	defer theirs.Close()
	pid, ended, err := ps.procs.reap.begin(m, syscall.SysProcAttr{Setctty: true}, theirs.Fd(), theirs.Fd(),
		theirs.Fd()) // of descriptor 0
	if err != nil {
		ours.Close()
		return &sandbox.FileError{Op: "start", Path: m.Program, Reason: err.Error()}
	}
	p.in, p.out, p.tty = ours, ours, true
	p.err = stream.NoStream()
	ps.watch(p, pid, ended)
	return nil
}

// terminal makes a pseudo-terminal and gives both its ends.
func terminal(size sandbox.Window) (ours, theirs *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	ours = os.NewFile(uintptr(fd), "terminal")
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: size.Rows, Col: size.Columns})
	}
	if err == nil {
		var other int
		if other, err = unix.Open(fmt.Sprintf("/dev/pts/%d", n), unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC,
			0); err == nil {
			return ours, os.NewFile(uintptr(other), "terminal"), nil
		}
	}
	ours.Close()
	return nil, nil, err
}

// resize changes the size of a program's terminal.
func (ps *programs) resize(_ uint64, a wire.ResizeArgs) (any, error) {
	p, err := ps.get(a.Program)
	if err != nil || !p.tty {
		return nil, &sandbox.FileError{Op: "resize", Path: "terminal", Reason: "the program has none"}
	}
	conn, err := p.out.SyscallConn()
	if err != nil {
		return nil, err
	}
	return nil, conn.Control(func(fd uintptr) {
		_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: a.Window.Rows, Col: a.Window.Columns})
	})
}
