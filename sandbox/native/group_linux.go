package native

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

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// group is the control group of one world. A nil group is none: limits are
// then the guest's to watch.
type group struct {
	dir string
	fd  *os.File
}

// groupLimits are what the kernel holds a world to.
type groupLimits struct {
	memory int64 // bytes
	pids   int
}

// What the kernel counts in a world beside the memory of its programs: the
// guest with the files it has on their way, and what it keeps of every file
// in a tmpfs.
const (
	guestMemory  = 256 << 20
	inodeMemory  = 2 << 10
	bwrapTmpfses = 4 // bubblewrap can't have several directories share one
)

// limitsOf leaves room for what is bounded by another limit, so that only a
// world that exceeds one is ended. inMemory says that what it writes to its
// project is kept in a tmpfs.
func limitsOf(l sandbox.Limits, tmpfses int64, inMemory bool) groupLimits {
	sum := l.Memory + tmpfses*l.Tmp + int64(l.Files)*inodeMemory + guestMemory
	if inMemory {
		sum += l.Disk + int64(l.Files)*inodeMemory
	}
	return groupLimits{memory: sum, pids: l.Processes + spareProcesses}
}

// group makes the control group of a world.
func (s *scope) group(name string, l groupLimits) (*group, error) {
	g := &group{dir: filepath.Join(s.dir, name)}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, err
	}
	err := g.limit(l)
	if err == nil {
		g.fd, err = os.OpenFile(g.dir, os.O_RDONLY|unix.O_DIRECTORY, 0)
	}
	if err != nil {
		_ = os.Remove(g.dir)
		return nil, fmt.Errorf("making a control group: %w", err)
	}
	return g, nil
}

// limit sets the limits. A kernel without swap has no limit of it.
func (g *group) limit(l groupLimits) error {
	for _, f := range []struct{ name, text string }{
		{"memory.max", strconv.FormatInt(l.memory, 10)}, {"pids.max", strconv.Itoa(l.pids)}, {"memory.oom.group", "0"}, {"memory.swap.max", "0"},
	} {
		if err := put(g.dir, f.name, f.text); err != nil && !(f.name == "memory.swap.max" && errors.Is(err, os.ErrNotExist)) {
			return err
		}
	}
	return nil
}

// hold has a command that is about to start be born in the group.
func (g *group) hold(cmd *exec.Cmd) {
	if g == nil {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(g.fd.Fd())
}

// counters opens the files that tell the guest what the kernel did: for
// reading, each by itself, and not the directory. None: the guest looks itself.
func (g *group) counters() (files []*os.File) {
	if g == nil {
		return nil
	}
	for _, name := range wire.ScopeFiles() {
		f, err := os.Open(filepath.Join(g.dir, name))
		if err != nil {
			closeAll(files)
			return nil
		}
		files = append(files, f)
	}
	return files
}

// kill ends every process in the group, also where it left everything else
// that its world is known by. Kernels before 5.14 can't.
func (g *group) kill() {
	if g != nil {
		_ = put(g.dir, "cgroup.kill", "1")
	}
}

// remove takes the group away, once its processes are gone. The kernel may
// need a moment to see that they are.
func (g *group) remove() {
	if g == nil {
		return
	}
	g.fd.Close()
	for wait := time.Millisecond; wait < 2*time.Second; wait *= 2 {
		if err := os.Remove(g.dir); !errors.Is(err, unix.EBUSY) {
			return
		}
		time.Sleep(wait)
	}
}

// isGroup reports whether dir is a control group.
func isGroup(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && st.Type == unix.CGROUP2_SUPER_MAGIC
}

// removeScope removes the control groups that a dead process made in dir, and
// lets the one above be as it was found, if the process had moved out of that.
func removeScope(dir string) error {
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
			moved = moved || e.Name() == selfName
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
