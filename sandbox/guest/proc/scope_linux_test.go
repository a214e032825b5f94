package proc

import (
	"testing"
)

// told is a control group that says what it is told to say.
type told struct{ stat, events, pids, current string }

func (t *told) scope() *Scope {
	read := func(s *string) func() map[string]int64 {
		return func() map[string]int64 { return ParseCounters([]byte(*s)) }
	}
	return &Scope{read(&t.stat), read(&t.events), read(&t.pids), func() int64 { return ParseTotal([]byte(t.current)) }}
}

func TestCounters(t *testing.T) {
	got := ParseCounters([]byte("anon 42\nfile x\n\nshmem 7 8\nlast 9"))
	if len(got) != 2 || got["anon"] != 42 || got["last"] != 9 {
		t.Errorf("got %v", got)
	}
}

func TestScopeMemory(t *testing.T) {
	s := (&told{stat: "anon 1000000000\nshmem 500\n"}).scope()
	in := []int64{300, 100} // removed while it was looked at
	own, shared := s.Memory(func() (n int64) { n, in = in[0], in[1:]; return n })
	if own > 1000000000 || own < 500000000 || shared != 200 {
		t.Errorf("own %d, shared %d", own, shared)
	}
	if _, shared := s.Memory(func() int64 { return 600 }); shared != 0 {
		t.Errorf("more in a tmpfs than there is: %d", shared)
	}
	late := (&told{stat: "anon 1000000000\nshmem 3000000\n", current: "2000\n"}).scope()
	if own, shared := late.Memory(func() int64 { return 0 }); own != 2000 || shared != 2000 {
		t.Errorf("what was given back already counts: own %d, shared %d", own, shared)
	}
	var none *Scope
	if none.Happened() != (Counted{}) {
		t.Error("something happened without a control group")
	}
}
