package sandboxtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"cookoff/sandbox"
)

// alive counts processes whose command line has this in it.
func (w world) alive(what string) string {
	w.t.Helper()
	return w.sh(`n=0; for p in /proc/[0-9]*; do tr '\0' ' ' < $p/cmdline 2>/dev/null | grep -q '^` + what +
		`' && n=$((n+1)); done; echo $n`)
}

// patience holds what a call that runs into its limit may be given in turn,
// where it must have begun by then: only a slow machine needs the later ones.
var patience = []time.Duration{300 * time.Millisecond, 3 * time.Second, 30 * time.Second}

func timeouts(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	w.sh("setsid sleep 1111 >/dev/null 2>&1 &")
	check := func(script string) {
		t.Helper()
		r := w.run(sandbox.Cmd{Script: script, Timeout: 300 * time.Millisecond})
		if r.Reason != "timeout" || r.Exit != 124 || r.OK() {
			t.Errorf("%q: exit %d, reason %q", script, r.Exit, r.Reason)
		}
	}
	check("sleep 2222")
	check("trap '' TERM INT HUP; while :; do sleep 2222; done")
	check("kill -STOP $$")
	check("setsid setsid bash -c 'trap \"\" HUP TERM; sleep 2222 & sleep 2222' & sleep 2222")
	check("(setsid sleep 2222 >/dev/null 2>&1 &) ; sleep 2222")
	check("while :; do (sleep 2222 &) ; sleep 0.01; done")
	if n := w.alive("sleep 2222"); n != "0" {
		t.Errorf("%s processes of ended calls are left", n)
	}
	if n := w.alive("sleep 1111"); n != "1" {
		t.Errorf("%s of the earlier daemon are left, want 1", n)
	}
	w.prints("still works", "echo still works")
	var r sandbox.Result
	for _, limit := range patience { // it must have had the time to say it
		if r = w.run(sandbox.Cmd{Script: "echo said; sleep 2222", Timeout: limit}); len(r.Stdout) > 0 {
			break
		}
	}
	if string(r.Stdout) != "said\n" || r.Reason != "timeout" {
		t.Errorf("output before a timeout: %q, %q", r.Stdout, r.Reason)
	}
	short := s.open(t, sandbox.Spec{Limits: sandbox.Limits{Call: 200 * time.Millisecond}})
	if r := short.run(sandbox.Cmd{Script: "sleep 2222"}); r.Reason != "timeout" {
		t.Errorf("the limit of the world: %+v", r)
	}
}

func daemons(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	r := w.run(sandbox.Cmd{Script: "(sleep 1234; echo late) & echo done", Timeout: time.Minute})
	if !r.OK() || string(r.Stdout) != "done\n" || r.Duration > 30*time.Second {
		t.Errorf("a call whose daemon keeps stdout open: %+v", r)
	}
	w.sh(`mkfifo in; (while read -r x < in; do echo "got $x" > out; done) >/dev/null 2>&1 &`)
	w.prints("got ping", "echo ping > in; until [ -s out ]; do sleep 0.01; done; cat out")
	for i := 0; w.alive("sleep 1234") != "1"; i++ {
		if i == 100 {
			t.Fatal("the daemon does not live")
		}
	}
}

func cancels(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{})
	ctx, cancel := context.WithCancel(t.Context())
	w.sh("mkfifo up")
	done := make(chan error)
	go func() {
		_, err := w.Exec(ctx, sandbox.Cmd{Script: "echo x > up; (setsid sleep 3333 &); sleep 3333"})
		done <- err
	}()
	w.sh("cat up")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call gave %v", err)
	}
	for i := 0; w.alive("sleep 3333") != "0"; i++ {
		if i == 100 {
			t.Fatal("a cancelled call runs on:\n" + w.sh("ps -ef"))
		}
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := s.b.Open(ctx, sandbox.Spec{}); !errors.Is(err, context.Canceled) {
		t.Errorf("opening when cancelled gave %v", err)
	}
}

func memory(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Limits: sandbox.Limits{Memory: 64 << 20}})
	r := w.run(sandbox.Cmd{Script: `x=$(head -c 400000000 /dev/zero | tr '\0' x); echo touched`, Timeout: time.Minute})
	if r.Reason != "memory" || strings.Contains(string(r.Stdout), "touched") || r.OK() {
		t.Errorf("a memory bomb: exit %d, reason %q, %q", r.Exit, r.Reason, r.Stdout)
	}
	w.prints("1000000", "x=$(head -c 1000000 /dev/zero | tr '\\0' x); echo ${#x}")
}

