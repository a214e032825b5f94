package native

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"cookoff/sandbox"
)

// NewGVisor makes the backend whose worlds have a kernel of their own, which
// gVisor's runsc is: what runs inside makes no system calls of this machine's
// kernel. The view is that of the native backend; project and home are copies.
// It opens nothing unless its self-test passes.
func NewGVisor(o Options) sandbox.Backend {
	b := &backend{opt: o, host: host{plain: true}}
	b.via = gvisor{b}
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
	User  map[string]int `json:"user"`
	Args  []string       `json:"args"`
	Env   []string       `json:"env"`
	Dir   string         `json:"cwd"`
	NoNew bool           `json:"noNewPrivileges"`
	Caps  map[string]any `json:"capabilities"`
	Limit []rlimit       `json:"rlimits"`
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

func (g gvisor) start(w *world, p *plan) (*started, error) {
	path, err := exec.LookPath("runsc")
	if err != nil {
		return nil, errors.New("gVisor is not installed\nhint: install runsc (apt install runsc, or gvisor.dev/docs/user_guide/install), or drop isolation: strong")
	}
	guest, err := g.b.guestFiles()
	if err != nil {
		return nil, err
	}
	p.OwnKernel = true // its kernel has none; the guest's memory is its own there all the same
	dir := filepath.Join(w.dir, "b")
	if err := w.bundle(dir, *p, guest); err != nil {
		return nil, fmt.Errorf("making a bundle for gVisor: %w", err)
	}
	network := "none"
	if p.Network {
		network = "host"
	}
	global := []string{"--root", filepath.Join(w.dir, "r"), "--ignore-cgroups", "--network", network}
	if os.Geteuid() != 0 {
		global = append(global, "--rootless")
	}
	name := "cookoff-" + strings.ToLower(rand.Text()[:16])
	conn, theirs, err := pipes()
	if err != nil {
		return nil, err
	}
	s := &started{conn: conn, given: theirs}
	s.cmd = exec.Command(path, append(global, "run", "--bundle", dir, name)...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = theirs[0], theirs[1], w.errOut
	s.cmd.Env, s.cmd.Dir = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, "/"
	s.cmd.SysProcAttr = childAttr()
	s.running = func() (func(), error) {
		return func() {
			conn.Close() // the guest ends without its host, and with it its kernel
			select {
			case <-w.gone:
			case <-time.After(lingerTime):
				ctx, cancel := context.WithTimeout(context.Background(), endTime)
				defer cancel()
				_ = exec.CommandContext(ctx, path, append(global, "kill", "--all", name, "KILL")...).Run()
			}
		}, nil
	}
	return s, nil
}

// bundle writes what runsc is to run.
func (w *world) bundle(dir string, p plan, g guestProgram) error {
	root := filepath.Join(dir, "rootfs")
	c := bundle{Version: "1.0.0", Hostname: p.Hostname, Root: ociRoot{root, true}}
	c.Process = process{
		User: map[string]int{"uid": w.uid, "gid": w.gid()}, Args: []string{guestDir + "/guest", insideName, overStdio},
		Env: []string{"PATH=/usr/bin:/bin"}, Dir: "/", NoNew: true, Caps: map[string]any{},
	}
	for name, n := range map[string]uint64{"NOFILE": 1024, "CORE": 0, "FSIZE": uint64(p.Limits.FileSize), "NPROC": uint64(p.Limits.Processes + spareProcesses)} {
		c.Process.Limit = append(c.Process.Limit, rlimit{"RLIMIT_" + name, n, n})
	}
	for _, ns := range []string{"pid", "network", "ipc", "uts", "mount"} {
		c.Linux.Namespaces = append(c.Linux.Namespaces, map[string]string{"type": ns})
	}
	if err := os.MkdirAll(filepath.Join(root, "etc"), 0o755); err != nil {
		return err
	}
	for name, text := range etcFiles(p) {
		if name == "passwd" || name == "group" {
			continue
		}
		if err := os.WriteFile(filepath.Join(root, "etc", name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	named, err := w.containerEtc(p)
	if err != nil {
		return err
	}
	for name, path := range named {
		if err := os.Rename(path, filepath.Join(root, "etc", name)); err != nil {
			return err
		}
	}
	if err := c.mounts(w, p, g); err != nil {
		return err
	}
	for _, d := range systemDirs() {
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
func (c *bundle) mounts(w *world, p plan, g guestProgram) error {
	bind := func(from, at, mode string) {
		c.Mounts = append(c.Mounts, mount{At: at, Type: "bind", Source: from, Options: []string{"rbind", mode, "nosuid", "nodev"}})
	}
	c.Mounts = append(c.Mounts, mount{At: "/proc", Type: "proc", Source: "proc"})
	for _, d := range systemDirs() {
		if st, err := os.Lstat(d); err == nil && st.IsDir() {
			bind(d, d, "ro")
		}
	}
	for _, n := range etcShown() {
		if _, err := os.Stat("/etc/" + n); err == nil {
			bind("/etc/"+n, "/etc/"+n, "ro")
		}
	}
	for _, t := range []struct {
		tree
		at string
	}{{p.Work, sandbox.WorkDir}, {p.Home, sandbox.HomeDir}} {
		mode := "rw"
		if t.ReadOnly {
			mode = "ro"
		}
		bind(filepath.Join(w.dir, t.Upper), t.at, mode)
	}
	for _, d := range []string{"/tmp", "/var/tmp", "/run", "/dev/shm"} {
		c.Mounts = append(c.Mounts, mount{At: d, Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "nodev", "mode=1777", fmt.Sprintf("size=%d", p.Limits.Tmp)}})
	}
	bind(g.dir, guestDir, "ro")
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
	if said = strings.TrimSpace(clean(said)); said == "" {
		return err
	}
	return fmt.Errorf("%w\n%s", err, said)
}
