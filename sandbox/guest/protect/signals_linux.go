package protect

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fromSignals makes the guest survive every signal that something inside sends. The runtime has a handler for each, and
// ends on some: they are taken away. So are those of faults: the runtime believes whoever queues one that it is the
// guest's own. A real fault still ends the guest.
//
// What they had is ignored rather than left to the default, although the kernel drops what PID 1 has no handler for: it
// looks for that only where the thread that is named does not block the signal, which the runtime's own monitor does, and
// then ends all of them. A command inherits none of it: the runtime takes back in each child what it had a handler for.
func fromSignals() error {
	first := os.Getpid() == 1
	c := make(chan os.Signal, 1)
	for n := syscall.Signal(1); n <= 64; n++ {
		switch {
		case n == unix.SIGKILL || n == unix.SIGSTOP || n == unix.SIGCHLD || n == unix.SIGURG:
		case !first: // an engine has put a process of its own first
			signal.Notify(c, n)
		default:
			if err := ignore(n, c); err != nil {
				return fmt.Errorf("taking away the handler of signal %d: %w", n, err)
			}
		}
	}
	return nil
}

// sigaction is the kernel's: a handler (the default or ignored where it is none), flags, what gives back, a mask.
type sigaction [4]uint64

const (
	byDefault = 0
	ignored   = 1
)

// The runtime blocks neither these, those of libraries of threads, in its monitor nor gives their default back in a child.
const (
	firstOfThreads = 32
	lastOfThreads  = 34
)

// ignore ignores a signal that the runtime handles, and leaves to the default what stops a process or is dropped by
// that. Whoever started the sandbox may ignore some, as nohup does. c is a channel that nobody reads.
func ignore(n syscall.Signal, c chan os.Signal) error {
	was, no := sigaction{}, sigaction{ignored}
	if err := action(n, nil, &was); err != nil {
		return err
	}
	if n >= firstOfThreads && n <= lastOfThreads {
		return outlast(n, was)
	}
	switch was[0] {
	case byDefault:
		return nil
	case ignored:
		signal.Notify(c, n) // the runtime handles it from here on
	}
	return action(n, &no, nil)
}

// outlast gives a signal of libraries of threads a handler, if it has none; a program that is started loses that.
func outlast(n syscall.Signal, was sigaction) error {
	if was[0] != byDefault && was[0] != ignored {
		return nil
	}
	handled := sigaction{}
	if err := action(unix.SIGCHLD, nil, &handled); err != nil {
		return err
	}
	handled[0] = nothingAt() // on the runtime's stack for signals, with what it gives back
	return action(n, &handled, nil)
}

// action sets what is done on a signal, or gives what was; nil: not that.
func action(n syscall.Signal, to, was *sigaction) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(n), uintptr(unsafe.Pointer(to)),
		uintptr(unsafe.Pointer(was)), 8, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
