// Package seats places trials on machines: those that are compared with each other on
// machines of one kind, each machine with no more than it has room for.
package seats

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"cookoff/sandbox"
)

// Machine is one that trials run on.
type Machine struct {
	Name    string
	Kind    string // machines of one kind are alike; "": the name
	Slots   int    // trials at once
	Backend sandbox.Backend
	Local   bool // it is this one
	// Out reports whether the machine was given up, and why; nil: it never is.
	Out func() (why error, out bool)
}

func (m *Machine) kind() string {
	if m.Kind == "" {
		return m.Name
	}
	return m.Kind
}

func (m *Machine) out() (error, bool) {
	if m.Out == nil {
		return nil, false
	}
	return m.Out()
}

// Seats are the machines of a run. It is safe for concurrent use.
type Seats struct {
	machines []*Machine
	limit    int            // trials at once on all machines
	say      func(m string) // told of a machine that was given up; nil: nobody

	mu     sync.Mutex
	change *sync.Cond
	used   map[*Machine]int
	kinds  map[string]string // by group
	moving int               // seats that look for another machine
	warned map[*Machine]bool
	opened map[*Machine]int // worlds that belong to no trial
}

// New gives the seats of machines; limit bounds the trials at once on all of them
// together, 0 by their slots alone.
func New(machines []*Machine, limit int, say func(string)) *Seats {
	s := &Seats{machines: machines, limit: limit, say: say, used: map[*Machine]int{}, kinds: map[string]string{},
		warned: map[*Machine]bool{}, opened: map[*Machine]int{}}
	s.change = sync.NewCond(&s.mu)
	return s
}

// Room is how many trials there is room for at once.
func (s *Seats) Room() (n int) {
	for _, m := range s.machines {
		n += m.Slots
	}
	if s.limit > 0 {
		n = min(n, s.limit)
	}
	return n
}

// Kinds are the kinds of the machines, by their names; nil: there are none.
func (s *Seats) Kinds() map[string]string {
	if s == nil {
		return nil
	}
	out := map[string]string{}
	for _, m := range s.machines {
		out[m.Name] = m.kind()
	}
	return out
}

// Seat is the place of a trial on a machine.
type Seat struct {
	s     *Seats
	at    *Machine
	group string
}

// Machine is where it is.
func (t *Seat) Machine() *Machine { return t.at }

// Each calls f for each of the groups, in their order, as seats become free: f's
// first error ends it. Those of one group get machines of one kind, as long as
// there are some.
func (s *Seats) Each(ctx context.Context, groups []string, f func(ctx context.Context, i int, seat *Seat) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, s.wake)
	defer stop()
	left := make([]int, len(groups))
	for i := range left {
		left[i] = i
	}
	var all sync.WaitGroup
	for len(left) > 0 {
		k, seat, err := s.next(ctx, groups, left)
		if err != nil {
			cancel(err)
			break
		}
		i := left[k]
		left = append(left[:k:k], left[k+1:]...)
		all.Go(func() {
			defer s.leave(seat)
			if err := f(ctx, i, seat); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// next waits for room for one of those that are left, and gives its place among
// them.
func (s *Seats) next(ctx context.Context, groups []string, left []int) (int, *Seat, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if err := context.Cause(ctx); err != nil {
			return 0, nil, err
		}
		alive := s.alive()
		if len(alive) == 0 {
			return 0, nil, s.none()
		}
		if s.moving == 0 && s.roomy() {
			for k, i := range left {
				if m := s.pick(groups[i], alive); m != nil {
					s.used[m]++
					return k, &Seat{s, m, groups[i]}, nil
				}
			}
		}
		s.change.Wait()
	}
}

// roomy reports whether the limit of all machines lets one more begin.
func (s *Seats) roomy() bool {
	n := 0
	for _, u := range s.used {
		n += u
	}
	return s.limit == 0 || n < s.limit
}

// pick gives the machine with most room for one of a group; nil: none has any. The
// first of a group decides on the kind of all.
func (s *Seats) pick(group string, alive []*Machine) (best *Machine) {
	kind, decided := s.kinds[group]
	for _, same := range []bool{true, false} {
		there := false
		for _, m := range alive {
			if same && decided && m.kind() != kind {
				continue
			}
			there = true
			if s.used[m] < m.Slots && (best == nil || s.used[m]*best.Slots < s.used[best]*m.Slots) {
				best = m
			}
		}
		if there {
			break // its kind has machines: it waits for them
		}
	}
	if best != nil {
		s.kinds[group] = best.kind()
	}
	return best
}

// alive are the machines that were not given up. Whoever listens is told of one that
// was, once.
func (s *Seats) alive() (out []*Machine) {
	for _, m := range s.machines {
		why, gone := m.out()
		if !gone {
			out = append(out, m)
		} else if !s.warned[m] {
			s.warned[m] = true
			if s.say != nil {
				s.say(fmt.Sprintf("host %s is given up, and the run goes on without it: %v", m.Name, why))
			}
		}
	}
	return out
}

// none says that no machine is left.
func (s *Seats) none() error {
	var whys []string
	for _, m := range s.machines {
		why, _ := m.out()
		whys = append(whys, fmt.Sprintf("%s: %v", m.Name, why))
	}
	return fmt.Errorf("no host is left: %s\n"+
		"  hint: cookoff resume goes on with the run once they are back, or with other --hosts",
		strings.Join(whys, "; "))
}

func (s *Seats) leave(t *Seat) {
	s.mu.Lock()
	s.used[t.at]--
	s.mu.Unlock()
	s.change.Broadcast()
}

func (s *Seats) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change.Broadcast()
}

// Move gives the seat up for one where there is room, which may be on the same
// machine: one of its kind, where any is left.
func (t *Seat) Move(ctx context.Context) error {
	s := t.s
	stop := context.AfterFunc(ctx, s.wake)
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	old := t.at
	s.used[old]--
	s.moving++
	defer func() {
		s.moving--
		s.change.Broadcast()
	}()
	s.change.Broadcast()
	for {
		err := context.Cause(ctx)
		alive := s.alive()
		if err == nil && len(alive) == 0 {
			err = s.none()
		}
		if err != nil {
			s.used[old]++ // whoever holds the seat leaves it
			return err
		}
		if m := s.elsewhere(t.group, old, alive); m != nil {
			s.used[m]++
			t.at = m
			return nil
		}
		s.change.Wait()
	}
}

// elsewhere prefers another machine than the one that was lost just now.
func (s *Seats) elsewhere(group string, old *Machine, alive []*Machine) *Machine {
	var others []*Machine
	for _, m := range alive {
		if m != old && m.kind() == old.kind() {
			others = append(others, m)
		}
	}
	if len(others) > 0 { // it waits for those
		return s.pick(group, others)
	}
	for _, m := range alive {
		if m != old && s.used[m] < m.Slots {
			return m
		}
	}
	return s.pick(group, alive)
}

// Elsewhere moves the seat where that is wanted. A nil seat stays.
func (t *Seat) Elsewhere(ctx context.Context, wanted bool) (moved bool, err error) {
	if t == nil || !wanted {
		return false, nil
	}
	return true, t.Move(ctx)
}
