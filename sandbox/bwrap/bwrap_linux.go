// Package bwrap has bubblewrap build worlds, for machines where that program may make
// user namespaces and others may not. Project and home are copies.
package bwrap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/launch"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/users"
	"cookoff/sandbox/wire"
)

// Builder starts guests by bubblewrap.
type Builder struct{}

// tmpfsCount is how many directories in memory a world has: bubblewrap can't
// have several share one.
const tmpfsCount = 4

// argsFD and infoFD are where bubblewrap finds its arguments and leaves the
// number of the process that it started; files for /etc follow.
const (
	argsFD = 5
	infoFD = 6
	dataFD = 7
)

// Facts of worlds that bubblewrap builds.
func (Builder) Facts() launch.Facts {
	return launch.Facts{Tmpfses: tmpfsCount, Patience: launch.EngineTime}
}

// Prepare readies bubblewrap.
func (Builder) Prepare(o launch.Order) (*launch.Prepared, error) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("bubblewrap is not installed\n" +
			"hint: install it (apt install bubblewrap, dnf install bubblewrap)")
	}
	conn, theirs, err := launch.SocketPair()
	if err != nil {
		return nil, err
	}
	made := &launch.Prepared{Conn: conn, Given: []*os.File{theirs}}
	info, err := give(made, o)
	if err != nil {
		made.Discard()
		return nil, err
	}
	if counters := o.Group.Counters(); len(counters) > 0 {
		o.Plan.Scope = plan.SocketFD + len(made.Given)
		made.Given = append(made.Given, counters...)
	}
	made.Cmd = &exec.Cmd{
		Path: path, Args: []string{"bwrap", "--args", strconv.Itoa(argsFD), "--",
			"/proc/self/fd/" + strconv.Itoa(plan.BinaryFD), plan.InsideName, plan.OverSocket},
		Env: []string{}, Dir: "/", Stderr: o.Stderr, ExtraFiles: made.Given,
		SysProcAttr: launch.ChildAttr(),
	}
	if o.Plan.Switch {
		made.Cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(o.Agent.UID), Gid: uint32(o.Agent.GID)}
	}
	made.Running = func() (func(), error) {
		defer info.Close()
		return childOf(info)
	}
	return made, nil
}

// give adds the files that bubblewrap is given behind the socket, and opens
// what it says back.
func give(made *launch.Prepared, o launch.Order) (info *os.File, err error) {
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, fmt.Errorf("opening this program: %w", err)
	}
	made.Given = append(made.Given, self)
	a := &arguments{order: o}
	text, err := memfile("args", strings.Join(a.all(), "\x00")+"\x00")
	if err != nil {
		return nil, err
	}
	made.Given = append(made.Given, text)
	info, infoW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	made.Given = append(append(made.Given, infoW), a.data...)
	return info, a.err
}

// childOf reads from bubblewrap which process is PID 1 inside, and gives what
// ends it. Bubblewrap itself is left alone: it ends when PID 1 is gone, and
// that is after every process of its namespace.
func childOf(info *os.File) (func(), error) {
	_ = info.SetReadDeadline(time.Now().Add(launch.SetUpTime))
	var said struct {
		Child int `json:"child-pid"`
	}
	if err := json.NewDecoder(info).Decode(&said); err != nil || said.Child <= 1 {
		return nil, errors.New("bubblewrap did not start")
	}
	fd, err := unix.PidfdOpen(said.Child, 0)
	if err != nil {
		return nil, fmt.Errorf("finding the sandbox's first process: %w", err)
	}
	pidfd := os.NewFile(uintptr(fd), "pidfd")
	return func() {
		_ = unix.PidfdSendSignal(int(pidfd.Fd()), unix.SIGKILL, nil, 0)
		pidfd.Close()
	}, nil
}

// arguments collects the arguments of bubblewrap.
type arguments struct {
	order launch.Order
	args  []string
	data  []*os.File // texts of files for /etc
	err   error
}

func (a *arguments) add(args ...string) { a.args = append(a.args, args...) }

// all is the same view that the native backend builds.
func (a *arguments) all() []string {
	p := a.order.Plan
	a.add("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--disable-userns")
	if !p.Network {
		a.add("--unshare-net")
	}
	a.add("--uid", strconv.Itoa(plan.AgentID), "--gid", strconv.Itoa(plan.AgentID), "--hostname", p.Hostname)
	a.add("--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL", "--info-fd", strconv.Itoa(infoFD))
	a.add("--proc", "/proc", "--dev", "/dev")
	for _, d := range plan.SystemDirs() {
		if t, err := os.Readlink(d); err == nil {
			a.add("--symlink", t, d)
		} else if _, err := os.Stat(d); err == nil {
			a.add("--ro-bind", d, d)
		}
	}
	a.etc()
	a.tree(p.Work, sandbox.WorkDir)
	a.tree(p.Home, sandbox.HomeDir)
	size := strconv.FormatInt(p.Limits.Tmp, 10)
	for _, d := range []struct{ at, mode string }{{"/tmp", "1777"}, {"/var/tmp", "1777"}, {"/run", "1777"},
		{"/dev/shm", "1777"}} {
		a.add("--perms", d.mode, "--size", size, "--tmpfs", d.at)
	}
	for i, m := range p.Mounts {
		source, err := a.order.Reachable(m.Path, i)
		if err != nil {
			a.err = fmt.Errorf("showing %s: %w", m.Path, err)
		}
		a.add("--ro-bind", source, m.Target)
	}
	a.add("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/")
	return a.args
}

func (a *arguments) tree(t plan.Tree, at string) {
	how := "--bind"
	if t.ReadOnly {
		how = "--ro-bind"
	}
	a.add(how, filepath.Join(a.order.Plan.Dir, t.Upper), at)
}

func (a *arguments) etc() {
	for name, text := range plan.EtcFiles(*a.order.Plan) {
		f, err := memfile(name, text)
		if err != nil {
			a.err = err
			return
		}
		a.add("--perms", "0644", "--file", strconv.Itoa(dataFD+len(a.data)), "/etc/"+name)
		a.data = append(a.data, f)
	}
	a.add("--symlink", "/proc/mounts", "/etc/mtab")
	for _, n := range plan.EtcShown() {
		a.add("--ro-bind-try", "/etc/"+n, "/etc/"+n)
	}
}

// memfile is a file in memory with this content, at its start.
func memfile(name, text string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return nil, err
	}
	_, err = f.Seek(0, 0)
	return f, err
}

// Explain adds what bubblewrap said, and what to do where it does not work.
func (Builder) Explain(err error, said string) error {
	hint := ""
	switch {
	case bytes.Contains([]byte(said), []byte("setting up uid map")), strings.Contains(said, "No permissions to create"),
		strings.Contains(said, "Creating new namespace failed"):
		hint = "\nhint: bubblewrap may not make user namespaces here either: " +
			"allow them (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu an AppArmor profile for bwrap)"
	case strings.Contains(said, "Can't find source path") && users.IsRoot():
		hint = "\nhint: bubblewrap runs as another user than root, who may not go there: " +
			"set TMPDIR to a directory that every user may pass through, as /tmp is"
	case strings.Contains(said, "Unknown option"):
		hint = "\nhint: bubblewrap 0.8 or later is needed"
	}
	if said == "" {
		return err
	}
	return fmt.Errorf("%w\n%s%s", err, strings.TrimSpace(wire.Printable(said)), hint)
}
