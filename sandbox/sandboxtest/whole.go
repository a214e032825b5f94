package sandboxtest

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
)

// HostDir makes a directory of the host that a sandbox with Unrestricted shows,
// and that everybody may enter: not one of the host's places for temporary
// files, for the sandbox has its own. The test is skipped where there is none.
func HostDir(t *testing.T) string {
	t.Helper()
	home, _ := os.UserHomeDir()
	for _, dir := range []string{home, "/srv", "/opt", "/var/lib", "/usr/local"} {
		if real, err := filepath.EvalSymlinks(dir); err != nil || real != dir || !passable(dir) {
			continue
		}
		made, err := os.MkdirTemp(dir, "cookoff-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = os.RemoveAll(made) })
		if err := os.Chmod(made, 0o755); err != nil {
			t.Fatal(err)
		}
		return made
	}
	t.Skip("no directory of this machine but for temporary files can be written")
	return ""
}

// passable reports whether everybody, or the owner where that is us and no
// root, may go to dir, and a sandbox has nothing of its own there.
func passable(dir string) bool {
	for _, own := range []string{os.TempDir(), "/tmp", "/var/tmp", "/run", "/dev", sandbox.WorkDir, sandbox.HomeDir} {
		if dir == own || strings.HasPrefix(dir, own+"/") {
			return false
		}
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if st, err := os.Stat(dir); err != nil || os.Getuid() == 0 && st.Mode().Perm()&1 == 0 {
			return false
		}
	}
	return true
}

// hostFiles is a directory of the host, with what an agent may be after.
type hostFiles struct {
	dir  string
	fifo int
}

func hostTree(t *testing.T) hostFiles {
	t.Helper()
	h := hostFiles{dir: HostDir(t)}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"f", "gone", "key"} {
		must(os.WriteFile(filepath.Join(h.dir, name), []byte("of-the-host\n"), 0o666))
		must(os.Chmod(filepath.Join(h.dir, name), 0o666))
	}
	must(os.Mkdir(filepath.Join(h.dir, "state"), 0o755))
	must(os.WriteFile(filepath.Join(h.dir, "state", "journal"), []byte("of-the-host\n"), 0o644))
	must(os.Chmod(h.dir, 0o777))
	l, err := net.Listen("unix", filepath.Join(h.dir, "socket"))
	must(err)
	t.Cleanup(func() { l.Close() })
	must(os.Chmod(filepath.Join(h.dir, "socket"), 0o777))
	must(unix.Mkfifo(filepath.Join(h.dir, "pipe"), 0o666))
	must(os.Chmod(filepath.Join(h.dir, "pipe"), 0o666))
	h.fifo, err = unix.Open(filepath.Join(h.dir, "pipe"), unix.O_RDONLY|unix.O_NONBLOCK, 0)
	must(err)
	t.Cleanup(func() { unix.Close(h.fifo) })
	return h
}

// unchanged wants the host's files to be what they were.
func (h hostFiles) unchanged(t *testing.T) {
	t.Helper()
	var names []string
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "f gone key pipe socket state" {
		t.Errorf("the host's directory became %q", got)
	}
	if b, err := os.ReadFile(filepath.Join(h.dir, "f")); err != nil || string(b) != "of-the-host\n" {
		t.Errorf("the host's file became %q %v", b, err)
	}
	if n, err := unix.Read(h.fifo, make([]byte, 1)); n > 0 {
		t.Errorf("something came through the host's pipe: %d %v", n, err)
	}
}

