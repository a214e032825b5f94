package native

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/launch"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/trees"
)

// openGVisor gives a gVisor that works, or skips.
func openGVisor(t *testing.T) *selfTested {
	t.Helper()
	if testing.Short() {
		t.Skip("takes a minute")
	}
	if _, err := exec.LookPath("runsc"); err != nil {
		t.Skip("runsc is not installed")
	}
	v := newGVisor(Options{Dir: passable(t)})
	if err := v.Check(t.Context()); err != nil {
		if strings.Contains(err.Error(), "take another backend") && !knownGVisor(err) {
			t.Skip(err) // refused, in words
		}
		t.Fatal(err)
	}
	return v
}

// knownGVisor reports whether err is a hole in the release of gVisor that is
// known to have none: then it is cookoff's.
func knownGVisor(err error) bool {
	out, _ := exec.Command("runsc", "--version").Output()
	return strings.Contains(string(out), "20240729") && strings.Contains(err.Error(), ": checking: ")
}

// TestGVisorWalls tries inside what must not work, as TestProbe and TestAttacks
// do natively.
func TestGVisorWalls(t *testing.T) {
	t.Setenv("COOKOFF_TEST_KEY", "of-the-harness")
	v := openGVisor(t)
	s := newStage(t)
	sb, err := v.Open(t.Context(), sandbox.Spec{ReadOnly: []sandbox.Mount{{Source: s.self, Target: "/opt/probe"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	run := func(script string) string {
		t.Helper()
		r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script})
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Stdout) + string(r.Stderr)
	}
	// The environment of PID 1 holds nothing (the self-test looks), and a priority counts in that kernel only.
	if got, want := run("/opt/probe "+probeName), "open /proc/1/environ\npriority\nprobed\n"; got != want {
		t.Errorf("this worked:\n%swant\n%s", got, want)
	}
	for _, a := range attacks() {
		if slow := a.name[:1] == "P" && a.name[1:3] < "10"; a.spec != nil || slow {
			continue // the promises are about the same
		}
		if said := run(a.script(s)); strings.Contains(said, "UNSAFE") {
			t.Errorf("%s: %s", a.name, said)
		}
	}
	// Of root's rights, the guest has those that it needs; its helper and the
	// agent have none, and none could be handed on to them.
	held := run(
		`for t in self {1..64}; do cat /proc/$t/status; done 2>/dev/null | awk '/^Uid/{u=$2} /^Cap(Prm|Eff|Bnd)/{print u, $1, $2}' | sort -u`)
	none := "0000000000000000\n"
	want := "0 CapBnd: " + none + "0 CapEff: 00000000010000e1\n0 CapPrm: 00000000010000e1\n"
	for _, user := range []string{"1000", "1001"} {
		want += user + " CapBnd: " + none + user + " CapEff: " + none + user + " CapPrm: " + none
	}
	if held != want {
		t.Errorf("capabilities:\n%swant\n%s", held, want)
	}
	// Whatever is done to everything, files are served on, by who can't be ended.
	run("for s in $(seq 64); do for p in {1..64}; do kill -$s $p; done; done 2>/dev/null; kill -9 -1")
	if err := sb.FS().Write(t.Context(), "f", []byte("x")); err != nil {
		t.Errorf("after all was killed: %v", err)
	}
}

// TestGVisorHoled wants the self-test to find a hole that is there, and nothing
// to be opened then.
func TestGVisorHoled(t *testing.T) {
	openGVisor(t)
	for want, off := range map[string]plan.Without{"can read what serves them": {plan.Undumpable},
		"can change files that are read-only": {plan.ReadOnlyBinds}} {
		v := newGVisor(Options{Dir: passable(t)})
		without(v.Backend.(*backend), off)
		_, err := v.Open(t.Context(), sandbox.Spec{})
		if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), elsewhere) {
			t.Errorf("without %q: %v", off, err)
		}
	}
}