func disk(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Limits: sandbox.Limits{Disk: 20 << 20}})
	w.sh("head -c 5000000 /dev/zero > fits; rm fits")
	r := w.run(sandbox.Cmd{Script: "for i in $(seq 600); do head -c 1000000 /dev/zero > f$i || exit 3; " +
		"sleep 0.01; done; echo filled", Timeout: time.Minute})
	if r.Reason != "disk" || r.OK() {
		t.Errorf("filling the disk: exit %d, reason %q, %q", r.Exit, r.Reason, r.Stdout)
	}
	w.sh("rm f*")
	w.prints("usable again", "echo usable again")
	if err := w.FS().Write(t.Context(), "big", make([]byte, 21<<20/2)); err != nil {
		t.Errorf("writing within the limit: %v", err)
	}
}

func fileCount(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Limits: sandbox.Limits{Files: 500}})
	w.sh("seq 100 | xargs touch")
	r := w.run(sandbox.Cmd{Script: "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); " +
		": > n$i; [ $((i%100)) = 0 ] && sleep 0.02; done; echo made", Timeout: time.Minute})
	if r.Reason != "files" || r.OK() {
		t.Errorf("making files: exit %d, reason %q, %q", r.Exit, r.Reason, r.Stdout)
	}
}

func fileSize(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Limits: sandbox.Limits{FileSize: 1 << 20}})
	w.sh("head -c 1000000 /dev/zero > fits")
	if r := w.run(sandbox.Cmd{Script: "head -c 2000000 /dev/zero > big"}); r.Reason != "file size" || r.OK() {
		t.Errorf("a file that is too large: exit %d %s, reason %q", r.Exit, r.Signal, r.Reason)
	}
	w.fails("truncate -s 1T sparse")
	mistake(t, w.FS().Write(t.Context(), "big2", make([]byte, 2<<20)), "limit")
}

func processes(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Limits: sandbox.Limits{Processes: 60}})
	w.sh("for i in $(seq 10); do sleep 0.1 & done; wait")
	r := w.run(sandbox.Cmd{Script: "for i in $(seq 300); do sleep 30 & done 2>&1; echo all", Timeout: 2 * time.Second})
	if strings.Contains(string(r.Stdout), "all\n") && !strings.Contains(string(r.Stdout),
		"Resource temporarily unavailable") {
		t.Errorf("300 processes were started: %q", r.Stdout)
	}
	r = w.run(sandbox.Cmd{Script: "for i in $(seq 300); do sleep 30 & done 2>/dev/null; wait", Timeout: time.Minute})
	if r.Reason != "processes" || r.OK() {
		t.Errorf("too many processes: exit %d %s, reason %q", r.Exit, r.Signal, r.Reason)
	}
	w.prints("ok", "echo ok")
	other := s.open(t, sandbox.Spec{}) // somebody else is not affected
	other.prints("ok", "echo ok")
}

// bombs go off in several sandboxes at once, so that their guests are slow to
// see them: a guest that gets no thread any more would void the trial.
func bombs(t *testing.T, s *suite) {
	for range 6 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			w := s.open(t, sandbox.Spec{Limits: sandbox.Limits{Processes: 48}})
			w.run(sandbox.Cmd{Script: "bomb() { bomb | bomb & }; bomb 2> /dev/null; sleep 5", Timeout: time.Second})
			w.prints("ok", "echo ok")
		})
	}
}

func tmp(t *testing.T, s *suite) {
	w := s.open(t, sandbox.Spec{Limits: sandbox.Limits{Tmp: 4 << 20}})
	w.sh("head -c 1000000 /dev/zero > /tmp/fits")
	for _, d := range []string{"/tmp", "/var/tmp", "/run", "/dev/shm"} {
		w.fails("head -c 5000000 /dev/zero > " + d + "/f")
		w.sh("rm -f " + d + "/f")
	}
	// Full, it keeps nobody from running: a model could void its trial by that.
	w.fails("head -c 5000000 /dev/zero > /tmp/f")
	if r := w.run(sandbox.Cmd{Script: "cat; cat /dev/stdin",
		Stdin: []byte("given")}); string(r.Stdout) != "givengiven" {
		t.Errorf("with /tmp full: %+v", r)
	}
}