// unrestricted wants all of the host in view, and nothing to reach it; or a
// refusal with the next step.
func unrestricted(t *testing.T, s *suite) {
	h := hostTree(t)
	spec := sandbox.Spec{Filesystem: sandbox.Unrestricted, Project: project(t, "p", "mine"),
		Env: []string{"H=" + h.dir}, Concealed: []string{filepath.Join(h.dir, "key"), filepath.Join(h.dir, "state")}}
	sb, err := s.b.Open(t.Context(), spec)
	if err != nil {
		if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), "unrestricted") ||
			!strings.Contains(err.Error(), "\nhint: ") {
			t.Errorf("it is neither kept nor refused with the next step: %v", err)
		}
		return
	}
	w := world{sb, t}
	t.Cleanup(func() { _ = sb.Close() })
	w.prints("mine of-the-host", "cat p $H/f | sed 's/mine/& /' | xargs")
	w.prints("agent 1000 /home/agent", "echo $(id -un) $(id -u) ~")
	w.sh("test -d /usr/bin && test -d /var && test -s /etc/passwd && ! test -e /sys/kernel")
	w.sh("cd $H && echo changed > f && rm gone && echo new > new && mkdir d && mv f g")
	w.prints("changed new", "cat $H/g $H/new | xargs")
	w.prints("agent", "touch $H/mine; stat -c %U $H/mine")

	w.prints("", "ls -d $H/key $H/state 2>/dev/null; true")
	w.fails("cat /etc/shadow")
	w.fails("echo x > /proc/sys/kernel/core_pattern")
	w.fails("echo x > /f")
	w.fails("mknod $H/null c 1 3")
	w.sh("! timeout 1 bash -c 'echo through > $H/pipe'") // a pipe of its own, which nobody reads
	for _, d := range []string{"/tmp", "/var/tmp", "/run", "/dev/shm"} {
		w.sh("echo x > " + d + "/f")
		if _, err := os.Stat(d + "/f"); err == nil {
			t.Errorf("%s is the host's", d)
		}
	}
	h.unchanged(t)
	finalWhole(t, s, w, spec)
	h.unchanged(t)
}

// finalWhole wants a final state of project and home, and the host as it is
// around it, read-only for those who check.
func finalWhole(t *testing.T, s *suite, w world, spec sandbox.Spec) {
	t.Helper()
	w.sh("echo done > p; echo mine > ~/h")
	spec.Project, spec.State = "", w.seal()
	some, more := w.Sandbox.(sandbox.Partial).ChangedElsewhere()
	var names []string
	for _, path := range some {
		names = append(names, filepath.Base(path))
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "f g gone mine new" || more != 0 {
		t.Errorf("changed elsewhere are said to be %q and %d more", some, more)
	}
	spec.Profile = sandbox.Verify
	j := s.open(t, spec)
	j.prints("done mine of-the-host of-the-host", "cat p ~/h $H/f $H/gone | xargs")
	j.prints("", "ls -d $H/new $H/key 2>/dev/null; true")
	j.fails("echo x > $H/f")
	j.sh("echo x > p; echo x > ~/h; echo x > /tmp/f")
}

// wholeLimits wants what is written anywhere to be bounded.
func wholeLimits(t *testing.T, s *suite) {
	h := hostTree(t)
	for _, c := range []struct {
		limits         sandbox.Limits
		script, reason string
	}{
		{sandbox.Limits{Disk: 4 << 20}, "for i in {1..200}; do head -c 1000000 /dev/zero > $H/n$i; sleep 0.05; done",
			"disk"},
		{sandbox.Limits{Files: 100}, "for i in {1..200}; do touch $H/n$i.{1..20}; sleep 0.05; done", "files"},
		{sandbox.Limits{FileSize: 1 << 20}, "head -c 3000000 /dev/zero > $H/n", "file size"},
	} {
		sb, err := s.b.Open(t.Context(), sandbox.Spec{Filesystem: sandbox.Unrestricted, Limits: c.limits,
			Env: []string{"H=" + h.dir}})
		if err != nil {
			return // which the test before this one looks at
		}
		w := world{sb, t}
		r := w.run(sandbox.Cmd{Script: c.script, Timeout: 20 * time.Second})
		if r.Reason != c.reason {
			t.Errorf("%q ended with %d %q %s, want the reason %q", c.script, r.Exit, r.Reason, r.Stderr, c.reason)
		}
		w.prints("alive", "rm -f $H/n*; echo alive")
		if err := sb.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	h.unchanged(t)
}
