// Package sandboxtest holds every backend to the promises of a sandbox. It
// needs bash and coreutils inside.
package sandboxtest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// Accepted names a promise that a backend is known not to keep, or a part of
// one (HostUnreachable/sys), and why.
type Accepted struct{ Name, Why string }

// Run tries every promise on a backend, each with what must work and what
// must not. What is accepted is skipped, with the reason.
func Run(t *testing.T, b sandbox.Backend, accepted ...Accepted) {
	s := &suite{b: b, accepted: accepted}
	for _, c := range []struct {
		name string
		test func(*testing.T, *suite)
	}{
		{"Exec", execs}, {"Scripts", scripts}, {"LockedOut", lockedOut}, {"Output", outputs},
		{"Environment", environments}, {"Files", files}, {"FileErrors", fileErrors},
		{"Search", searches}, {"Names", names}, {"Manifest", manifests}, {"Unread", unread}, {"Pack", packs}, {"Unpack", unpacks},
		{"Touched", touched}, {"Giants", giants}, {"HostUnreachable", hostUnreachable},
		{"HostUnchanged", hostUnchanged},
		{"ReadOnly", readOnly}, {"Unrestricted", unrestricted}, {"UnrestrictedLimits", wholeLimits},
		{"Network", network},
		{"Allowed", allowed}, {"Gateway", gateway}, {"Dials", dials}, {"Jobs", jobs}, {"Secrets", secrets},
		{"Apart", apart}, {"Hidden", hidden}, {"Mounts", mounts},
		{"Timeout", timeouts}, {"Daemons", daemons}, {"Cancel", cancels}, {"Memory", memory}, {"Disk", disk},
		{"FileCount", fileCount},
		{"FileSize", fileSize}, {"Processes", processes}, {"Bombs", bombs}, {"Tmp", tmp}, {"Seal", seals},
		{"States", states}, {"Copies", copies}, {"Profiles", profiles},
		{"Places", placed}, {"BadPlaces", badPlaces}, {"PlacesFill", mountsFill}, {"Programs", programs},
		{"LastWords", lastWords}, {"Refusals", refusals}, {"AtOnce", atOnce}, {"HostileTrees", hostileTrees},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !s.keeps(t, c.name) {
				t.SkipNow()
			}
			c.test(t, s)
		})
	}
}

// suite opens worlds of the backend under test.
type suite struct {
	b        sandbox.Backend
	accepted []Accepted
}

// keeps reports whether a part of a promise is not accepted to be missing.
func (s *suite) keeps(t *testing.T, part string) bool {
	for _, a := range s.accepted {
		if a.Name == part {
			t.Logf("accepted: %s", a.Why)
			return false
		}
	}
	return true
}

// world is a sandbox whose calls fail the test when they fail.
type world struct {
	sandbox.Sandbox
	t *testing.T
}

