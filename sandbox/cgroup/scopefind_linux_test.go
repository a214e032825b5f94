package cgroup

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// tree is a /proc and a cgroup2 mount that stand in for the machine's.
type standIn struct {
	t          *testing.T
	proc, root string
}

// newStandIn has this process in the control group name, as the only one.
func newStandIn(t *testing.T, name string) *standIn {
	s := &standIn{t, filepath.Join(t.TempDir(), "proc"), filepath.Join(t.TempDir(), "cgroup mount")}
	mounted := strings.ReplaceAll(s.root, " ", `\040`)
	s.write(s.proc, "self/cgroup", "1:name=systemd:/x\n0::"+name+"\n")
	s.write(s.proc, "self/mountinfo", "20 1 0:5 / /proc rw - proc proc rw\n30 1 0:26 / "+mounted+
		" rw,nosuid shared:9 - cgroup2 cgroup2 rw\n")
	own := filepath.Join(s.root, name)
	for file, text := range map[string]string{
		"cgroup.type": "domain\n", "cgroup.controllers": "cpu memory pids\n", "cgroup.subtree_control": "",
		"cgroup.procs": strconv.Itoa(os.Getpid()) + "\n",
	} {
		s.write(own, file, text)
	}
	return s
}

func (s *standIn) write(dir, name, text string) {
	s.t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		s.t.Fatal(err)
	}
}

// find looks for a scope; the kernel's part, files in what is made, is played
// as soon as the scope is noted.
func (s *standIn) find() (*Scope, error) {
	return Find(s.proc, func(string) error { return nil })
}

// A scope is refused, with a reason and a next step, and nothing is changed.
func TestScopeRefused(t *testing.T) {
	check := func(want, hint string, change func(s *standIn)) {
		t.Helper()
		s := newStandIn(t, "/a.scope")
		change(s)
		_, err := s.find()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "\nhint: ") ||
			!strings.Contains(err.Error(), hint) {
			t.Errorf("want %q with %q, got %v", want, hint, err)
		}
		if made, _ := filepath.Glob(filepath.Join(s.root, "a.scope", scopeName+"*")); len(made) > 0 {
			t.Errorf("%s: made %v", want, made)
		}
		if b, _ := os.ReadFile(filepath.Join(s.root, "a.scope", "cgroup.subtree_control")); len(b) > 0 {
			t.Errorf("%s: the controllers are %q", want, b)
		}
	}
	own := func(s *standIn) string { return filepath.Join(s.root, "a.scope") }
	check("no cgroup v2", "unified", func(s *standIn) { s.write(s.proc, "self/cgroup", "4:memory:/x\n") })
	check("not mounted", "unified", func(s *standIn) {
		s.write(s.proc, "self/mountinfo",
			"20 1 0:5 / /proc rw - proc proc rw\n")
	})
	check("read-only", "writable", func(s *standIn) {
		s.write(s.proc, "self/mountinfo", "30 1 0:26 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw\n")
	})
	check("out of view", "namespace", func(s *standIn) { s.write(s.proc, "self/cgroup", "0::/../b.scope\n") })
	check("out of view", "namespace", func(s *standIn) {
		s.write(s.proc, "self/mountinfo", "30 1 0:26 /a /sys/fs/cgroup rw - cgroup2 cgroup rw\n")
	})
	check("controller", "hint", func(s *standIn) { s.write(own(s), "cgroup.controllers", "cpuset cpu\n") })
	check("other processes", "systemd-run", func(s *standIn) {
		s.write(own(s), "cgroup.procs", "77\n"+strconv.Itoa(os.Getpid())+"\n")
		s.write(s.proc, "77/stat", "77 (a) b) S 1 77 77")
	})
	check("other processes", "systemd-run",
		func(s *standIn) { s.write(own(s), "cgroup.procs", "0\n"+strconv.Itoa(os.Getpid())+"\n") })
}

// The stand-in has no files in a new directory, as a kernel would make them:
// dividing fails there, and everything is as it was.
func TestScopeUndone(t *testing.T) {
	s := newStandIn(t, "/a.scope")
	s.write(s.proc, "88/stat", "88 (git) S "+strconv.Itoa(os.Getpid())+" 1 1")
	s.write(filepath.Join(s.root, "a.scope"), "cgroup.procs", strconv.Itoa(os.Getpid())+"\n88\n")
	_, err := s.find()
	if err == nil || !strings.Contains(err.Error(), "can't be divided") {
		t.Errorf("got %v", err)
	}
	if made, _ := filepath.Glob(filepath.Join(s.root, "a.scope", scopeName+"*")); len(made) > 0 {
		t.Errorf("left: %v", made)
	}
}

// A second backend of a process that was moved finds what the first has made.
func TestScopeShares(t *testing.T) {
	s := newStandIn(t, "/a.scope/cookoff-X/self")
	above := filepath.Join(s.root, "a.scope/cookoff-X")
	s.write(above, "cgroup.subtree_control", "memory pids\n")
	got, err := s.find()
	if err != nil || got.Dir != above || !got.Moved {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A mount that shows a part of the tree, as in a container.
func TestScopeOfContainer(t *testing.T) {
	s := newStandIn(t, "/")
	s.write(s.proc, "self/cgroup", "0::/machine/c1/leaf\n")
	s.write(s.proc, "self/mountinfo", "30 1 0:26 /machine/c1 "+strings.ReplaceAll(s.root, " ",
		`\040`)+" rw - cgroup2 cgroup rw\n")
	if got, err := OwnGroup(s.proc); err != nil || got != filepath.Join(s.root, "leaf") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestLimitsOf(t *testing.T) {
	l := sandbox.Limits{Memory: 1 << 30, Tmp: 100, Disk: 10_000, Files: 3, Processes: 7}
	want := Limits{Memory: 1<<30 + 4*100 + 3*inodeMemory + guestMemory, Pids: 7 + plan.SpareProcesses}
	if got := LimitsOf(l, 4, false); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	want.Memory += 10_000 + 3*inodeMemory
	if got := LimitsOf(l, 4, true); got != want {
		t.Errorf("in memory: got %+v, want %+v", got, want)
	}
}

// A process is born in a control group, ended by it, and the group goes: on
// any cgroup2 that lets this user make one, controllers or not.
func TestGroupKills(t *testing.T) {
	dir := ""
	for _, at := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var st unix.Statfs_t
		if unix.Statfs(at, &st) == nil && st.Type == unix.CGROUP2_SUPER_MAGIC {
			dir = at
		}
	}
	g := &Group{dir: filepath.Join(dir, "cookoff-test-"+strconv.Itoa(os.Getpid()))}
	if err := os.Mkdir(g.dir, 0o755); dir == "" || err != nil {
		t.Skipf("needs a cgroup2 mount that may be written to: %v", err)
	}
	var err error
	if g.Fd, err = os.Open(g.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Kill(); g.Remove() })
	cmd := exec.Command("sleep", "1000")
	g.Hold(cmd)
	if err := cmd.Start(); err != nil {
		t.Skipf("processes can't be started in a control group here: %v", err)
	}
	if pids, err := members(g.dir); len(pids) != 1 || pids[0] != cmd.Process.Pid || err != nil {
		t.Errorf("in it: %v, %v", pids, err)
	}
	g.Kill()
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
		t.Errorf("it ended with %v", err)
	}
	g.Remove()
	if _, err := os.Stat(g.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the group is left: %v", err)
	}
	var none *Group
	none.Hold(cmd)
	none.Kill()
	none.Remove()
	if none.Counters() != nil {
		t.Error("counters of no group")
	}
}
