// Package protect keeps the guest alive among what it starts, mostly as the same user: no signal that is sent inside
// ends it, no process changes its limits or priority, and another is ended first where memory is short.
package protect

import (
	"fmt"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/wire"
)

// Guest keeps the memory, descriptors and life of this process out of reach of the processes that it starts.
func Guest() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming non-dumpable: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("tying to the host's life: %w", err)
	}
	for fd := wire.FirstUpper; fd < wire.EndFD; fd++ {
		unix.CloseOnExec(fd)
	}
	return fromSignals()
}
