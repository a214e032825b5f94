package linux

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/plan"
	"cookoff/sandbox/wire"
)

// Stdio is standard input and output as one connection.
type Stdio struct{}

func (Stdio) Read(b []byte) (int, error) { return os.Stdin.Read(b) }

func (Stdio) Write(b []byte) (int, error) { return os.Stdout.Write(b) }

func (Stdio) Close() error { return errors.Join(os.Stdin.Close(), os.Stdout.Close()) }

// Inside does what is left to do in a world that another program has built:
// it gives up what that program has not taken away, and becomes the guest.
func Inside(over string) error {
	fd := plan.SocketFD
	if over == plan.OverStdio {
		fd = 0
	}
	var p setup
	if err := wire.ReadFrame(wire.ExactReader{FD: fd}, &p.Plan); err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	if p.Wire != "" && p.Wire != plan.Shapes() {
		return errors.New("the program in the container says other things than the one that started it\n" +
			"hint: build both from the same source")
	}
	giveUp, env := p.giveUp, []string{frugal}
	if p.OwnKernel {
		giveUp, env = rule, nil // which everybody inside can read there
	}
	if err := giveUp(); err != nil {
		return err
	}
	if err := seccomp(p.Super); err != nil {
		return err
	}
	self, err := unix.Open("/proc/self/exe", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening this program: %w", err)
	}
	if self != plan.BinaryFD {
		if err := unix.Dup3(self, plan.BinaryFD, unix.O_CLOEXEC); err != nil {
			return fmt.Errorf("opening this program: %w", err)
		}
	}
	return become(append(p.Loader, os.Args[0], plan.GuestName, over), env, nil)
}

// giveUp gives up what the guest and all that it starts need not have.
func (p setup) giveUp() error {
	if err := wire.OpenUppers(); err != nil {
		return err
	}
	if err := closeUppers(2); err != nil {
		return err
	}
	if err := p.handDown("/proc"); err != nil {
		return err
	}
	_, _ = unix.KeyctlJoinSessionKeyring("")
	for _, step := range []func() error{func() error { return limits(p.Limits, nil) }, promiseNoNewPrivs,
		func() error { return landlock(plan.Plan{}) }, noCapabilities} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// rule makes this process root of a kernel of its own, with the few rights that
// the guest needs to start processes as another user, and to end them. That
// kernel has no Landlock, and its limits are set by who started it.
func rule() error {
	if err := promiseNoNewPrivs(); err != nil {
		return err
	}
	if err := unix.Unmount("/sys", unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("taking /sys away: %w", err)
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if _, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0); errno != 0 &&
			errno != unix.EINVAL {
			return fmt.Errorf("dropping capabilities: %w", errno)
		}
	}
	const keep = 1<<unix.CAP_CHOWN | 1<<unix.CAP_KILL | 1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID |
		1<<unix.CAP_SYS_RESOURCE
	kept := [2]unix.CapUserData{{Effective: keep, Permitted: keep, Inheritable: keep}}
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &kept[0]); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	return nil
}

// noCapabilities makes sure that whoever built the world left none.
func noCapabilities() error {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return fmt.Errorf("looking at the capabilities: %w", err)
	}
	for line := range bytes.Lines(b) {
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		if bytes.HasPrefix(name, []byte("Cap")) && len(bytes.Trim(value, " \t0")) > 0 {
			return fmt.Errorf("the process still has capabilities: %s", line)
		}
	}
	if os.Getuid() == 0 {
		return errors.New("the process is root")
	}
	return nil
}
