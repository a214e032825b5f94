package native

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"cookoff/sandbox/guest"
	"cookoff/sandbox/gvisor"
	"cookoff/sandbox/linux"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/wire"
)

// A process that was started as a part of a sandbox does its part here and
// never gets to main: what the rest of the program has to initialise would be
// paid for twice a sandbox, and costs more than the sandbox itself. It ends by
// the bare system call: os.Exit waits a second in a program built to find races.
func init() {
	switch os.Args[0] {
	case plan.SetupName:
		runtime.LockOSThread()
		err := linux.SetUp()
		_ = wire.WriteFrame(os.NewFile(plan.SocketFD, "host"), wire.Failed(err, true))
		syscall.Exit(1)
	case plan.GuestName:
		beGuest(plan.OverSocket)
	case plan.RunscName:
		runtime.LockOSThread()
		fmt.Fprintln(os.Stderr, gvisor.BecomeRunsc())
		syscall.Exit(1)
	case trees.AsRootName:
		trees.RunErrand()
		syscall.Exit(0)
	case plan.IdmapName:
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the host has what it needs
		syscall.Exit(0)
	}
	if len(os.Args) != 3 {
		return
	}
	switch over := os.Args[2]; os.Args[1] {
	case plan.InsideName:
		runtime.LockOSThread()
		fmt.Fprintln(os.Stderr, linux.Inside(over))
		syscall.Exit(1)
	case plan.GuestName:
		beGuest(over)
	case plan.HelperName:
		go func() {
			agent, _ := strconv.Atoi(over)
			fmt.Fprintln(os.Stderr, guest.ServeFiles(agent))
			syscall.Exit(1)
		}()
		select {}
	}
}

// beGuest never returns.
func beGuest(over string) {
	go func() { // the first goroutine may be bound to the first thread
		fmt.Fprintln(os.Stderr, serve(over))
		syscall.Exit(1)
	}()
	select {}
}

// serve speaks with the host until it is gone.
func serve(over string) error {
	if over == plan.OverStdio {
		return guest.Serve(linux.Stdio{})
	}
	c, err := wire.Connection(plan.SocketFD)
	if err != nil {
		return err
	}
	return guest.Serve(c)
}
