package native

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/launch"
	"cookoff/sandbox/layers"
	"cookoff/sandbox/linux"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/users"
	"cookoff/sandbox/wire"
)

// namespaces builds worlds by itself, in namespaces of their own.
type namespaces struct{ owners *layers.Owners }

// newNative makes the backend that needs no other program.
func newNative(o Options) *backend {
	return newBackend(o, func(b *backend) launch.Builder { return namespaces{b.store.Owners} })
}

func (namespaces) Facts() launch.Facts {
	return launch.Facts{Layers: true, Tmpfses: 1, Patience: launch.SetUpTime, Keeps: true}
}

// Prepare readies the set-up in new namespaces.
func (n namespaces) Prepare(o launch.Order) (*launch.Prepared, error) {
	p := o.Plan
	conn, theirs, err := launch.SocketPair()
	if err != nil {
		return nil, err
	}
	made := &launch.Prepared{Conn: conn, Given: []*os.File{theirs}}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		made.Discard()
		return nil, fmt.Errorf("opening this program: %w", err)
	}
	p.Quotas = linux.Quotas()
	made.Given = append(append(made.Given, self), n.show(o)...)
	if counters := o.Group.Counters(); len(counters) > 0 {
		p.Scope = plan.SocketFD + len(made.Given)
		made.Given = append(made.Given, counters...)
	}
	if p.Super && users.IsRoot() { // for whom the way there may be closed
		dir, err := layers.OpenMount(p.Dir, 0)
		if err != nil {
			made.Discard()
			return nil, err
		}
		p.DirFD = plan.SocketFD + len(made.Given)
		made.Given = append(made.Given, dir)
	}
	if o.Keep {
		if err := keep(o, made); err != nil {
			made.Discard()
			return nil, err
		}
	}
	attr, err := attributes(p, o.Agent)
	if err != nil {
		made.Discard()
		return nil, err
	}
	made.Cmd = &exec.Cmd{ // the set-up works on one thread only
		Path: "/proc/self/exe", Args: []string{plan.SetupName}, Env: []string{"GOMAXPROCS=1"}, Dir: "/",
		Stderr: o.Stderr, ExtraFiles: made.Given,
		SysProcAttr: attr,
	}
	if p.Several {
		made.Running = func() (func(), error) { return nil, mapUsers(made.Cmd.Process.Pid) }
	}
	if p.TestOnlyOff.Has(plan.EmptyEnv) {
		made.Cmd.Env = os.Environ()
	}
	return made, nil
}

// Explain adds what a dying guest said.
func (namespaces) Explain(err error, said string) error {
	if e, ok := errors.AsType[*launch.StartError](err); ok {
		return users.ExplainNamespaces(e.Err)
	}
	if said != "" && errors.Is(err, sandbox.ErrUnavailable) && !strings.Contains(err.Error(), said) {
		return fmt.Errorf("%w\n%s", err, wire.Printable(said))
	}
	return err
}

// show opens, for root, what is mounted read-only: the set-up, which is no
// longer root of the host, may not reach it. What the caller wants to show is
// shown as the agent's own where the file system can say so, since only the
// caller may be allowed to read it. What is open already stands before it.
func (n namespaces) show(o launch.Order) []*os.File {
	open, p := o.Mounts, o.Plan
	if !users.IsRoot() {
		return open
	}
	for i := range p.Mounts {
		m := &p.Mounts[i]
		var st unix.Stat_t
		if unix.Stat(m.Path, &st) != nil {
			continue // the set-up says it
		}
		var f *os.File
		if m.Own && int(st.Uid) != o.Agent.UID {
			f, _ = n.owners.Open(m.Path, int(st.Uid), o.Agent.UID)
		}
		if f == nil {
			var err error
			if f, err = layers.OpenMount(m.Path, unix.AT_RECURSIVE); err != nil {
				continue
			}
		}
		m.FD, m.Dir = plan.LayerFD+len(open), st.Mode&unix.S_IFMT == unix.S_IFDIR
		open = append(open, f)
	}
	return open
}

// mapUsers gives the world of a process the users that it may have. It waits for its plan.
func mapUsers(pid int) error {
	span, err := users.Spanned()
	if err != nil {
		return err
	}
	return span.Map(pid)
}

// several are the attributes of a world with several users.
func several(a *syscall.SysProcAttr) error {
	span, err := users.Spanned()
	if err != nil {
		return err
	}
	if span.Mapped { // as nobody, until it is
		a.AmbientCaps = append(setUpRights(), unix.CAP_FSETID, unix.CAP_NET_BIND_SERVICE, unix.CAP_KILL)
		return nil
	}
	a.UidMappings, a.GidMappings = span.Mappings()
	a.GidMappingsEnableSetgroups = true
	a.Credential = &syscall.Credential{}
	return nil
}

// attributes say what is new for the process, and who it is.
func attributes(p *plan.Plan, agent users.Agent) (*syscall.SysProcAttr, error) {
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
	if p.Several {
		return a, several(a)
	}
	if p.Super {
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: agent.UID, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: agent.GID, Size: 1}}
		if users.IsRoot() { // nobody of the host's is in there: the set-up, too, is the world's root
			a.GidMappingsEnableSetgroups = true
			a.Credential = &syscall.Credential{}
		}
		return a, nil
	}
	if p.Switch {
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1},
			{ContainerID: plan.AgentID, HostID: agent.UID, Size: 1}}
		a.GidMappings = a.UidMappings
		a.GidMappingsEnableSetgroups = true
		return a, nil
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: plan.AgentID, HostID: os.Getuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: plan.AgentID, HostID: os.Getgid(), Size: 1}}
	a.AmbientCaps = setUpRights()
	return a, nil
}

// setUpRights are what the set-up needs where it is no root.
func setUpRights() []uintptr {
	return []uintptr{
		unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER, unix.CAP_SETPCAP,
		unix.CAP_SETUID, unix.CAP_SETGID,
		unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_SYS_RESOURCE, unix.CAP_NET_ADMIN, unix.CAP_MKNOD,
	}
}
