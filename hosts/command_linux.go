package hosts

import (
	"runtime"
	"sync"
	"syscall"
)

// apart has a command end with this process, in a session of its own: an interrupt
// from a terminal is this process's alone.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// starter runs what starts processes, on a thread that never ends: the kernel takes
// the end of that for the end of the parent.
var starter = sync.OnceValue(func() chan func() {
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range calls {
			f()
		}
	}()
	return calls
})

func started(start func() error) error {
	done := make(chan error, 1)
	starter() <- func() { done <- start() }
	return <-done
}

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
