package sandboxtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// MemoryGroup is a control group of version 1 in which the kernel ends processes once
// they hold more than it has. Below it cookoff has no groups of its own.
type MemoryGroup string

// NewMemoryGroup makes one of so many bytes below this process's own, and skips the test
// where none can be made.
func NewMemoryGroup(t *testing.T, bytes int64) MemoryGroup {
	t.Helper()
	const top = "/sys/fs/cgroup/memory"
	var st unix.Statfs_t
	if err := unix.Statfs(top, &st); err != nil || st.Type != unix.CGROUP_SUPER_MAGIC {
		t.Skip("the memory controller of control groups is not that of version 1 here: no process can be starved")
	}
	text, _ := os.ReadFile("/proc/self/cgroup")
	var own string
	for line := range strings.Lines(string(text)) {
		if f := strings.SplitN(strings.TrimSpace(line), ":", 3); len(f) == 3 && f[1] == "memory" {
			own = f[2]
		}
	}
	g := MemoryGroup(filepath.Join(top, own, fmt.Sprintf("cookoff-test-%d", os.Getpid())))
	if err := os.Mkdir(string(g), 0o755); err != nil {
		t.Skipf("no control group of memory can be made: %v", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(string(g)); err != nil {
			t.Error(err)
		}
	})
	const swap = "memory.memsw.limit_in_bytes" // where it is counted
	for _, file := range []string{"memory.limit_in_bytes", swap} {
		err := os.WriteFile(filepath.Join(string(g), file), []byte(strconv.FormatInt(bytes, 10)), 0o644)
		if err != nil && !os.IsNotExist(err) {
			t.Skipf("no control group of memory can be bounded: %v", err)
		}
	}
	return g
}

// Shell is a script that enters the group, with all that it starts.
func (g MemoryGroup) Shell(script string) string {
	return "echo $$ > " + filepath.Join(string(g), "cgroup.procs") + "\n" + script
}

// Take puts a process into the group.
func (g MemoryGroup) Take(t *testing.T, pid int) {
	t.Helper()
	err := os.WriteFile(filepath.Join(string(g), "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o644)
	if err != nil {
		t.Fatal(err)
	}
}

// Ended is how many processes the kernel has ended in it.
func (g MemoryGroup) Ended(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(string(g), "memory.oom_control"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "oom_kill ")
	n, err := strconv.Atoi(strings.TrimSpace(after))
	if err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return n
}
