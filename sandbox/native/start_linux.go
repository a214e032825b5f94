package native

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// socketPair is a connection, and the other end of it for a process.
func socketPair() (io.ReadWriteCloser, *os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("making a socket: %w", err)
	}
	ours, err := wire.Connection(pair[0])
	if err != nil {
		unix.Close(pair[1])
		return nil, nil, err
	}
	return ours, os.NewFile(uintptr(pair[1]), "guest"), nil
}

// startNative runs the set-up in new namespaces.
func (w *world) startNative(layers []*os.File, p *plan) (io.ReadWriteCloser, error) {
	conn, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("opening this program: %w", err)
	}
	defer self.Close()
	p.Quotas = quotas()
	given := append([]*os.File{theirs, self}, layers...)
	counters := w.group.counters()
	defer closeAll(counters)
	if len(counters) > 0 {
		p.Scope = socketFD + len(given)
	}
	cmd := &exec.Cmd{ // the set-up works on one thread only
		Path: "/proc/self/exe", Args: []string{setupName}, Env: []string{"GOMAXPROCS=1"}, Dir: "/",
		Stderr: w.errOut, ExtraFiles: append(given, counters...),
		SysProcAttr: w.namespaces(*p),
	}
	if p.TestOnlyOff.has(emptyEnv) {
		cmd.Env = os.Environ()
	}
	if err := w.run(cmd); err != nil {
		conn.Close()
		return nil, explainStart(err)
	}
	return conn, nil
}

// namespaces says what is new for the process, and who it is.
func (w *world) namespaces(p plan) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		Pdeathsig:  unix.SIGKILL,
		Setsid:     true,
	}
	if !p.Network {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	if p.TestOnlyOff.has(ownIPC) {
		a.Cloneflags &^= unix.CLONE_NEWIPC
	}
	if p.Switch {
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: agentID, HostID: w.uid, Size: 1}}
		a.GidMappings = a.UidMappings
		a.GidMappingsEnableSetgroups = true
		return a
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: agentID, HostID: os.Getuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: agentID, HostID: os.Getgid(), Size: 1}}
	a.AmbientCaps = []uintptr{
		unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER, unix.CAP_SETPCAP, unix.CAP_SETUID, unix.CAP_SETGID,
		unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_SYS_RESOURCE, unix.CAP_NET_ADMIN, unix.CAP_MKNOD,
	}
	return a
}

// explainStart says what to do where the kernel forbids the namespaces.
func explainStart(err error) error {
	hint := ""
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EUSERS) {
		err = fmt.Errorf("%w: %w", errForbidden, err)
	}
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		hint = "\nhint: user namespaces are forbidden here: sysctl kernel.unprivileged_userns_clone=1, and on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile for cookoff; in a container, allow unshare (docker: --security-opt seccomp=unconfined)"
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		hint = "\nhint: no more user namespaces allowed: sysctl user.max_user_namespaces=15000"
	}
	if hint == "" {
		return fmt.Errorf("making namespaces: %w", err)
	}
	return fmt.Errorf("%w%s", err, hint)
}

// childAttr is for a program that builds worlds: it dies with this process, in
// a session of its own.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL, Setsid: true}
}

// byName makes one of the backends that need this machine's own kernel.
func byName(name string, o Options) sandbox.Backend {
	switch name {
	case Bwrap:
		return newBwrap(o)
	case GVisor:
		return newGVisor(o)
	}
	return &backend{opt: o}
}

// hardLimit gives n, or what this process may give at most.
func hardLimit(what int, n uint64) uint64 {
	var had unix.Rlimit
	if unix.Getrlimit(what, &had) == nil {
		n = min(n, had.Max)
	}
	return n
}

// socketBuffer is how much a socket may hold of what was sent by it, in bytes:
// the kernel doubles what is asked for.
func socketBuffer() int64 {
	const usual = 212992
	b, err := os.ReadFile("/proc/sys/net/core/wmem_max")
	if err != nil {
		return 2 * usual
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return 2 * max(n, usual)
}

// baseDir is where the files of sandboxes are.
func baseDir() (string, error) {
	return filepath.Join(os.TempDir(), "cookoff-"+strconv.Itoa(os.Getuid())), nil
}

// What to do where there is no container program, or none answers.
const (
	howToInstall = "install podman (apt install podman, dnf install podman) or docker"
	howToStart   = "does its service run?"
)
