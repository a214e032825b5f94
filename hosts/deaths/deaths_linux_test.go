// Package deaths holds hosts to what is said of their deaths, with real engines: .ci/hosts
// brings them up and says in COOKOFF_ENGINES where, and in COOKOFF_PROGRAM which cookoff to
// start. Everything is on this machine, so that what is left can be seen.
package deaths

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cookoff/hosts"
	"cookoff/hosts/protocol"
	"cookoff/sandbox"
)

// within is the time in which worlds end, and the brain hears of it: four heartbeats, and
// what a busy machine takes to close them.
const within = 10 * time.Second

// engines gives the directory of an engine that is up; the test is skipped where it is not.
func engines(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("COOKOFF_ENGINES")
	if dir == "" {
		t.Skip("no engine is up: .ci/hosts brings them up")
	}
	ready, err := os.ReadFile(filepath.Join(dir, "ready"))
	if err != nil || !slices.Contains(strings.Fields(string(ready)), name) {
		t.Skipf("%s is not up: %v", name, err)
	}
	return filepath.Join(dir, name)
}

// machine is what a container is made of: directories of this machine, and the program.
func machine(t *testing.T) (options []string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"proc", "sys", "dev", "tmp", "usr", "etc", "run", "var"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "tmp"), fs.ModeSticky|0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bin", "lib", "lib64", "sbin"} {
		if err := os.Symlink("usr/"+name, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return append(strings.Fields("--rm --network none --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 --user 1001 "+
		"--cap-drop ALL --security-opt no-new-privileges --security-opt seccomp=unconfined --security-opt unmask=ALL "+
		"--env HOME=/tmp -v /usr:/usr:ro"), "-v", program()+":/cookoff:ro", "--rootfs", dir)
}

// program is the cookoff that hands are started from.
func program() string { return os.Getenv("COOKOFF_PROGRAM") }

// host is a host with a command.
func host(t testing.TB, command ...string) *hosts.Host {
	t.Helper()
	f, err := os.Open(program())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		t.Fatal(err)
	}
	h := &hosts.Host{Name: "far", Hello: protocol.Hello{Build: fmt.Sprintf("%x", sum.Sum(nil)[:8])}, Trees: &hosts.Trees{},
		Setup: protocol.Setup{OwnTools: true}, Dial: hosts.Command(command, os.Environ())}
	t.Cleanup(func() { h.Close() })
	return h
}

// life is a world on a host with something in it that runs, and something that left its
// session and its group.
type life struct {
	sandbox.Sandbox
	token string // an argument that only its processes have
	told  chan error
}

// hand is the command that starts one, where this machine's files are seen.
func hand() []string { return []string{program(), "hand"} }

// begin opens a world and waits until it is at work.
func begin(t *testing.T, h *hosts.Host) *life {
	t.Helper()
	sb, err := h.Open(t.Context(), sandbox.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	l := &life{sb, fmt.Sprint(1_000_000_000 + rand.IntN(1_000_000_000)), make(chan error, 1)}
	go func() {
		_, err := sb.Exec(context.Background(), sandbox.Cmd{Script: "setsid sleep " + l.token + " & sleep " + l.token})
		l.told <- err
	}()
	for deadline := time.Now().Add(time.Minute); len(l.alive()) < 2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the world does not begin to work")
		}
	}
	return l
}

// alive are the processes of the world that sleep.
func (l *life) alive() (pids []int) {
	return processes(func(p process) bool { return p.name == "sleep" && strings.Contains(p.args, l.token) })
}

// ended checks that the brain hears of the end, and that nothing of the world is left.
func (l *life) ended(t *testing.T) {
	t.Helper()
	since := time.Now()
	var lost *sandbox.HostError
	select {
	case err := <-l.told:
		if !errors.As(err, &lost) || !errors.Is(err, sandbox.ErrUnavailable) {
			t.Errorf("what was under way ended with %v", err)
		}
		t.Logf("the brain heard of it after %v: %.150q", time.Since(since).Round(time.Millisecond), err)
	case <-time.After(within):
		t.Errorf("the brain has not heard of it after %v", within)
	}
	l.gone(t, since)
}

// gone waits for the end of the world.
func (l *life) gone(t *testing.T, since time.Time) {
	t.Helper()
	for len(l.alive()) > 0 {
		if time.Since(since) > within {
			t.Errorf("%v of the world live after %v", l.alive(), within)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("nothing of the world was left after %v", time.Since(since).Round(time.Millisecond))
}

// process is one of this machine.
type process struct {
	pid, parent int
	name, args  string
}

func read(pid int) (p process, ok bool) {
	at := fmt.Sprintf("/proc/%d/", pid)
	stat, err := os.ReadFile(at + "stat")
	args, _ := os.ReadFile(at + "cmdline") // of one that ended there are none
	open, end := strings.IndexByte(string(stat), '('), strings.LastIndexByte(string(stat), ')')
	if err != nil || open < 0 || end < open {
		return p, false
	}
	p = process{pid: pid, name: string(stat[open+1 : end]), args: strings.ReplaceAll(string(args), "\x00", " ")}
	var state string
	_, err = fmt.Sscan(string(stat[end+1:]), &state, &p.parent)
	return p, err == nil && state != "Z"
}

// processes are those that are wanted.
func processes(wanted func(process) bool) (pids []int) {
	entries, _ := os.ReadDir("/proc") // there is one
	for _, e := range entries {
		var pid int
		if _, err := fmt.Sscan(e.Name(), &pid); err != nil {
			continue
		}
		if p, ok := read(pid); ok && wanted(p) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// above is the nearest process above the world whose name begins so, and that has a word
// among its arguments.
func (l *life) above(t *testing.T, name, word string) int {
	t.Helper()
	for pid := l.alive()[0]; pid > 1; {
		p, ok := read(pid)
		if !ok {
			break
		}
		if strings.HasPrefix(p.name, name) && strings.Contains(p.args, word) {
			return pid
		}
		pid = p.parent
	}
	t.Fatalf("no %s is above the world", name)
	return 0
}

// client is the program that the host's command has started here.
func client(t *testing.T, name, word string) int {
	t.Helper()
	pids := processes(func(p process) bool {
		return p.parent == os.Getpid() && p.name == name && strings.Contains(p.args, word)
	})
	if len(pids) != 1 {
		t.Fatalf("%d programs %s with %q were started", len(pids), name, word)
	}
	return pids[0]
}

func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
	return strings.TrimSpace(string(out))
}