func (s *suite) open(t *testing.T, spec sandbox.Spec) world {
	t.Helper()
	sb, err := s.b.Open(t.Context(), spec)
	if err != nil {
		t.Fatalf("opening: %v", err)
	}
	t.Cleanup(func() {
		if err := sb.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return world{sb, t}
}

func (w world) run(c sandbox.Cmd) sandbox.Result {
	w.t.Helper()
	r, err := w.Exec(w.t.Context(), c)
	if err != nil {
		w.t.Fatalf("running %q: %v", c.Script, err)
	}
	return r
}

// sh runs a script that must exit 0 and gives what it printed.
func (w world) sh(script string) string {
	w.t.Helper()
	r := w.run(sandbox.Cmd{Script: script})
	if !r.OK() {
		w.t.Fatalf("%q ended with %d %s %s\n%s%s", script, r.Exit, r.Signal, r.Reason, r.Stdout, r.Stderr)
	}
	return strings.TrimSpace(string(r.Stdout))
}

// fails runs a script that must not exit 0.
func (w world) fails(script string) {
	w.t.Helper()
	if r := w.run(sandbox.Cmd{Script: script}); r.OK() {
		w.t.Errorf("%q worked:\n%s", script, r.Stdout)
	}
}

// prints runs a script that must exit 0 and print this.
func (w world) prints(want, script string) {
	w.t.Helper()
	if got := w.sh(script); got != want {
		w.t.Errorf("%q printed %q, want %q", script, got, want)
	}
}

func (w world) write(path, text string) {
	w.t.Helper()
	if err := w.FS().Write(w.t.Context(), path, []byte(text)); err != nil {
		w.t.Fatal(err)
	}
}

func (w world) read(path string) string {
	w.t.Helper()
	c, err := w.FS().Read(w.t.Context(), path, 0, 1<<20)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(c.Data)
}

// seal seals and releases at the end of the test.
func (w world) seal() sandbox.State {
	w.t.Helper()
	st, err := w.Seal(w.t.Context())
	if err != nil {
		w.t.Fatalf("sealing: %v", err)
	}
	w.t.Cleanup(func() {
		if err := st.Release(); err != nil {
			w.t.Errorf("releasing: %v", err)
		}
	})
	return st
}

// project makes a host directory from pairs of path and content.
func project(t *testing.T, pairs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		p := filepath.Join(dir, pairs[i])
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(pairs[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// mistake wants a *FileError whose reason has this in it.
func mistake(t *testing.T, err error, reason string) {
	t.Helper()
	var fe *sandbox.FileError
	if !errors.As(err, &fe) {
		t.Errorf("got %v, want a *FileError with %q", err, reason)
		return
	}
	if !strings.Contains(fe.Reason, reason) {
		t.Errorf("the reason is %q, want %q in it", fe.Reason, reason)
	}
}

// broken wants an error that says that the sandbox failed.
func broken(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("%s: got %v, want ErrUnavailable", what, err)
	}
}

func execs(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	check := func(c sandbox.Cmd, exit int, signal, stdout string) {
		t.Helper()
		r := w.run(c)
		if r.Exit != exit || r.Signal != signal || r.Reason != "" || strings.TrimSpace(string(r.Stdout)) != stdout {
			t.Errorf("%+v: exit %d %s %s %q %q, want %d %s %q", c, r.Exit, r.Signal, r.Reason, r.Stdout,
				r.Stderr, exit, signal, stdout)
		}
	}
	check(sandbox.Cmd{Script: "echo hi"}, 0, "", "hi")
	check(sandbox.Cmd{Script: "exit 7"}, 7, "", "")
	check(sandbox.Cmd{Script: "kill -9 $$"}, 137, "SIGKILL", "")
	check(sandbox.Cmd{Script: "pwd"}, 0, "", "/work")
	check(sandbox.Cmd{Script: "mkdir -p a/b ~/c && cd a && pwd"}, 0, "", "/work/a")
	check(sandbox.Cmd{Script: "pwd", Dir: "a/b"}, 0, "", "/work/a/b")
	check(sandbox.Cmd{Script: "pwd", Dir: "~/c"}, 0, "", "/home/agent/c")
	check(sandbox.Cmd{Script: "pwd", Dir: "gone"}, 126, "", "")
	check(sandbox.Cmd{Argv: []string{"printf", "%s|", "a b", "$HOME"}}, 0, "", "a b|$HOME|")
	check(sandbox.Cmd{Argv: []string{"no-such-program"}}, 127, "", "")
	check(sandbox.Cmd{Argv: []string{"/work"}}, 126, "", "")
	check(sandbox.Cmd{Script: "cat", Stdin: []byte("from outside")}, 0, "", "from outside")
	check(sandbox.Cmd{Script: "cat"}, 0, "", "")
	check(sandbox.Cmd{Script: "echo out; echo err >&2"}, 0, "", "out")
	check(sandbox.Cmd{Script: "[ $(id -u) != 0 ] && id -un; uname -n >/dev/null; echo ~"}, 0, "", "agent\n/home/agent")
	if r := w.run(sandbox.Cmd{Argv: []string{"/work"}}); !strings.Contains(string(r.Stderr),
		"/work: no program that may be run") {
		t.Errorf("running a directory says %q", r.Stderr)
	}
	if r := w.run(sandbox.Cmd{Script: "echo err >&2"}); string(r.Stderr) != "err\n" {
		t.Errorf("stderr %q", r.Stderr)
	}
	if r := w.run(sandbox.Cmd{Script: "cat | wc -c",
		Stdin: bytes.Repeat([]byte("x"), 3<<20)}); strings.TrimSpace(string(r.Stdout)) != "3145728" {
		t.Errorf("a long stdin arrived as %q %q", r.Stdout, r.Stderr)
	}
}

func outputs(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Limits: sandbox.Limits{Output: 10_000}})
	r := w.run(sandbox.Cmd{Script: "echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last"})
	switch out := string(r.Stdout); {
	case !strings.HasPrefix(out, "first\n"), !strings.HasSuffix(out, "\nlast\n"):
		t.Errorf("head or tail is missing: %.40q … %q", out, out[max(0, len(out)-40):])
	case len(out) > 10_100:
		t.Errorf("%d bytes were kept", len(out))
	case r.Cut != 5_000_012-10_000:
		t.Errorf("%d bytes were said to be left out, want %d", r.Cut, 5_000_012-10_000)
	case !strings.Contains(out, "left out"):
		t.Error("no line says that something was left out")
	}
	r = w.run(sandbox.Cmd{Script: "head -c 10000 /dev/zero | tr '\\0' y"})
	if len(r.Stdout) != 10_000 || r.Cut != 0 {
		t.Errorf("output of exactly the limit: %d bytes, %d cut", len(r.Stdout), r.Cut)
	}
	r = w.run(sandbox.Cmd{Script: `printf '\xff\x00\x1b'`})
	if string(r.Stdout) != "\xff\x00\x1b" {
		t.Errorf("bytes changed: %q", r.Stdout)
	}
}

func environments(t *testing.T, s *suite) {
	t.Setenv("COOKOFF_TEST_SECRET", "of-the-harness")
	w := s.open(t, sandbox.Spec{Env: []string{"A=spec", "B=spec"}})
	r := w.run(sandbox.Cmd{Script: "echo $A $B; env", Env: []string{"B=cmd"}})
	if out := string(r.Stdout); !strings.HasPrefix(out, "spec cmd\n") || strings.Contains(out, "of-the-harness") {
		t.Errorf("the environment is\n%s", out)
	}
	for _, want := range []string{"HOME=/home/agent", "USER=agent", "TERM=dumb", "TMPDIR=/tmp", "LANG=C.UTF-8",
		"PYTHONDONTWRITEBYTECODE=1"} {
		if !strings.Contains(string(r.Stdout), want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}
