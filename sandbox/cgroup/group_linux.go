package cgroup

import (
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

	"cookoff/sandbox/wire"
)

// Group is the control group of one world. A nil group is none: limits are
// then the guest's to watch.
type Group struct {
	dir string
	Fd  *os.File
}

// Group makes the control group of a world.
func (s *Scope) Group(name string, l Limits) (*Group, error) {
	g := &Group{dir: filepath.Join(s.Dir, name)}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, err
	}
	err := g.limit(l)
	if err == nil {
		g.Fd, err = os.OpenFile(g.dir, os.O_RDONLY|unix.O_DIRECTORY, 0)
	}
	if err != nil {
		_ = os.Remove(g.dir)
		return nil, fmt.Errorf("making a control group: %w", err)
	}
	return g, nil
}

// limit sets the limits. A kernel without swap has no limit of it.
func (g *Group) limit(l Limits) error {
	for _, f := range []struct{ name, text string }{
		{"memory.max", strconv.FormatInt(l.Memory, 10)}, {"pids.max", strconv.Itoa(l.Pids)}, {"memory.oom.group", "0"},
		{"memory.swap.max", "0"},
	} {
		if err := put(g.dir, f.name, f.text); err != nil &&
			!(f.name == "memory.swap.max" && errors.Is(err, os.ErrNotExist)) {
			return err
		}
	}
	return nil
}

// Hold has a command that is about to start be born in the group.
func (g *Group) Hold(cmd *exec.Cmd) {
	if g == nil {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(g.Fd.Fd())
}

// Counters opens the files that tell the guest what the kernel did: for
// reading, each by itself, and not the directory. None: the guest looks itself.
func (g *Group) Counters() (files []*os.File) {
	if g == nil {
		return nil
	}
	for _, name := range wire.ScopeFiles() {
		f, err := os.Open(filepath.Join(g.dir, name))
		if err != nil {
			for _, f := range files {
				f.Close()
			}
			return nil
		}
		files = append(files, f)
	}
	return files
}

// Events are what the kernel counts of the group's memory: "oom", how often it reached its
// limit, and "oom_kill", how many of its processes were ended by whatever limit. Nil where
// that can't be had.
func (g *Group) Events() map[string]int64 {
	if g == nil {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(g.dir, "memory.events"))
	if err != nil {
		return nil
	}
	all := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			all[name] = n
		}
	}
	return all
}

// Kill ends every process in the group, also where it left everything else
// that its world is known by. Kernels before 5.14 can't.
func (g *Group) Kill() {
	if g != nil {
		_ = put(g.dir, "cgroup.kill", "1")
	}
}

// Remove takes the group away, once its processes are gone. The kernel may
// need a moment to see that they are.
func (g *Group) Remove() {
	if g == nil {
		return
	}
	g.Fd.Close()
	for wait := time.Millisecond; wait < 2*time.Second; wait *= 2 {
		if err := os.Remove(g.dir); !errors.Is(err, unix.EBUSY) {
			return
		}
		time.Sleep(wait)
	}
}

// IsGroup reports whether dir is a control group.
func IsGroup(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && st.Type == unix.CGROUP2_SUPER_MAGIC
}

// RemoveAll removes the control groups that a dead process made in dir, and
// lets the one above be as it was found, if the process had moved out of that.
func RemoveAll(dir string) error {
	if !strings.HasPrefix(filepath.Base(dir), scopeName) {
		return fmt.Errorf("removing %s: it is none of cookoff's", dir)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	moved := false
	for _, e := range entries {
		if e.IsDir() {
			moved = moved || e.Name() == SelfName
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if err = errors.Join(err, os.Remove(dir)); err != nil {
		return err
	}
	above := filepath.Dir(dir)
	if moved && !hasGroups(above, "") {
		_ = put(above, "cgroup.subtree_control", "-memory -pids")
	}
	return nil
}

// hasGroups reports whether there are control groups in one, but for that name.
func hasGroups(dir, but string) bool {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && e.Name() != but {
			return true
		}
	}
	return false
}
