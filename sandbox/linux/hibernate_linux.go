package linux

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/plan"
	"cookoff/sandbox/wire"
)

// lastPID is where the kernel takes the number before that of the next process.
const lastPID = "/proc/sys/kernel/ns_last_pid"

// memory mounts what the world has in memory, as it was left if there was a guest before,
// and gives the host a mount of it, which outlives this one.
func (p setup) memory(at string) error {
	var err error
	if p.Scratch > 0 {
		if err = os.MkdirAll(at, 0o755); err == nil {
			err = attach(plan.Layer{FD: p.Scratch}, at)
		}
	} else {
		err = mountTmpfs(at, fmt.Sprintf("mode=1777,size=%d,nr_inodes=%d", p.Limits.Tmp, p.Limits.Files))
	}
	if err != nil || p.Keep == 0 {
		return err
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, at, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err == nil {
		err = unix.Sendmsg(p.Keep, []byte{0}, unix.UnixRights(tree), nil, 0)
		unix.Close(tree)
	}
	if err != nil {
		return fmt.Errorf("keeping what is in memory: %w", err)
	}
	return unix.Close(p.Keep)
}

// queues hands down a directory that lists the POSIX message queues of the world, which
// live without a process and are seen nowhere else. Where there is none, the guest stays.
func queues() {
	fs, err := unix.Fsopen("mqueue", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return
	}
	defer unix.Close(fs)
	if unix.FsconfigCreate(fs) != nil {
		return
	}
	mount, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_RDONLY)
	if err != nil {
		return
	}
	defer unix.Close(mount)
	dir, err := unix.Openat(mount, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_ = unix.Dup3(dir, wire.QueuesFD, 0)
	unix.Close(dir)
}