// TestGVisorRoot wants the root of gVisor's kernel, with every capability, to
// be nobody on the host: it reads nothing that is not everybody's, and writes
// nothing that it is shown read-only.
func TestGVisorRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make files that this user may not read")
	}
	v := openGVisor(t)
	b := v.Backend.(*backend)
	dir := passable(t)
	modes := map[string]os.FileMode{"shut": 0o600, "readable": 0o644, "everybodys": 0o666}
	for name, mode := range modes {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("of-the-host\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	said := b.asRoot(t, dir,
		`id -u; cat /host/readable; cat /host/shut; echo x > /host/shut; echo x > /host/everybodys; echo x > /host/new; chmod 777 /host/readable; chown 1000 /host/readable; rm -f /host/shut; stat -c "%a %u" /host/readable`)
	if want := "0\nof-the-host\n644 65534\n"; said != want {
		t.Errorf("root said %q, want %q", said, want)
	}
	for name, mode := range modes {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.Mode() != mode ||
			st.Sys().(*syscall.Stat_t).Uid != 0 {
			t.Errorf("%s is %v now, %v", name, st, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != "of-the-host\n" {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a file was made on the host")
	}
}

// asRoot runs a script in gVisor as its root, with every capability and with dir
// at /host, which it believes to be writable; and gives what it prints.
func (b *backend) asRoot(t *testing.T, dir, script string) string {
	t.Helper()
	agent, spec := b.users.Lend(), sandbox.Spec{}
	if err := checkSpec(&spec, launch.Facts{}); err != nil {
		t.Fatal(err)
	}
	files, err := b.store.Begin(spec, agent)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = files.Remove() }()
	p, err := b.plan(spec)
	if err == nil {
		_, err = files.Lay(&p, spec)
	}
	if err != nil {
		t.Fatal(err)
	}
	process, err := launch.Start(bundler{b.builder, dir, script}, launch.Order{Plan: &p, Agent: agent}, &b.thread)
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(process.Conn)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// bundler has a script run instead of the guest.
type bundler struct {
	launch.Builder
	dir, script string
}

func (b bundler) Prepare(o launch.Order) (*launch.Prepared, error) {
	made, err := b.Builder.Prepare(o)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(o.Plan.Dir, "b/config.json")
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var c map[string]any
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	process := c["process"].(map[string]any)
	process["args"], process["env"] = []string{"/bin/bash", "-c", b.script}, []string{"PATH=/usr/bin:/bin"}
	caps := process["capabilities"].(map[string]any)
	for set, has := range caps {
		caps[set] = append(has.([]any), "CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH", "CAP_FOWNER")
	}
	c["mounts"] = append(c["mounts"].([]any), map[string]any{"destination": "/host", "type": "bind", "source": b.dir,
		"options": []string{"rbind", "rw"}})
	if err := os.Mkdir(filepath.Join(o.Plan.Dir, "b/rootfs/host"), 0o755); err != nil {
		return nil, err
	}
	if raw, err = json.Marshal(c); err != nil {
		return nil, err
	}
	return made, os.WriteFile(file, raw, 0o600)
}

// TestGVisorHostKilled wants nothing to be left of gVisor when who started it
// is killed.
func TestGVisorHostKilled(t *testing.T) {
	openGVisor(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	base := passable(t)
	t.Cleanup(func() { _ = trees.Remove(base) })
	cmd := exec.Command(self, hostName, base, GVisor)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || said != "ready <nil>\n" {
		t.Fatalf("the host says %q, %v", said, err)
	}
	if len(about(base)) < 3 { // the host itself, and those of gVisor
		t.Errorf("%q run", about(base))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for late := time.Now().Add(time.Minute); len(about(base)) > 0; {
		if time.Now().After(late) {
			t.Fatalf("%q run on", about(base))
		}
	}
	if b, err := os.ReadFile("/proc/self/mountinfo"); err != nil || strings.Contains(string(b), base) {
		t.Errorf("a mount is left (%v)", err)
	}
}

// about gives the command lines of processes that name a directory.
func about(dir string) (found []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, _ := os.ReadFile(f); strings.Contains(string(b), dir) {
			found = append(found, strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return found
}
