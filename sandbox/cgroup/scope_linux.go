package cgroup

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/plan"
)

// Names of control groups: what a process of cookoff makes begins with
// scopeName, and selfName is the one in it that the process itself moves to.
const (
	scopeName = "cookoff-"
	SelfName  = "self"
)

// Scope is the control group in which this process makes one for every world:
// memory and processes of a world are then bounded by the kernel. No process is
// directly in it.
type Scope struct {
	Dir   string
	Moved bool // this process was moved into it, out of the one above
}

// scopeMoves keeps two backends from moving this process at once.
var scopeMoves sync.Mutex

// The next step where there is no scope to be had.
const (
	hintDelegate = "hint: start it as systemd-run --user --scope -p Delegate=yes cookoff … (as root without --user)"
	hintUnified  = "hint: boot with systemd.unified_cgroup_hierarchy=1, " +
		"so that cgroup v2 has the memory and pids controllers"
)

// Find makes the scope, or says why there is none. Nothing that others
// use is changed: a process that shares its control group with others, or may
// not write there, gets none. proc is where /proc is; note hears of
// the scope before it is made.
func Find(proc string, note func(dir string) error) (*Scope, error) {
	scopeMoves.Lock()
	defer scopeMoves.Unlock()
	own, err := OwnGroup(proc)
	if err != nil {
		return nil, err
	}
	if err := HasControllers(own); err != nil {
		return nil, err
	}
	if above := filepath.Dir(own); filepath.Base(own) == SelfName &&
		strings.HasPrefix(filepath.Base(above), scopeName) &&
		enabled(above) {
		return &Scope{Dir: above, Moved: true}, nil // another backend of this process has moved it
	}
	s := &Scope{Dir: filepath.Join(own, scopeName+rand.Text()[:16])}
	pids, err := allOurs(proc, own)
	s.Moved = !isTop(own)
	if s.Moved && err != nil {
		return nil, err
	}
	if err := note(s.Dir); err != nil {
		return nil, err
	}
	if err := os.Mkdir(s.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("the control group %s is not ours to divide: %w\n%s", own, cause(err), hintDelegate)
	}
	if err := s.divide(own, pids); err != nil {
		s.undo()
		return nil, fmt.Errorf("the control group %s can't be divided: %w\n%s", own, cause(err), hintDelegate)
	}
	return s, nil
}

// divide makes the controllers of own work in s.
func (s *Scope) divide(own string, pids []int) error {
	if s.Moved {
		self := filepath.Join(s.Dir, SelfName)
		if err := os.Mkdir(self, 0o755); err != nil {
			return err
		}
		for _, pid := range pids {
			if err := put(self, "cgroup.procs", strconv.Itoa(pid)); err != nil && !errors.Is(err, unix.ESRCH) {
				return err
			}
		}
	}
	for _, dir := range []string{own, s.Dir} {
		if err := put(dir, "cgroup.subtree_control", "+memory +pids"); err != nil {
			return err
		}
	}
	return nil
}

// Leave takes the scope away, unless worlds are in it, and lets the control
// group above be as it was found. What can't be done now is left to whoever
// cleans up.
func (s *Scope) Leave() {
	scopeMoves.Lock()
	defer scopeMoves.Unlock()
	entries, _ := os.ReadDir(s.Dir)
	for _, e := range entries {
		if e.IsDir() && e.Name() != SelfName {
			_ = os.Remove(filepath.Join(s.Dir, e.Name())) // with a process in it, it stays
		}
	}
	if hasGroups(s.Dir, SelfName) || s.Moved && hasGroups(filepath.Dir(s.Dir), filepath.Base(s.Dir)) {
		return
	}
	s.undo()
}

func (s *Scope) undo() {
	above := filepath.Dir(s.Dir)
	if s.Moved {
		_ = put(s.Dir, "cgroup.subtree_control", "-memory -pids")
		_ = put(above, "cgroup.subtree_control", "-memory -pids")
		self := filepath.Join(s.Dir, SelfName)
		pids, _ := members(self)
		for _, pid := range pids {
			_ = put(above, "cgroup.procs", strconv.Itoa(pid))
		}
		_ = os.Remove(self)
	}
	_ = os.Remove(s.Dir)
}

// Try starts a process in a control group of the scope, as worlds are started.
// Some container engines forbid that.
func (s *Scope) Try() error {
	g, err := s.Group("try", Limits{Memory: 1 << 30, Pids: 64})
	if err != nil {
		return err
	}
	defer g.Remove()
	cmd := exec.Cmd{Path: "/proc/self/exe", Args: []string{plan.IdmapName}, Env: []string{},
		SysProcAttr: &syscall.SysProcAttr{}}
	g.Hold(&cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("starting a process in a control group: %w", err)
	}
	return nil
}

