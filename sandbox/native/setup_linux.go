package native

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/guest"
	"cookoff/sandbox/wire"
)

// Descriptors that a process started under setupName finds open.
const (
	socketFD = 3
	binaryFD = 4
	layerFD  = 5 // and up
)

// newRoot is where the world is put together: a place that every host has and
// that the set-up has no other use for.
const newRoot = "/proc"

// agentID is the user and group inside.
const agentID = 1000

// A process that was started as a part of a sandbox does its part here and
// never gets to main: what the rest of the program has to initialise would be
// paid for twice a sandbox, and costs more than the sandbox itself. It ends by
// the bare system call: os.Exit waits a second in a program built to find races.
func init() {
	switch os.Args[0] {
	case setupName:
		runtime.LockOSThread()
		err := setUp()
		_ = wire.WriteFrame(os.NewFile(socketFD, "host"), wire.Reply{Err: err.Error()})
		syscall.Exit(1)
	case guestName:
		beGuest(overSocket)
	case runscName:
		runtime.LockOSThread()
		fmt.Fprintln(os.Stderr, startRunsc())
		syscall.Exit(1)
	case idmapName:
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the host has what it needs
		syscall.Exit(0)
	}
	if len(os.Args) != 3 {
		return
	}
	switch over := os.Args[2]; os.Args[1] {
	case insideName:
		runtime.LockOSThread()
		fmt.Fprintln(os.Stderr, inside(over))
		syscall.Exit(1)
	case guestName:
		beGuest(over)
	case helperName:
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

// setUp builds the world, gives up all privileges, and becomes the guest. It
// runs on one locked thread, whose credentials exec hands to the guest.
func setUp() error {
	var p plan
	if err := wire.ReadFrame(exactReader{socketFD}, &p); err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	syscall.Umask(0o022) // what is made here is for everybody inside, whatever the user's files are
	if err := p.build(); err != nil {
		return err
	}
	if err := p.uppers(); err != nil {
		return err
	}
	if err := p.handDown(newRoot + "/proc"); err != nil {
		return err
	}
	// The namespace that a process is born with shows the control group of
	// its parent.
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("making a control group namespace: %w", err)
	}
	if err := enter(); err != nil {
		return err
	}
	if err := restrict(p); err != nil {
		return err
	}
	return become([]string{guestName}, []string{frugal}, p.TestOnlyOff)
}

// exactReader reads from the socket without taking more than is asked for:
// the next frame is the guest's.
type exactReader struct{ fd int }

func (r exactReader) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(r.fd, b)
		if err == unix.EINTR {
			continue
		}
		if n == 0 && err == nil {
			err = errors.New("the host is gone")
		}
		return max(0, n), err
	}
}

// frugal is the environment of a guest. It collects garbage no earlier than
// others: that took more of the processor than it kept of memory, which a guest
// gives back when it waits.
const frugal = "GOGC=100"

// become replaces this process by the guest, which has these arguments and this
// environment.
func become(args, env []string, off without) error {
	// Whatever whoever started cookoff left open stays behind.
	ranges := [][2]uint{{binaryFD, wire.FirstUpper - 1}, {wire.EndFD, 1<<31 - 1}}
	if off.has(closedFiles) {
		ranges = nil
	}
	for _, r := range ranges {
		if err := unix.CloseRange(r[0], r[1], unix.CLOSE_RANGE_CLOEXEC); err != nil {
			return fmt.Errorf("closing descriptors: %w", err)
		}
	}
	empty, _ := unix.BytePtrFromString("")
	var argv []*byte
	for _, a := range args {
		p, err := unix.BytePtrFromString(a)
		if err != nil {
			return err
		}
		argv = append(argv, p)
	}
	argv = append(argv, nil)
	if off.has(emptyEnv) {
		env = os.Environ()
	}
	envv, err := syscall.SlicePtrFromStrings(env)
	if err != nil {
		return err
	}
	_, _, errno := unix.Syscall6(unix.SYS_EXECVEAT, binaryFD, uintptr(unsafe.Pointer(empty)),
		uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&envv[0])), unix.AT_EMPTY_PATH, 0)
	if errno == unix.EACCES {
		return errors.New("starting the guest: permission denied\nhint: the cookoff binary must be executable for all users: chmod a+rx it")
	}
	return fmt.Errorf("starting the guest: %w", errno)
}

// uppers hands the directories that take the writes down to the guest, which
// measures them: as read-only mounts of their own, out of which no ".." leads.
func (p plan) uppers() error {
	dirs := []string{p.Work.Upper, p.Home.Upper}
	if p.Whole != nil {
		dirs = append(dirs, elseDir)
	}
	for i, dir := range dirs {
		fd, err := unix.OpenTree(unix.AT_FDCWD, dir, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if err == nil {
			err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID})
		}
		if err == nil {
			err = unix.Dup3(fd, wire.FirstUpper+i, 0)
		}
		if err != nil {
			return fmt.Errorf("opening what is written: %w", err)
		}
		unix.Close(fd)
	}
	return closeUppers(len(dirs))
}

// closeUppers closes what may be open where the guest looks for directories of
// which there are only n.
func closeUppers(n int) error {
	if n == wire.Uppers {
		return nil
	}
	if err := unix.CloseRange(uint(wire.FirstUpper+n), wire.FirstUpper+wire.Uppers-1, 0); err != nil {
		return fmt.Errorf("closing descriptors: %w", err)
	}
	return nil
}

// enter makes r the root and lets go of the host's tree.
func enter() error {
	old, err := unix.Open("/", unix.O_DIRECTORY|unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(old)
	if err := os.Chdir(newRoot); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("entering the new root: %w", err)
	}
	if err := unix.Fchdir(old); err != nil {
		return err
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("letting go of the old root: %w", err)
	}
	return os.Chdir("/")
}
