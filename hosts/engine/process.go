package engine

import (
	"os"
	"syscall"
)

// apart has a program be in a session of its own: an interrupt from a terminal is not
// its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// terminate asks a program to end. salloc gives back what it waits for, or has.
func terminate(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }
