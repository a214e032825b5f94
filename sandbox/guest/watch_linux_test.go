package guest

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/guest/proc"
	"cookoff/sandbox/wire"
)

// said is a control group that says what it is said to say.
type said struct{ stat, events, pids, current string }

func (t *said) scope() *proc.Scope {
	read := func(s *string) func() map[string]int64 {
		return func() map[string]int64 { return proc.ParseCounters([]byte(*s)) }
	}
	return &proc.Scope{Stat: read(&t.stat), Events: read(&t.events), Pids: read(&t.pids),
		Current: func() int64 { return proc.ParseTotal([]byte(t.current)) }}
}

// What the kernel did to a call that ended is what ended it.
func TestBlame(t *testing.T) {
	check := func(events, reason, fault string) {
		t.Helper()
		told := &said{events: "oom 3\noom_kill 5\n"}
		cs := &calls{cfg: &wire.Config{TestOnlySparing: true}, scope: told.scope()} // there is no world to search
		c := &call{pid: 1 << 30, happened: cs.scope.Happened()}
		told.events = events
		got, err := cs.blame(c)
		if fault == "" && err != nil && got == "" || got != reason || fault != "" && (err == nil ||
			!strings.Contains(err.Error(), fault)) {
			t.Errorf("%q: %q, %v; want %q, %q", events, got, err, reason, fault)
		}
	}
	check("oom 3\noom_kill 5\n", "", "")
	check("oom 4\noom_kill 6\n", "memory", "")
	check("oom 4\noom_kill 5\n", "memory", "")
	check("oom 3\noom_kill 6\n", "", "this machine ran out of memory")
}

// That a command was ended for the world's own limit of memory is said apart.
func TestFullIsSaid(t *testing.T) {
	check := func(answer any, want bool) {
		t.Helper()
		var out bytes.Buffer
		(&replies{conn: &out}).answer(wire.Request{ID: 1}, func(wire.Request) (any, error) { return answer, nil })
		var r wire.Reply
		if err := wire.ReadFrame(&out, &r); err != nil || r.Full != want {
			t.Errorf("%+v: %+v, %v", answer, r, err)
		}
	}
	for reason, want := range map[string]bool{"memory": true, "timeout": false, "": false} {
		r := status(0, reason)
		check(r, want)
		check(sandbox.JobNews{Ended: true, Result: r}, want)
	}
	check("memory", false)
}

// The calls that run when the kernel holds the world to its memory are told.
func TestHeed(t *testing.T) {
	told := &said{events: "oom 0\n"}
	w := newServer(nil).watch
	w.scope = told.scope()
	c := &call{stop: make(chan string, 1)}
	w.calls.running = map[uint64]*call{1: c}
	w.heed()
	if len(c.stop) != 0 {
		t.Fatal("told for nothing")
	}
	told.events = "oom 1\n"
	w.heed()
	if reason := <-c.stop; reason != "memory" {
		t.Errorf("told %q", reason)
	}
	late := &call{stop: make(chan string, 1), happened: w.scope.Happened()}
	w.calls.running = map[uint64]*call{2: late}
	w.heed()
	if len(late.stop) != 0 {
		t.Error("told of what happened before it began")
	}
}

// What a call that began since has started is not ended for those before it.
func TestLeft(t *testing.T) {
	w := newServer(nil).watch
	old, late := &call{}, &call{before: w.procs.set()}
	w.calls.running = map[uint64]*call{1: old, 2: late}
	here := func(p proc.Process) bool { return p.PID == os.Getpid() }
	if !slices.ContainsFunc(w.left([]*call{old}), here) {
		t.Error("a process that was there is spared")
	}
	late.before = nil
	if slices.ContainsFunc(w.left([]*call{old}), here) {
		t.Error("a process of a later call is to blame")
	}
}
