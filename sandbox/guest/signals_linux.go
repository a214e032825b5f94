package guest

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// deaf makes the guest survive every signal that something inside sends. The
// kernel drops what PID 1 has no handler for, but the runtime has one for each,
// and ends on some: they are taken away. Not ignored, since commands would
// inherit that. So are those of faults: the runtime believes whoever queues one
// that it is the guest's own. A real fault still ends the guest.
func deaf() error {
	var none [4]uint64 // a struct sigaction: the default
	first := os.Getpid() == 1
	c := make(chan os.Signal, 1)
	for n := syscall.Signal(1); n <= 64; n++ {
		switch {
		case n == unix.SIGKILL || n == unix.SIGSTOP || n == unix.SIGCHLD || n == unix.SIGURG:
		case !first: // an engine has put a process of its own first
			signal.Notify(c, n)
		default:
			if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(n), uintptr(unsafe.Pointer(&none)), 0, 8,
				0, 0); errno != 0 {
				return fmt.Errorf("taking away the handler of signal %d: %w", n, errno)
			}
		}
	}
	return nil
}
