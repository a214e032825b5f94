// Package gvisor has gVisor's runsc build worlds with a kernel of their own: what runs
// inside makes no system calls of this machine's kernel. The view is that of the native
// backend; project and home are copies.
package gvisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/launch"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/shipped"
	"cookoff/sandbox/users"
	"cookoff/sandbox/wire"
)

// Builder starts guests in gVisor.
type Builder struct{ Programs *shipped.Programs }

// bundle is the part of an OCI bundle's config.json that is used.
type bundle struct {
	Version  string  `json:"ociVersion"`
	Process  process `json:"process"`
	Root     ociRoot `json:"root"`
	Hostname string  `json:"hostname"`
	Mounts   []mount `json:"mounts"`
	Linux    struct {
		Namespaces []map[string]string `json:"namespaces"`
	} `json:"linux"`
}

type process struct {
	User  map[string]int      `json:"user"`
	Args  []string            `json:"args"`
	Env   []string            `json:"env"`
	Dir   string              `json:"cwd"`
	NoNew bool                `json:"noNewPrivileges"`
	Caps  map[string][]string `json:"capabilities"`
	Limit []rlimit            `json:"rlimits"`
}

type rlimit struct {
	Type string `json:"type"`
	Hard uint64 `json:"hard"`
	Soft uint64 `json:"soft"`
}

type ociRoot struct {
	Path     string `json:"path"`
	ReadOnly bool   `json:"readonly"`
}

type mount struct {
	At      string   `json:"destination"`
	Type    string   `json:"type"`
	Source  string   `json:"source"`
	Options []string `json:"options,omitempty"`
}

// Facts of worlds that gVisor makes.
func (Builder) Facts() launch.Facts { return launch.Facts{Patience: launch.EngineTime} }

// Prepare writes a bundle and readies the process that becomes runsc.
func (b Builder) Prepare(o launch.Order) (*launch.Prepared, error) {
	path, err := exec.LookPath("runsc")
	if err != nil {
		return nil, errors.New("gVisor is not installed\nhint: install runsc of 2024 or later (apt install runsc, where that is new enough, or gvisor.dev/docs/user_guide/install), or drop isolation: strong")
	}
	guest, err := b.Programs.LayOut(plan.SelfProgram)
	if err != nil {
		return nil, err
	}
	who, err := usersOf(o.Agent)
	if err != nil {
		return nil, err
	}
	p := o.Plan
	p.OwnKernel, p.Loader = true, guest.Loader
	p.Agent, p.Helper = plan.AgentID, append(slices.Clone(p.Loader), plan.GuestDir+"/guest", plan.HelperName,
		strconv.Itoa(plan.AgentID))
	dir, state := filepath.Join(p.Dir, "b"), filepath.Join(p.Dir, "r")
	if err := writeBundle(dir, o, guest); err != nil {
		return nil, fmt.Errorf("making a bundle for gVisor: %w", err)
	}
	if err := who.own(state, filepath.Join(dir, "config.json")); err != nil {
		return nil, fmt.Errorf("making a bundle for gVisor: %w", err)
	}
	network := "none"
	if p.Network {
		network = "host"
	}
	rp := runscPlan{Path: path, Args: []string{"--root", state, "--ignore-cgroups", "--network", network, "run",
		"--bundle", dir, filepath.Base(p.Dir)}, Writable: []string{state}}
	for _, t := range []plan.Tree{p.Work, p.Home} {
		if !t.ReadOnly {
			rp.Writable = append(rp.Writable, filepath.Join(p.Dir, t.Upper))
		}
	}
	conn, theirs, err := launch.Pipes()
	if err != nil {
		return nil, err
	}
	if rp.TestOnlyWritable = p.TestOnlyOff.Has(plan.ReadOnlyBinds); p.TestOnlyOff.Has(plan.Undumpable) {
		_ = errors.Join(theirs[0].Chmod(0o666), theirs[1].Chmod(0o666)) // everybody may open the connection
	}
	made := &launch.Prepared{Conn: conn, Given: theirs}
	made.Cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{plan.RunscName},
		Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, Dir: "/",
		Stdin: theirs[0], Stdout: theirs[1], Stderr: o.Said, SysProcAttr: who.namespaces(p),
	}
	made.Running = func() (func(), error) { return nil, rp.begin(conn, who, made.Cmd.Process.Pid) }
	return made, nil
}

