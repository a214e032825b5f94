package guest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// told is a control group that says what it is told to say.
type told struct{ stat, events, pids, current string }

func (t *told) scope() *scope {
	read := func(s *string) counters { return func() map[string]int64 { return parseCounters([]byte(*s)) } }
	return &scope{read(&t.stat), read(&t.events), read(&t.pids), func() int64 { return parseTotal([]byte(t.current)) }}
}

func TestCounters(t *testing.T) {
	got := parseCounters([]byte("anon 42\nfile x\n\nshmem 7 8\nlast 9"))
	if len(got) != 2 || got["anon"] != 42 || got["last"] != 9 {
		t.Errorf("got %v", got)
	}
}

func TestScopeMemory(t *testing.T) {
	s := (&told{stat: "anon 1000000000\nshmem 500\n"}).scope()
	in := []int64{300, 100} // removed while it was looked at
	own, shared := s.memory(func() (n int64) { n, in = in[0], in[1:]; return n })
	if own > 1000000000 || own < 500000000 || shared != 200 {
		t.Errorf("own %d, shared %d", own, shared)
	}
	if _, shared := s.memory(func() int64 { return 600 }); shared != 0 {
		t.Errorf("more in a tmpfs than there is: %d", shared)
	}
	late := (&told{stat: "anon 1000000000\nshmem 3000000\n", current: "2000\n"}).scope()
	if own, shared := late.memory(func() int64 { return 0 }); own != 2000 || shared != 2000 {
		t.Errorf("what was given back already counts: own %d, shared %d", own, shared)
	}
	var none *scope
	if none.happened() != (events{}) {
		t.Error("something happened without a control group")
	}
}

// What the kernel did to a call that ended is what ended it.
func TestBlame(t *testing.T) {
	check := func(events, reason, fault string) {
		t.Helper()
		told := &told{events: "oom 3\noom_kill 5\n"}
		s := &server{scope: told.scope()}
		s.cfg.TestOnlySparing = true // there is no world to search
		c := &call{pid: 1 << 30, happened: s.scope.happened()}
		told.events = events
		got, err := s.blame(c)
		if fault == "" && err != nil && got == "" || got != reason || fault != "" && (err == nil || !strings.Contains(err.Error(), fault)) {
			t.Errorf("%q: %q, %v; want %q, %q", events, got, err, reason, fault)
		}
	}
	check("oom 3\noom_kill 5\n", "", "")
	check("oom 4\noom_kill 6\n", "memory", "")
	check("oom 4\noom_kill 5\n", "memory", "")
	check("oom 3\noom_kill 6\n", "", "this machine ran out of memory")
}

// The calls that run when the kernel holds the world to its memory are told.
func TestHeed(t *testing.T) {
	told := &told{events: "oom 0\n"}
	s := &server{scope: told.scope()}
	c := &call{stop: make(chan string, 1)}
	s.calls.running = map[uint64]*call{1: c}
	s.heed()
	if len(c.stop) != 0 {
		t.Fatal("told for nothing")
	}
	told.events = "oom 1\n"
	s.heed()
	if reason := <-c.stop; reason != "memory" {
		t.Errorf("told %q", reason)
	}
	late := &call{stop: make(chan string, 1), happened: s.scope.happened()}
	s.calls.running = map[uint64]*call{2: late}
	s.heed()
	if len(late.stop) != 0 {
		t.Error("told of what happened before it began")
	}
}

// What a call that began since has started is not ended for those before it.
func TestLeft(t *testing.T) {
	s := &server{}
	old, late := &call{}, &call{before: s.procSet()}
	s.calls.running = map[uint64]*call{1: old, 2: late}
	here := func(p proc) bool { return p.pid == os.Getpid() }
	if !slices.ContainsFunc(s.left([]*call{old}), here) {
		t.Error("a process that was there is spared")
	}
	late.before = nil
	if slices.ContainsFunc(s.left([]*call{old}), here) {
		t.Error("a process of a later call is to blame")
	}
}
