package native

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
	"cookoff/sandbox/plan"
	"cookoff/sandbox/wire"
)

// newGVisor makes the backend whose worlds have a kernel of their own, which
// gVisor's runsc is: what runs inside makes no system calls of this machine's
// kernel. The view is that of the native backend; project and home are copies.
// It opens nothing unless its self-test passes.
func newGVisor(o Options) sandbox.Backend {
	b := &backend{opt: o}
	b.builder = gvisor{b}
	return &vouched{Backend: b}
}

type gvisor struct{ b *backend }

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

func (gvisor) facts() facts { return facts{patience: engineTime} }

func (g gvisor) start(w *world, p *plan.Plan, _ []*os.File) (*started, error) {
	path, err := exec.LookPath("runsc")
	if err != nil {
		return nil, errors.New("gVisor is not installed\nhint: install runsc of 2024 or later (apt install runsc, where that is new enough, or gvisor.dev/docs/user_guide/install), or drop isolation: strong")
	}
	guest, err := g.b.guestFiles(plan.SelfProgram)
	if err != nil {
		return nil, err
	}
	users, err := w.kernelUsers()
	if err != nil {
		return nil, err
	}
	p.OwnKernel, p.Loader = true, guest.loader
	p.Agent, p.Helper = plan.AgentID, append(slices.Clone(p.Loader), plan.GuestDir+"/guest", plan.HelperName,
		strconv.Itoa(plan.AgentID))
	dir, state := filepath.Join(w.dir, "b"), filepath.Join(w.dir, "r")
	if err := w.bundle(dir, *p, guest); err != nil {
		return nil, fmt.Errorf("making a bundle for gVisor: %w", err)
	}
	if err := w.ownedBy(users, state, filepath.Join(dir, "config.json")); err != nil {
		return nil, fmt.Errorf("making a bundle for gVisor: %w", err)
	}
	network := "none"
	if p.Network {
		network = "host"
	}
	rp := runscPlan{Path: path, Args: []string{"--root", state, "--ignore-cgroups", "--network", network, "run",
		"--bundle", dir, filepath.Base(w.dir)}, Writable: []string{state}}
	for _, t := range []plan.Tree{p.Work, p.Home} {
		if !t.ReadOnly {
			rp.Writable = append(rp.Writable, filepath.Join(w.dir, t.Upper))
		}
	}
	conn, theirs, err := pipes()
	if err != nil {
		return nil, err
	}
	if rp.TestOnlyWritable = g.b.testOnlyOff.Has(plan.ReadOnlyBinds); g.b.testOnlyOff.Has(plan.Undumpable) {
		_ = errors.Join(theirs[0].Chmod(0o666), theirs[1].Chmod(0o666)) // everybody may open the connection
	}
	s := &started{conn: conn, given: theirs}
	s.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{plan.RunscName},
		Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, Dir: "/",
		Stdin: theirs[0], Stdout: theirs[1], Stderr: w.errOut, SysProcAttr: users.namespaces(p),
	}
	s.running = func() (func(), error) { return w.kill, rp.begin(conn, users, s.cmd.Process.Pid) }
	return s, nil
}

// ownedBy makes the directory that runsc keeps its state in, which is its own
// as the file is.
func (w *world) ownedBy(u kernelUsers, dir, file string) error {
	if err := os.Mkdir(dir, 0o700); err != nil || u.mapped {
		return err
	}
	return errors.Join(os.Chown(dir, u.root, u.rootGroup), os.Chown(file, u.root, u.rootGroup))
}

// bundle writes what runsc is to run.
func (w *world) bundle(dir string, p plan.Plan, g guestProgram) error {
	root := filepath.Join(dir, "rootfs")
	c := bundle{Version: "1.0.0", Hostname: p.Hostname, Root: ociRoot{root, true}}
	c.Process = process{
		User: map[string]int{"uid": 0, "gid": 0}, Args: append(slices.Clone(g.loader), plan.GuestDir+"/guest",
			plan.InsideName, plan.OverStdio),
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
	for name, text := range plan.EtcFiles(p) {
		if err := os.WriteFile(filepath.Join(root, "etc", name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := c.mounts(w, p, g); err != nil {
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
func (c *bundle) mounts(w *world, p plan.Plan, g guestProgram) error {
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
		bind(filepath.Join(w.dir, t.Upper), t.at, mode)
	}
	for _, d := range []string{"/tmp", "/var/tmp", "/run", "/dev/shm"} {
		c.Mounts = append(c.Mounts, mount{At: d, Type: "tmpfs", Source: "tmpfs",
			Options: []string{"nosuid", "nodev", "mode=1777", fmt.Sprintf("size=%d", p.Limits.Tmp)}})
	}
	bind(g.dir, plan.GuestDir, "ro")
	for i, m := range p.Mounts {
		source, err := w.reachable(m.Path, i)
		if err != nil {
			return fmt.Errorf("showing %s: %w", m.Path, err)
		}
		bind(source, m.Target, "ro")
	}
	return nil
}

// explain adds what runsc said.
func (gvisor) explain(err error, said string) error {
	said = strings.TrimSpace(wire.Printable(said))
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		return explainStart(err)
	case said == "":
		return err
	case !strings.Contains(said, "hint: "):
		said += "\nhint: gVisor must be of 2024 or later (runsc --version); with an older one take another backend (--sandbox native, bwrap or container), or drop isolation: strong"
	}
	return fmt.Errorf("%w\n%s", err, said)
}
