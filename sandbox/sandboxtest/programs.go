package sandboxtest

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"cookoff/sandbox"
)

// programs talks with programs that run on beside the calls.
func programs(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Limits: sandbox.Limits{Call: time.Second}})
	starter, ok := w.Sandbox.(sandbox.Starter)
	if !ok {
		t.Fatal("the sandbox is no sandbox.Starter")
	}
	exits := func(script string) int { // whatever the machine is doing, not within that second
		t.Helper()
		r := w.run(sandbox.Cmd{Script: script, Timeout: time.Minute})
		if r.Reason != "" {
			t.Errorf("%q was ended: %s", script, r.Reason)
		}
		return r.Exit
	}
	start := func(script string) (sandbox.Program, *bufio.Reader) {
		t.Helper()
		p, err := starter.Start(t.Context(), sandbox.Cmd{Script: script, Env: []string{"WORD=hello"}})
		if err != nil {
			t.Fatalf("starting %q: %v", script, err)
		}
		return p, bufio.NewReader(p)
	}
	says := func(r *bufio.Reader, want string) {
		t.Helper()
		if got, err := r.ReadString('\n'); got != want+"\n" {
			t.Errorf("it says %q (%v), want %q", got, err, want)
		}
	}
	ends := func(p sandbox.Program, r io.Reader) sandbox.Result {
		t.Helper()
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Fatalf("reading to the end: %v", err)
		}
		res, ok := p.Result()
		if !ok {
			t.Error("it has ended without a result")
		}
		return res
	}

	// A dialogue, in the world of the calls; a call's timeout is not its own.
	p, out := start(
		`while read -r line; do echo "$WORD $line" >> said; echo "$WORD $line"; done; echo over >&2; exit 7`)
	_, _ = io.WriteString(p, "one\n")
	says(out, "hello one")
	if r := w.run(sandbox.Cmd{Script: "sleep 60"}); r.Reason != "timeout" {
		t.Errorf("a call beside it: %+v", r)
	}
	_, _ = io.WriteString(p, "two\n")
	says(out, "hello two")
	if got := w.read("said"); got != "hello one\nhello two\n" {
		t.Errorf("both wrote %q", got)
	}
	p.Close()
	if r := ends(p, out); r.Exit != 7 || strings.TrimSpace(string(r.Stderr)) != "over" {
		t.Errorf("it ended with %+v", r)
	}
	if _, err := p.Write([]byte("late")); err == nil {
		t.Error("a program that is gone takes input")
	}

	// Killed with what it started; what others left running stays.
	lives := `for p in /proc/[0-9]*; do tr '\0' ' ' 2>/dev/null <$p/cmdline | grep -q '^sleep %s ' && exit; done; exit 1`
	exits("(setsid sleep 1002 >/dev/null 2>&1 &); until (" + strings.ReplaceAll(lives, "%s",
		"1002") + "); do sleep 0.01; done")
	p, out = start("sleep 1001 & sleep 1001 & echo ready; wait")
	says(out, "ready")
	if err := p.Kill(t.Context()); err != nil {
		t.Error(err)
	}
	if r := ends(p, out); r.Signal != "SIGKILL" {
		t.Errorf("killed: %+v", r)
	}
	if exits(strings.ReplaceAll(lives, "%s", "1001")) == 0 {
		t.Error("what it started lives on")
	}
	if exits(strings.ReplaceAll(lives, "%s", "1002")) != 0 {
		t.Error("what others left running is gone")
	}
	if err := p.Kill(t.Context()); err != nil {
		t.Errorf("killing it again: %v", err)
	}

	// Output that nobody reads stops the program and nothing else.
	p, out = start("yes")
	exits("true")
	says(out, "y")
	_ = p.Kill(t.Context())
	ends(p, out)

	// What can't be started, and how many can.
	var fe *sandbox.FileError
	if _, err := starter.Start(t.Context(), sandbox.Cmd{Argv: []string{"no-such-program"}}); !errors.As(err, &fe) ||
		!strings.Contains(err.Error(), "not found") {
		t.Errorf("no such program: %v", err)
	}
	if _, err := starter.Start(t.Context(), sandbox.Cmd{Script: "true", Dir: "nowhere"}); !errors.As(err, &fe) {
		t.Errorf("no such directory: %v", err)
	}
	var last *bufio.Reader
	for range sandbox.MaxPrograms {
		_, last = start("echo up; cat")
		says(last, "up")
	}
	if _, err := starter.Start(t.Context(), sandbox.Cmd{Script: "cat"}); !errors.As(err, &fe) {
		t.Errorf("one too many: %v", err)
	}

	// Sealing ends them.
	st, err := w.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Release()
	if _, err := last.ReadString('\n'); err == nil {
		t.Error("a program outlives the seal")
	}
}

// lastWords wants what a program said before its end to be heard however late
// that is asked for, and its end after it.
func lastWords(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	starter, ok := w.Sandbox.(sandbox.Starter)
	if !ok {
		t.Fatal("the sandbox is no sandbox.Starter")
	}
	p, err := starter.Start(t.Context(), sandbox.Cmd{Script: "echo $$ > pid; head -c 50000 /dev/zero"})
	if err != nil {
		t.Fatal(err)
	}
	w.sh("until [ -s pid ]; do :; done; while [ -d /proc/$(cat pid) ]; do sleep 0.01; done; sleep 0.2")
	said, err := io.ReadAll(p)
	if len(said) != 50_000 || err != nil {
		t.Errorf("%d bytes arrived (%v)", len(said), err)
	}
	if r, ok := p.Result(); !ok || !r.OK() {
		t.Errorf("it ended with %+v, %v", r, ok)
	}
}
