package native

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/guest"
)

// stdio is standard input and output as one connection.
type stdio struct{}

func (stdio) Read(b []byte) (int, error) { return os.Stdin.Read(b) }

func (stdio) Write(b []byte) (int, error) { return os.Stdout.Write(b) }

func (stdio) Close() error { return errors.Join(os.Stdin.Close(), os.Stdout.Close()) }

// inside does what is left to do in a world that another program has built:
// it gives up what that program has not taken away, and becomes the guest.
func inside(over string) error {
	fd := socketFD
	if over == overStdio {
		fd = 0
	}
	var p plan
	if err := guest.ReadFrame(exactReader{fd}, &p); err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	for i, dir := range []string{sandbox.WorkDir, sandbox.HomeDir} {
		at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err == nil {
			err = unix.Dup3(at, guest.FirstUpper+i, 0)
		}
		if err != nil {
			return fmt.Errorf("opening %s: %w", dir, err)
		}
	}
	if err := closeUppers(2); err != nil && !p.OwnKernel {
		return err
	}
	_, _ = unix.KeyctlJoinSessionKeyring("")
	if err := limits(p.Limits); err != nil && !p.OwnKernel {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := landlock(nil); err != nil && !p.OwnKernel {
		return err
	}
	if err := noCapabilities(); err != nil {
		return err
	}
	if err := seccomp(); err != nil {
		return err
	}
	self, err := unix.Open("/proc/self/exe", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening this program: %w", err)
	}
	if self != binaryFD {
		if err := unix.Dup3(self, binaryFD, unix.O_CLOEXEC); err != nil {
			return fmt.Errorf("opening this program: %w", err)
		}
	}
	return become(append(p.Loader, os.Args[0], guestName, over), nil)
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

// serve speaks with the host until it is gone.
func serve(over string) error {
	if over == overStdio {
		return guest.Serve(stdio{})
	}
	f := os.NewFile(socketFD, "host")
	c, err := net.FileConn(f)
	if err != nil {
		return fmt.Errorf("taking the socket: %w", err)
	}
	f.Close()
	return guest.Serve(c)
}
