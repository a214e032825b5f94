package gvisor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"cookoff/sandbox"
	"cookoff/sandbox/launch"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/shipped"
)

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

// newBundle says what runsc is to run, but for its mounts.
func newBundle(p *plan.Plan, root string, guest shipped.Program) bundle {
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
	return c
}

// writeBundle writes into dir what runsc is to run.
func writeBundle(dir string, o launch.Order, guest shipped.Program) error {
	root := filepath.Join(dir, "rootfs")
	c := newBundle(o.Plan, root, guest)
	if err := os.MkdirAll(filepath.Join(root, "etc"), 0o755); err != nil {
		return err
	}
	for name, text := range plan.EtcFiles(*o.Plan) {
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
