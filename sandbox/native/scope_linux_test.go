package native

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/cgroup"
	"cookoff/sandbox/plan"
)

// needScope opens worlds whose control groups the kernel bounds; only where
// the test was started in a control group of its own.
func needScope(t *testing.T, off plan.Without) *backend {
	t.Helper()
	b := without(newNative(Options{Dir: t.TempDir()}), off)
	if _, err := b.groups.Scope(b.space.NoteScope); err != nil {
		if os.Getenv("COOKOFF_TEST_SCOPE") != "" {
			t.Fatal(err)
		}
		t.Skipf("needs a delegated control group: %v", err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func openIn(t *testing.T, b sandbox.Backend, spec sandbox.Spec) sandbox.Sandbox {
	t.Helper()
	sb, err := b.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sb.Close() })
	return sb
}

// run runs a script that must get a fair run.
func runIn(t *testing.T, sb sandbox.Sandbox, script string) sandbox.Result {
	t.Helper()
	r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script, Timeout: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// withHog shows the world this test binary, which takes memory when asked to.
func withHog(t *testing.T, l sandbox.Limits) sandbox.Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.Spec{ReadOnly: []sandbox.Mount{{Source: self, Target: "/opt/probe"}}, Limits: l}
}

// The kernel alone ends bombs here: the guest's own look at memory and
// processes is taken away. With the control group taken away as well, nothing
// does.
func TestScopeBounds(t *testing.T) {
	limits := sandbox.Limits{Memory: 32 << 20, Tmp: 1 << 20, Disk: 1 << 20, Files: 1000, Processes: 40}
	// What exceeds the limit by what the kernel leaves room for, and a bit.
	over := int(cgroup.LimitsOf(limits, 1, cgroup.InMemory(os.TempDir())).Memory>>20) + 32
	hog := fmt.Sprintf("/opt/probe %s private %d && echo touched", hogName, over)
	apart := fmt.Sprintf("for i in 1 2; do (/opt/probe %s waiting %d; exit 0) & done; wait; echo handled",
		hogName, over/2)
	for script, what := range map[string]string{hog: "one process", apart: "several"} {
		b := needScope(t, plan.Without{plan.WatchedLimits})
		sb := openIn(t, b, withHog(t, limits))
		if r := runIn(t, sb, script); r.Reason != "memory" || r.OK() {
			t.Errorf("%s: exit %d %s, reason %q, %q %q", what, r.Exit, r.Signal, r.Reason, r.Stdout, r.Stderr)
		}
		if r := runIn(t, sb, "echo lives"); string(r.Stdout) != "lives\n" {
			t.Errorf("%s: afterwards %+v", what, r)
		}
	}
	b := needScope(t, plan.Without{plan.WatchedLimits, plan.ControlGroup})
	if r := runIn(t, openIn(t, b, withHog(t, limits)), hog); string(r.Stdout) != "touched\n" {
		t.Errorf("without any watch: %+v: the attack proves nothing", r)
	}
}

func TestScopeProcesses(t *testing.T) {
	// Processes that cost little: each waits for somebody to write.
	bomb := "mkfifo f; for i in $(seq 600); do read x < f & done 2>/dev/null && echo all"
	limits := sandbox.Limits{Processes: 40}
	b := needScope(t, plan.Without{plan.WatchedLimits, plan.ProcessLimit})
	sb := openIn(t, b, sandbox.Spec{Limits: limits})
	if r := runIn(t, sb, bomb+"; wait"); r.Reason != "processes" || r.OK() {
		t.Errorf("exit %d %s, reason %q, %q", r.Exit, r.Signal, r.Reason, r.Stderr)
	}
	if r := runIn(t, sb, "echo lives"); string(r.Stdout) != "lives\n" {
		t.Errorf("afterwards %+v", r)
	}
	b = needScope(t, plan.Without{plan.WatchedLimits, plan.ProcessLimit, plan.ControlGroup})
	r := runIn(t, openIn(t, b, sandbox.Spec{Limits: limits}), bomb)
	if string(r.Stdout) != "all\n" {
		t.Errorf("without any limit: %+v: the attack proves nothing", r)
	}
}

func TestScopeShared(t *testing.T) { sharedMemory(t, needScope(t, nil)) }

func TestSharedMemory(t *testing.T) {
	sharedMemory(t, without(newNative(Options{Dir: t.TempDir()}), plan.Without{plan.ControlGroup}))
}

// sharedMemory is taken: memory that is no process's own.
func sharedMemory(t *testing.T, b *backend) {
	sb := openIn(t, b, withHog(t, sandbox.Limits{Memory: 64 << 20}))
	for _, how := range []string{"mapped", "segments"} {
		if r := runIn(t, sb, "/opt/probe "+hogName+" "+how+" 300; sleep 20"); r.Reason != "memory" || r.OK() {
			t.Errorf("%s: exit %d %s, reason %q, %q %q", how, r.Exit, r.Signal, r.Reason, r.Stdout, r.Stderr)
		}
		if r := runIn(t, sb, "echo lives"); string(r.Stdout) != "lives\n" {
			t.Errorf("%s: afterwards %+v", how, r)
		}
	}
	if r := runIn(t, sb, "head -c 100000000 /dev/zero > /tmp/f && sleep 1 && echo fits"); string(r.Stdout) != "fits\n" {
		t.Errorf("files in /tmp, which have a limit of their own: %+v", r)
	}
}

// hogName is the argument on which the test binary takes memory: how, and how
// many megabytes of it.
const hogName = "hog-memory"

func hog(how, megabytes string) error {
	n, err := strconv.Atoi(megabytes)
	if err != nil {
		return err
	}
	kind := unix.MAP_PRIVATE
	switch how {
	case "mapped":
		kind = unix.MAP_SHARED
	case "segments":
		for range n {
			id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 1<<20, unix.IPC_CREAT|0o600)
			if err != nil {
				return err
			}
			b, err := unix.SysvShmAttach(id, 0, 0)
			if err != nil {
				return err
			}
			touch(b)
			_ = unix.SysvShmDetach(b)
		}
		return nil
	}
	b, err := unix.Mmap(-1, 0, n<<20, unix.PROT_READ|unix.PROT_WRITE, kind|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	if touch(b); how != "private" {
		time.Sleep(20 * time.Second)
	}
	return nil
}

func touch(b []byte) {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

// The world can't see where its control group is, and nothing of it is left.
func TestScopeHidden(t *testing.T) {
	for _, name := range []string{Native, Bwrap} {
		t.Run(name, func(t *testing.T) {
			needScope(t, nil)
			b := byName(name, Options{Dir: passable(t)}).(*backend)
			s, err := b.groups.Scope(b.space.NoteScope)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { b.Close() })
			if _, err := exec.LookPath("bwrap"); name == Bwrap && err != nil {
				t.Skip("bubblewrap is not installed")
			}
			sb := openIn(t, b, sandbox.Spec{})
			if n := worldsIn(t, s.Dir); n != 1 {
				t.Errorf("%d control groups, want 1", n)
			}
			r := runIn(t, sb,
				"cat /proc/self/cgroup /proc/1/cgroup; ls -d /sys/fs/cgroup; grep cgroup /proc/self/mountinfo")
			for line := range strings.Lines(string(r.Stdout)) {
				if !strings.HasSuffix(line, ":/\n") {
					t.Errorf("inside: %q", line)
				}
			}
			if r := runIn(t, sb, "echo 0 > /proc/self/oom_score_adj"); r.OK() {
				t.Error("a process can save itself from being ended first")
			}
			if r := runIn(t, sb, "cat /proc/self/oom_score_adj"); string(r.Stdout) != "1000\n" {
				t.Errorf("whoever runs inside is ended first: %q", r.Stdout)
			}
			st, err := sb.Seal(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n := worldsIn(t, s.Dir); n != 0 {
				t.Errorf("%d control groups are left after Seal", n)
			}
			if err := errors.Join(st.Release(), b.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

func worldsIn(t *testing.T, dir string) (n int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != cgroup.SelfName {
			n++
		}
	}
	return n
}

// What a killed process left is found and removed, and the control group above
// is as it was.
func TestScopeLeftovers(t *testing.T) {
	own, err := cgroup.OwnGroup("/proc")
	if err == nil {
		err = cgroup.HasControllers(own)
	}
	if err != nil {
		t.Skipf("needs a delegated control group: %v", err)
	}
	before, _ := os.ReadFile(filepath.Join(own, "cgroup.subtree_control"))
	b := needScope(t, nil)
	s, _ := b.groups.Scope(b.space.NoteScope)
	g, err := s.Group("left", cgroup.Limits{Memory: 1 << 20, Pids: 10})
	if err != nil {
		t.Fatal(err)
	}
	g.Fd.Close()
	if err := cgroup.RemoveAll(filepath.Join(s.Dir, "left")); err == nil {
		t.Error("what is none of cookoff's was removed")
	}
	if !s.Moved {
		if err := cgroup.RemoveAll(s.Dir); err != nil {
			t.Fatal(err)
		}
	}
	g.Remove()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", s.Dir, err)
	}
	after, _ := os.ReadFile(filepath.Join(own, "cgroup.subtree_control"))
	if now, err := cgroup.OwnGroup("/proc"); now != own || err != nil || s.Moved && string(after) != string(before) {
		t.Errorf("the control group was %s (%s), is %s (%s), %v", own, before, now, after, err)
	}
}
