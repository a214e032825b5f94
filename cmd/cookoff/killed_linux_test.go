package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/native"
	"cookoff/sandbox/scratch"
)

// TestKilledAnywhere kills runs at random points: no process and no mount may
// be left of them, and what is left of files "clean" removes. The points come
// from a fixed seed, as parts of the time that a whole run takes: what the first
// took, longer with every run that was killed, shorter with every one that had
// ended, so that a machine that is now quick, now slow, keeps most of them inside.
func TestKilledAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("kills 20 runs")
	}
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox here: %v", err)
	}
	// Whoever loses its parents becomes this process's child, and is seen.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
	dir, tmp := t.TempDir(), t.TempDir()
	t.Cleanup(func() { _ = scratch.Remove(tmp) })
	recipe := strings.Replace(tiny(t), "```sh setup\n", "```sh setup\nsetsid sleep 1000 >/dev/null 2>&1 &\n", 1)
	if err := os.WriteFile(filepath.Join(dir, "recipe.md"), []byte(recipe), 0o644); err != nil {
		t.Fatal(err)
	}
	start := func(args ...string) *exec.Cmd {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "cookoff", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+tmp, "HOME="+tmp, "XDG_CACHE_HOME="+tmp+"/cache")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	before := descendants(0)
	began := time.Now()
	if err := start("run", "--quiet").Wait(); err != nil && !strings.HasPrefix(err.Error(), "exit status") {
		t.Fatal(err)
	}
	whole := time.Since(began)
	random := rand.New(rand.NewPCG(20, 17))
	sandboxed := 0
	for i := range 20 {
		cmd := start("run", "--quiet")
		time.Sleep(time.Duration(random.Int64N(int64(whole))))
		if len(descendants(cmd.Process.Pid)) > len(before)+1 {
			sandboxed++
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if _ = cmd.Wait(); cmd.ProcessState.Exited() {
			whole = whole * 3 / 4
		} else {
			whole = whole * 21 / 20
		}
		for end := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
			left := descendants(0)
			for pid := range before {
				delete(left, pid)
			}
			if len(left) == 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("after kill %d these live on: %v", i, left)
			}
		}
		if b, err := os.ReadFile("/proc/self/mountinfo"); err != nil || strings.Contains(string(b), tmp) {
			t.Fatalf("after kill %d something is mounted, %v:\n%s", i, err, b)
		}
	}
	if sandboxed < 4 {
		t.Errorf("only %d of 20 runs were killed while a sandbox ran", sandboxed)
	}
	if err := start("clean", "--quiet").Wait(); err != nil {
		t.Error(err)
	}
	for _, pattern := range []string{"cookoff-files-*", ".cookoff-*", "cookoff-*/*"} {
		if left, _ := filepath.Glob(filepath.Join(tmp, pattern)); len(left) > 0 {
			t.Errorf("clean left %q", left)
		}
	}
}

// descendants gives the processes that descend from this one, by PID, and
// reaps those that were handed to it and have ended, but for one.
func descendants(but int) map[int]string {
	parent, name, state := map[int]int{}, map[int]string{}, map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		b, err := os.ReadFile(f)
		open, shut := strings.IndexByte(string(b), '('), strings.LastIndexByte(string(b), ')')
		if err != nil || shut < 0 {
			continue
		}
		pid, _ := strconv.Atoi(strings.TrimSpace(string(b[:open])))
		fields := strings.Fields(string(b[shut+1:]))
		state[pid], name[pid] = fields[0], string(b[open+1:shut])
		parent[pid], _ = strconv.Atoi(fields[1])
	}
	found := map[int]string{}
	for pid := range parent {
		for up := parent[pid]; up > 1; up = parent[up] {
			if up == os.Getpid() {
				found[pid] = name[pid]
				break
			}
		}
		if state[pid] == "Z" && parent[pid] == os.Getpid() && pid != but {
			var ws syscall.WaitStatus
			if got, _ := syscall.Wait4(pid, &ws, syscall.WNOHANG, nil); got == pid {
				delete(found, pid)
			}
		}
	}
	return found
}
