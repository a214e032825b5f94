package linux

import (
	"fmt"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/wire"
)

// handDown gives the guest, at their places, the files that it could not open
// later: what decides whom the kernel ends first when memory is short, and what
// the control group of the world counts. A place that stays empty is closed.
func (p setup) handDown(proc string) error {
	for fd := wire.OOMScoreFD; fd < wire.EndFD; fd++ {
		unix.Close(fd)
	}
	if score, err := unix.Open(proc+"/self/oom_score_adj", unix.O_RDWR|unix.O_CLOEXEC, 0); err == nil {
		if err := unix.Dup3(score, wire.OOMScoreFD, 0); err != nil {
			return fmt.Errorf("opening oom_score_adj: %w", err)
		}
		unix.Close(score)
	}
	for i := range wire.ScopeFiles() {
		if p.Scope == 0 {
			break
		}
		if err := unix.Dup3(p.Scope+i, wire.FirstScope+i, 0); err != nil {
			return fmt.Errorf("handing down what the control group counts: %w", err)
		}
	}
	return nil
}
