// Package linux builds a world out of a plan, in Linux namespaces of its own, and
// gives up every privilege before the guest starts.
package linux

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/plan"
	"cookoff/sandbox/wire"
)

// newRoot is where the world is put together: a place that every host has and
// that the set-up has no other use for.
const newRoot = "/proc"

// setup is what the set-up does with its plan.
type setup struct{ plan.Plan }

// SetUp builds the world, gives up all privileges, and becomes the guest. It
// runs on one locked thread, whose credentials exec hands to the guest.
func SetUp() error {
	var p setup
	if err := wire.ReadFrame(wire.ExactReader{FD: plan.SocketFD}, &p.Plan); err != nil {
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
	if p.Keep > 0 {
		queues()
	}
	if err := p.closeProc(); err != nil {
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
	if err := restrict(p.Plan); err != nil {
		return err
	}
	if p.onRoot() && len(p.Loader) > 0 {
		return p.load()
	}
	return become([]string{plan.GuestName}, []string{frugal}, p.TestOnlyOff)
}

// load becomes the guest by its loader, where the world's root may have none.
func (p setup) load() error {
	loader, err := unix.Open(p.Loader[0], unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.Dup3(loader, plan.BinaryFD, unix.O_CLOEXEC)
	}
	if err != nil {
		return fmt.Errorf("opening the loader: %w", err)
	}
	return become(append(p.Loader, plan.GuestDir+"/guest", plan.GuestName, plan.OverSocket), []string{frugal},
		p.TestOnlyOff)
}

// frugal is the environment of a guest. It collects garbage no earlier than
// others: that took more of the processor than it kept of memory, which a guest
// gives back when it waits.
const frugal = "GOGC=100"

// become replaces this process by the guest, which has these arguments and this
// environment.
func become(args, env []string, off plan.Without) error {
	// Whatever whoever started cookoff left open stays behind.
	ranges := [][2]uint{{plan.BinaryFD, wire.FirstUpper - 1}, {wire.EndFD, 1<<31 - 1}}
	if off.Has(plan.ClosedFiles) {
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
	if off.Has(plan.EmptyEnv) {
		env = os.Environ()
	}
	envv, err := syscall.SlicePtrFromStrings(env)
	if err != nil {
		return err
	}
	_, _, errno := unix.Syscall6(unix.SYS_EXECVEAT, plan.BinaryFD, uintptr(unsafe.Pointer(empty)),
		uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&envv[0])), unix.AT_EMPTY_PATH, 0)
	if errno == unix.EACCES {
		return errors.New("starting the guest: permission denied\n" +
			"hint: the cookoff binary must be executable for all users: chmod a+rx it")
	}
	return fmt.Errorf("starting the guest: %w", errno)
}

// uppers hands the directories that take the writes down to the guest, which
// measures them: as read-only mounts of their own, out of which no ".." leads.
func (p setup) uppers() error {
	dirs := []string{p.Work.Upper, p.Home.Upper}
	if p.Whole != nil {
		dirs = append(dirs, plan.ElseDir)
	} else if p.Rest != nil {
		dirs = append(dirs, p.Rest.Upper)
	}
	for i, dir := range dirs {
		fd, err := unix.OpenTree(unix.AT_FDCWD, dir, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if err == nil {
			err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH,
				&unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID})
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
