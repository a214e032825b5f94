package seats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// fleet are machines whose end a test decides on.
type fleet struct {
	mu  sync.Mutex
	bad map[string]bool
}

func (f *fleet) machine(name, kind string, slots int) *Machine {
	return &Machine{Name: name, Kind: kind, Slots: slots, Out: func() (error, bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return errors.New("gone"), f.bad[name]
	}}
}

func (f *fleet) lose(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bad[name] = true
}

// groups are those of a plan: so many contestants in each.
func groups(n, contestants int) (out []string) {
	for i := range n {
		for range contestants {
			out = append(out, fmt.Sprint("group ", i))
		}
	}
	return out
}

// TestPlacement: all contestants meet one machine at a task and repeat, every machine
// gets work, and none more than it has room for.
func TestPlacement(t *testing.T) {
	f := &fleet{bad: map[string]bool{}}
	s := New([]*Machine{f.machine("a", "", 1), f.machine("b", "", 2)}, 0, nil)
	all := groups(20, 3)
	var mu sync.Mutex
	on, now, most := map[string]map[string]bool{}, map[string]int{}, map[string]int{}
	count := map[string]int{}
	err := s.Each(t.Context(), all, func(_ context.Context, i int, seat *Seat) error {
		name := seat.Machine().Name
		mu.Lock()
		if on[all[i]] == nil {
			on[all[i]] = map[string]bool{}
		}
		on[all[i]][name] = true
		count[name]++
		now[name]++
		most[name] = max(most[name], now[name])
		mu.Unlock()
		mu.Lock()
		defer mu.Unlock()
		now[name]--
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for group, where := range on {
		if len(where) != 1 {
			t.Errorf("%s was on %v", group, where)
		}
	}
	if count["a"]+count["b"] != len(all) || count["a"] == 0 || count["b"] == 0 || most["a"] > 1 || most["b"] > 2 {
		t.Errorf("trials %v, at most %v at once", count, most)
	}
}

// TestLostMachine: what a machine loses goes on elsewhere, the run with what is left,
// and it is said once; with nothing left the run ends with the reasons.
func TestLostMachine(t *testing.T) {
	f := &fleet{bad: map[string]bool{}}
	var said []string
	s := New([]*Machine{f.machine("a", "x", 1), f.machine("b", "x", 1), f.machine("c", "y", 1)}, 0,
		func(m string) { said = append(said, m) })
	all := groups(8, 2)
	err := s.Each(t.Context(), all, func(ctx context.Context, i int, seat *Seat) error {
		if seat.Machine().Name == "a" {
			f.lose("a")
			if moved, err := seat.Elsewhere(ctx, true); err != nil || !moved {
				return fmt.Errorf("it was not moved: %w", err)
			}
			if seat.Machine().Name != "b" {
				return fmt.Errorf("it went to %s, and b is of its kind", seat.Machine().Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || !strings.Contains(said[0], "host a is given up") {
		t.Errorf("said %q", said)
	}
	err = s.Each(t.Context(), all, func(ctx context.Context, i int, seat *Seat) error {
		f.lose("b")
		f.lose("c")
		_, err := seat.Elsewhere(ctx, true)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "no host is left") || !strings.Contains(err.Error(), "c: gone") {
		t.Error(err)
	}
}

// TestEnded: whoever waits for room is told of the end.
func TestEnded(t *testing.T) {
	f := &fleet{bad: map[string]bool{}}
	s := New([]*Machine{f.machine("a", "", 1)}, 0, nil)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Each(ctx, groups(3, 1), func(ctx context.Context, i int, seat *Seat) error {
		cancel()
		<-ctx.Done()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