// OwnGroup is the directory of the control group that this process is in.
func OwnGroup(proc string) (string, error) {
	b, err := os.ReadFile(filepath.Join(proc, "self/cgroup"))
	if err != nil {
		return "", fmt.Errorf("finding the own control group: %w", err)
	}
	name, found := "", false
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			name, found = rest, true
		}
	}
	if !found {
		return "", errors.New("the kernel has no cgroup v2\n" + hintUnified)
	}
	f, err := os.Open(filepath.Join(proc, "self/mountinfo"))
	if err != nil {
		return "", fmt.Errorf("finding cgroup v2: %w", err)
	}
	defer f.Close()
	why := errors.New("cgroup v2 is not mounted here\n" + hintUnified)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		root, at, writable, ok := cgroupMount(lines.Text())
		below, inside := strings.CutPrefix(name, strings.TrimSuffix(root, "/"))
		switch {
		case !ok:
		case !inside || below != "" && below[0] != '/' || strings.Contains(name+"/", "/../"):
			why = errors.New("the own control group is out of view in this container\n" +
				"hint: give the container a control group namespace of its own")
		case !writable:
			why = errors.New("cgroup v2 is mounted read-only here\n" +
				"hint: in a container, mount it writable (podman: --security-opt unmask=/sys/fs/cgroup; " +
				"docker: --privileged)")
		default:
			return filepath.Join(at, below), nil
		}
	}
	return "", why
}

// cgroupMount reads a line of mountinfo: which control group is mounted where.
func cgroupMount(line string) (root, at string, writable, ok bool) {
	before, after, found := strings.Cut(line, " - ")
	f := strings.Fields(before)
	if !found || len(f) < 6 || !strings.HasPrefix(after, "cgroup2 ") {
		return "", "", false, false
	}
	plain := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	return plain.Replace(f[3]), plain.Replace(f[4]), slices.Contains(strings.Split(f[5], ","), "rw"), true
}

// HasControllers says whether memory and pids can be had in a control group.
func HasControllers(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return fmt.Errorf("looking at the own control group: %w", err)
	}
	have := strings.Fields(string(b))
	if slices.Contains(have, "memory") && slices.Contains(have, "pids") {
		return nil
	}
	if v1, err := os.ReadDir("/sys/fs/cgroup/memory"); err == nil && len(v1) > 0 {
		return errors.New("the memory controller is in cgroup v1 here\n" + hintUnified)
	}
	return fmt.Errorf("the control group %s has no memory and pids controllers\n%s", dir, hintDelegate)
}

// enabled reports whether the controllers work in what is below dir.
func enabled(dir string) bool {
	b, _ := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
	have := strings.Fields(string(b))
	return slices.Contains(have, "memory") && slices.Contains(have, "pids")
}

// isTop reports whether dir is the machine's first control group, the only one
// that may be divided with processes in it.
func isTop(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "cgroup.type"))
	return errors.Is(err, os.ErrNotExist)
}

// allOurs lists the processes in a control group; one that this process has
// not started is an error.
func allOurs(proc, dir string) ([]int, error) {
	pids, err := members(dir)
	if err != nil {
		return nil, fmt.Errorf("looking at the own control group: %w", err)
	}
	for _, pid := range pids {
		if !ours(proc, pid) {
			return nil, fmt.Errorf("other processes are in the same control group (%s)\n%s", dir, hintDelegate)
		}
	}
	return pids, nil
}

// members lists the processes in a control group. One that can't be seen from
// here is 0.
func members(dir string) (pids []int, err error) {
	b, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	for f := range strings.FieldsSeq(string(b)) {
		pid, _ := strconv.Atoi(f)
		pids = append(pids, pid)
	}
	return pids, err
}

// ours reports whether a process is this one or descends from it.
func ours(proc string, pid int) bool {
	for range 1 << 10 {
		if pid == os.Getpid() {
			return true
		}
		if pid <= 1 {
			return false
		}
		b, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "stat"))
		f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		if err != nil || len(f) < 2 {
			return errors.Is(err, os.ErrNotExist) // it has ended
		}
		pid, _ = strconv.Atoi(string(f[1]))
	}
	return false
}

// put writes one of the files of a control group.
func put(dir, name, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// cause is an error without the path that it is about.
func cause(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// InMemory reports whether what is in a directory is kept in memory.
func InMemory(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && st.Type == unix.TMPFS_MAGIC
}