// writeBundle writes what runsc is to run.
func writeBundle(dir string, o launch.Order, guest shipped.Program) error {
	p, root := o.Plan, filepath.Join(dir, "rootfs")
	c := bundle{Version: "1.0.0", Hostname: p.Hostname, Root: ociRoot{root, true}}
	c.Process = process{
		User: map[string]int{"uid": 0, "gid": 0}, Args: guest.Command(),
		Env: []string{}, Dir: "/", NoNew: true, Caps: map[string][]string{},
	}
	for _, set := range []string{"bounding", "permitted", "effective", "inheritable"} {
		c.Process.Caps[set] = []string{"CAP_CHOWN", "CAP_KILL", "CAP_SETUID", "CAP_SETGID", "CAP_SYS_RESOURCE",
			"CAP_SYS_ADMIN", "CAP_SETPCAP"}
	}
	for name, n := range map[string]uint64{"NOFILE": 1024, "CORE": 0, "FSIZE": uint64(p.Limits.FileSize),
		"NPROC": uint64(p.Limits.Processes + plan.SpareProcesses)} {
		c.Process.Limit = append(c.Process.Limit, rlimit{"RLIMIT_" + name, n, n})
	}
	for _, ns := range []string{"pid", "ipc", "uts", "mount", "network"} {
		if ns == "network" && p.Network {
			continue
		}
		c.Linux.Namespaces = append(c.Linux.Namespaces, map[string]string{"type": ns})
	}
	if err := os.MkdirAll(filepath.Join(root, "etc"), 0o755); err != nil {
		return err
	}
	for name, text := range plan.EtcFiles(*p) {
		if err := os.WriteFile(filepath.Join(root, "etc", name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := c.mounts(o, guest.Dir); err != nil {
		return err
	}
	for _, d := range plan.SystemDirs() {
		if t, err := os.Readlink(d); err == nil {
			if err := os.Symlink(t, filepath.Join(root, d)); err != nil {
				return err
			}
		}
	}
	if err := os.Symlink("/proc/mounts", filepath.Join(root, "etc/mtab")); err != nil {
		return err
	}
	for _, m := range c.Mounts { // what is mounted on must be there: the root is read-only
		if err := mountPointIn(root, m); err != nil {
			return err
		}
	}
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.json"), b, 0o600)
}

func mountPointIn(root string, m mount) error {
	at := filepath.Join(root, m.At)
	if st, err := os.Stat(m.Source); m.Type == "bind" && err == nil && !st.IsDir() {
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		f, err := os.OpenFile(at, os.O_CREATE|os.O_RDONLY, 0o644)
		if err == nil {
			err = f.Close()
		}
		return err
	}
	return os.MkdirAll(at, 0o755)
}

// mounts are those of the native view.
func (c *bundle) mounts(o launch.Order, guest string) error {
	p := o.Plan
	bind := func(from, at, mode string) {
		c.Mounts = append(c.Mounts, mount{At: at, Type: "bind", Source: from,
			Options: []string{"rbind", mode, "nosuid", "nodev"}})
	}
	c.Mounts = append(c.Mounts, mount{At: "/proc", Type: "proc", Source: "proc"})
	for _, d := range plan.SystemDirs() {
		if st, err := os.Lstat(d); err == nil && st.IsDir() {
			bind(d, d, "ro")
		}
	}
	for _, n := range plan.EtcShown() {
		if _, err := os.Stat("/etc/" + n); err == nil {
			bind("/etc/"+n, "/etc/"+n, "ro")
		}
	}
	for _, t := range []struct {
		plan.Tree
		at string
	}{{p.Work, sandbox.WorkDir}, {p.Home, sandbox.HomeDir}} {
		mode := "rw"
		if t.ReadOnly {
			mode = "ro"
		}
		bind(filepath.Join(p.Dir, t.Upper), t.at, mode)
	}
	for _, d := range []string{"/tmp", "/var/tmp", "/run", "/dev/shm"} {
		c.Mounts = append(c.Mounts, mount{At: d, Type: "tmpfs", Source: "tmpfs",
			Options: []string{"nosuid", "nodev", "mode=1777", fmt.Sprintf("size=%d", p.Limits.Tmp)}})
	}
	bind(guest, plan.GuestDir, "ro")
	for i, m := range p.Mounts {
		source, err := o.Reachable(m.Path, i)
		if err != nil {
			return fmt.Errorf("showing %s: %w", m.Path, err)
		}
		bind(source, m.Target, "ro")
	}
	return nil
}

// Explain adds what runsc said.
func (Builder) Explain(err error, said string) error {
	said = strings.TrimSpace(wire.Printable(said))
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		return users.ExplainNamespaces(err)
	case said == "":
		return err
	case !strings.Contains(said, "hint: "):
		said += "\nhint: gVisor must be of 2024 or later (runsc --version); with an older one take another backend (--sandbox native, bwrap or container), or drop isolation: strong"
	}
	return fmt.Errorf("%w\n%s", err, said)
}
