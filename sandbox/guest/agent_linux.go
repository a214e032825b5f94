package guest

import (
	"fmt"
	"io"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/guest/protect"
	"cookoff/sandbox/wire"
)

// part divides the guest from what it starts: commands come from a thread that
// has less than the guest, and where the guest is another user than the agent,
// files are served by a helper.
func (s *server) part() (err error) {
	if s.reap.agent, err = newAgentThread(s.cfg); err != nil || len(s.cfg.Helper) == 0 {
		return err
	}
	s.helper = &helper{start: func() (int, io.ReadWriteCloser, <-chan syscall.WaitStatus, error) {
		return s.reap.startHelper(s.cfg.Helper)
	}}
	s.calls.procs.helper, s.calls.shell.helper = s.helper, s.helper
	return nil
}

// agentThread starts the agent's commands. What they are born with is the
// thread's: system calls that reach the guest are refused to them, and no
// capability can come to them by a program that is root's.
type agentThread struct {
	id   int // user and group of the agent; 0: those of the guest
	work chan func()
}

func newAgentThread(c wire.Config) (*agentThread, error) {
	a := &agentThread{c.Agent, make(chan func())}
	ready := make(chan error)
	go func() {
		runtime.LockOSThread() // and never given back
		ready <- giveUpReach(c)
		for f := range a.work {
			f()
		}
	}()
	if err := <-ready; err != nil {
		return nil, fmt.Errorf("making a thread for the agent's commands: %w", err)
	}
	return a, nil
}

// giveUpReach takes away from this thread what the agent must not have.
func giveUpReach(c wire.Config) error {
	if len(c.Helper) > 0 {
		head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var caps [2]unix.CapUserData
		err := unix.Capget(&head, &caps[0])
		if err == nil {
			caps[0].Inheritable, caps[1].Inheritable = 0, 0
			err = unix.Capset(&head, &caps[0])
		}
		if err != nil {
			return err
		}
	}
	if c.TestOnlyReach {
		return nil
	}
	return protect.FromChildren(c.Watched)
}

// forkExec starts a program. Where the agent is another user, its files become
// the agent's, so that it may open them again by their names in /proc.
func (a *agentThread) forkExec(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	if a.id != 0 {
		for _, fd := range attr.Files {
			if err := a.own(int(fd)); err != nil {
				return 0, err
			}
		}
		sys := *attr.Sys
		sys.Credential = &syscall.Credential{Uid: uint32(a.id), Gid: uint32(a.id)}
		attr = &syscall.ProcAttr{Dir: attr.Dir, Env: attr.Env, Files: attr.Files, Sys: &sys}
	}
	done := make(chan struct{})
	a.work <- func() {
		pid, err = syscall.ForkExec(path, argv, attr)
		close(done)
	}
	<-done
	return pid, err
}

// own gives a pipe, a terminal or an unnamed file to the agent.
func (a *agentThread) own(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFCHR && unix.Major(st.Rdev) == 1 { // /dev/null is everybody's
		return nil
	}
	if err := unix.Fchown(fd, a.id, a.id); err != nil {
		return fmt.Errorf("giving a command its files: %w", err)
	}
	return nil
}
