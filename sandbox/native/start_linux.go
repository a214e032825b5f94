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
	"cookoff/sandbox/linux"
	"cookoff/sandbox/plan"
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

// namespaces builds worlds by itself, in namespaces of their own.
type namespaces struct{}

func (namespaces) facts() facts { return facts{layers: true, tmpfses: 1, patience: setUpTime} }

// start prepares the set-up in new namespaces.
func (namespaces) start(w *world, p *plan.Plan, layers []*os.File) (*started, error) {
	conn, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	s := &started{conn: conn, given: []*os.File{theirs}}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		closeAll(s.given)
		conn.Close()
		return nil, fmt.Errorf("opening this program: %w", err)
	}
	p.Quotas = linux.Quotas()
	s.given = append(append(s.given, self), w.show(p, layers)...)
	if counters := w.group.Counters(); len(counters) > 0 {
		p.Scope = plan.SocketFD + len(s.given)
		s.given = append(s.given, counters...)
	}
	if p.Super && isRoot() { // for whom the way there may be closed
		dir, err := opened(w.dir, 0)
		if err != nil {
			closeAll(s.given)
			conn.Close()
			return nil, err
		}
		p.DirFD = plan.SocketFD + len(s.given)
		s.given = append(s.given, dir)
	}
	s.cmd = &exec.Cmd{ // the set-up works on one thread only
		Path: "/proc/self/exe", Args: []string{plan.SetupName}, Env: []string{"GOMAXPROCS=1"}, Dir: "/",
		Stderr: w.errOut, ExtraFiles: s.given,
		SysProcAttr: w.namespaces(*p),
	}
	if p.TestOnlyOff.Has(plan.EmptyEnv) {
		s.cmd.Env = os.Environ()
	}
	return s, nil
}

// explain adds what a dying guest said.
func (namespaces) explain(err error, said string) error {
	if e, ok := errors.AsType[*startError](err); ok {
		return explainStart(e.err)
	}
	if said != "" && errors.Is(err, sandbox.ErrUnavailable) && !strings.Contains(err.Error(), said) {
		return fmt.Errorf("%w\n%s", err, wire.Printable(said))
	}
	return err
}

// namespaces says what is new for the process, and who it is.
func (w *world) namespaces(p plan.Plan) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		Pdeathsig:  unix.SIGKILL,
		Setsid:     true,
	}
	if !p.Network {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	if p.TestOnlyOff.Has(plan.OwnIPC) {
		a.Cloneflags &^= unix.CLONE_NEWIPC
	}
	if p.Super {
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: w.uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: w.gid(), Size: 1}}
		if isRoot() { // nobody of the host's is in there: the set-up, too, is the world's root
			a.GidMappingsEnableSetgroups = true
			a.Credential = &syscall.Credential{}
		}
		return a
	}
	if p.Switch {
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1},
			{ContainerID: plan.AgentID, HostID: w.uid, Size: 1}}
		a.GidMappings = a.UidMappings
		a.GidMappingsEnableSetgroups = true
		return a
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: plan.AgentID, HostID: os.Getuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: plan.AgentID, HostID: os.Getgid(), Size: 1}}
	a.AmbientCaps = []uintptr{
		unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER, unix.CAP_SETPCAP, unix.CAP_SETUID,
		unix.CAP_SETGID,
		unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_SYS_RESOURCE, unix.CAP_NET_ADMIN, unix.CAP_MKNOD,
	}
	return a
}

// explainStart says what to do where the kernel forbids the namespaces.
func explainStart(err error) error {
	hint := ""
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSPC) || errors.Is(err,
		unix.EUSERS) {
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

// apart are the directories in a world's own root that are no part of it.
func apart(p plan.Plan) []string { return linux.Apart(p) }

// newNative makes the backend that needs no other program.
func newNative(o Options) *backend { return &backend{opt: o, builder: namespaces{}} }

// byName makes one of the backends that need this machine's own kernel.
func byName(name string, o Options) sandbox.Backend {
	switch name {
	case Bwrap:
		return newBwrap(o)
	case GVisor:
		return newGVisor(o)
	}
	return newNative(o)
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
