package gvisor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/plan"
	"cookoff/sandbox/users"
	"cookoff/sandbox/wire"
)

// runscPlan is the first frame on its standard input.
type runscPlan struct {
	Path     string
	Args     []string
	Writable []string // all of the host that it may write to

	TestOnlyWritable bool `json:",omitempty"` // and everything else
}

// newRunscPlan has the runsc at path run the bundle in dir, with what it knows of its
// containers in state.
func newRunscPlan(path, dir, state string, p *plan.Plan) runscPlan {
	network := "none"
	if p.Network {
		network = "host"
	}
	r := runscPlan{Path: path, Args: []string{"--root", state, "--ignore-cgroups", "--network", network, "run",
		"--bundle", dir, filepath.Base(p.Dir)}, Writable: []string{state},
		TestOnlyWritable: p.TestOnlyOff.Has(plan.ReadOnlyBinds)}
	for _, t := range []plan.Tree{p.Work, p.Home} {
		if !t.ReadOnly {
			r.Writable = append(r.Writable, filepath.Join(p.Dir, t.Upper))
		}
	}
	return r
}

// BecomeRunsc is what the process does that Prepare readied. It makes everything of the
// host read-only but what is the world's
// own, and becomes runsc. It is PID 1 of its namespace, so that its end is that
// of all it started; and what it and its kernel can reach on the host is what
// two users can who own nothing but this world. That a mount is read-only must
// not be left to gVisor alone: it empties a file before it looks.
func BecomeRunsc() error {
	var p runscPlan
	if err := wire.ReadFrame(wire.ExactReader{FD: 0}, &p); err != nil {
		return fmt.Errorf("reading the plan of gVisor: %w", err)
	}
	if err := errors.Join(beRoot(), p.readOnly()); err != nil {
		return fmt.Errorf("preparing gVisor: %w", err)
	}
	if err := unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("closing descriptors: %w", err)
	}
	return fmt.Errorf("starting %s: %w", p.Path, unix.Exec(p.Path, append([]string{p.Path}, p.Args...), os.Environ()))
}

// beRoot becomes the user of the namespace that gVisor wants to be. Raw system
// calls, because only this thread counts: it is the one that execs.
func beRoot() error {
	for _, nr := range []uintptr{unix.SYS_SETRESGID, unix.SYS_SETRESUID} {
		if _, _, errno := unix.RawSyscall(nr, 0, 0, 0); errno != 0 {
			return fmt.Errorf("becoming the namespace's root: %w", errno)
		}
	}
	return nil
}

func (p runscPlan) readOnly() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w\n"+
			"hint: in a container, /proc must not be masked (docker: --security-opt systempaths=unconfined)", err)
	}
	for _, d := range p.Writable {
		if err := unix.Mount(d, d, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", filepath.Base(d), err)
		}
	}
	if p.TestOnlyWritable {
		return nil
	}
	ro := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &ro); err != nil {
		return fmt.Errorf("making the host read-only: %w", err)
	}
	for _, d := range append([]string{"/proc"}, p.Writable...) {
		if err := unix.MountSetattr(unix.AT_FDCWD, d, 0,
			&unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("making %s writable: %w", filepath.Base(d), err)
		}
	}
	return nil
}

// kernelUsers are the host's users that one gVisor runs as: root inside is one
// that owns nothing, and the agent is who owns the world.
type kernelUsers struct {
	root, rootGroup int
	agent, group    int
	mapped          bool // by newuidmap, once the process runs
}

// usersOf finds them. The one for root, which nobody else is, lies behind
// those of agents.
func usersOf(agent users.Agent) (kernelUsers, error) {
	u := kernelUsers{root: agent.UID + users.Count, rootGroup: agent.UID + users.Count, agent: agent.UID,
		group: agent.GID}
	if users.IsRoot() {
		return u, nil
	}
	u.mapped = true
	var err error
	if u.root, err = users.Subordinate("/etc/subuid"); err == nil {
		u.rootGroup, err = users.Subordinate("/etc/subgid")
	}
	if err != nil {
		return u, fmt.Errorf("gVisor needs a second user, which has nothing: %w\n"+
			"hint: apt install uidmap, and as root: usermod --add-subuids 100000-165535 --add-subgids "+
			"100000-165535 %s; "+
			"or take another backend (--sandbox native, bwrap or container)", err, users.Name())
	}
	return u, nil
}

// own makes the directory that runsc keeps its state in, which is its own
// as the file is.
func (u kernelUsers) own(dir, file string) error {
	if err := os.Mkdir(dir, 0o700); err != nil || u.mapped {
		return err
	}
	return errors.Join(os.Chown(dir, u.root, u.rootGroup), os.Chown(file, u.root, u.rootGroup))
}

// namespaces are those of the process that becomes runsc.
func (u kernelUsers) namespaces(p *plan.Plan) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC |
			unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		Pdeathsig: unix.SIGKILL, Setsid: true,
	}
	if !p.Network {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	if u.mapped { // it is root of its namespace, and has no number yet
		for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
			a.AmbientCaps = append(a.AmbientCaps, c)
		}
		return a
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: u.root, Size: 1},
		{ContainerID: plan.AgentID, HostID: u.agent, Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: u.rootGroup, Size: 1},
		{ContainerID: plan.AgentID, HostID: u.group, Size: 1}}
	a.GidMappingsEnableSetgroups = true
	a.Credential = &syscall.Credential{}
	return a
}

// mapUsers says who is who, where this process may not say so itself.
func (u kernelUsers) mapUsers(pid int) error {
	if !u.mapped {
		return nil
	}
	for _, m := range []struct {
		program     string
		root, agent int
	}{{"newuidmap", u.root, u.agent}, {"newgidmap", u.rootGroup, u.group}} {
		cmd := exec.Command(m.program, strconv.Itoa(pid), "0", strconv.Itoa(m.root), "1", strconv.Itoa(plan.AgentID),
			strconv.Itoa(m.agent), "1")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %s (%w)", m.program, wire.Clean(string(out)), err)
		}
	}
	return nil
}

// begin hands the process its plan.
func (p runscPlan) begin(conn io.Writer, u kernelUsers, pid int) error {
	if err := u.mapUsers(pid); err != nil {
		return err
	}
	return wire.WriteFrame(conn, p)
}
