package layers

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/plan"
	"cookoff/sandbox/users"
)

// OpenMount opens a mount of a place, which needs no way there any more.
func OpenMount(path string, more uint) (*os.File, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|more)
	if err != nil {
		return nil, fmt.Errorf("opening a layer: %w", err)
	}
	return os.NewFile(uintptr(fd), "mount"), nil
}

// Open opens a mount of dir, read-only, on which what is from's is to's.
func (o *Owners) Open(dir string, from, to int) (*os.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	ns, err := o.namespace(change{from, to}, newNamespace)
	if err != nil {
		return nil, err
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, dir, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("opening a layer: %w", err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP | unix.MOUNT_ATTR_RDONLY, Userns_fd: uint64(ns.Fd())}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("%w: %w", errOwners, err)
	}
	return os.NewFile(uintptr(fd), "layer"), nil
}

// newNamespace makes a user namespace that says m.
func newNamespace(m change) (*os.File, error) {
	ids := []syscall.SysProcIDMap{{ContainerID: m.from, HostID: m.to, Size: 1}}
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{plan.IdmapName}, Env: []string{}, Dir: "/",
		SysProcAttr: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids,
			Pdeathsig: unix.SIGKILL},
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, users.ExplainNamespaces(err)
	}
	f, err := os.Open(fmt.Sprintf("/proc/%d/ns/user", cmd.Process.Pid))
	in.Close()
	_ = cmd.Wait()
	if err != nil {
		return nil, fmt.Errorf("mapping users: %w", err)
	}
	return f, nil
}
