package seats

import (
	"context"
	"errors"
	"sync"

	"cookoff/sandbox"
)

// errNoMachine is a backend of no machines.
var errNoMachine = errors.New("no host is left")

// Backend opens worlds on any of the machines: for what is no trial.
func (s *Seats) Backend() sandbox.Backend { return anywhere{s} }

// anywhere is all machines as one backend.
type anywhere struct{ s *Seats }

// holder is a backend that knows which states lie on its machine.
type holder interface {
	Holds(st sandbox.State) bool
}

// Check tries each machine.
func (a anywhere) Check(ctx context.Context) error {
	errs := make([]error, len(a.s.machines))
	var all sync.WaitGroup
	for i, m := range a.s.machines {
		all.Go(func() { errs[i] = m.Backend.Check(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// Open opens a world where the state is that it begins with, or on any machine: on
// another one where that is lost.
func (a anywhere) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	if spec.State != nil {
		return a.s.holding(spec.State).Open(ctx, spec)
	}
	for tried := map[*Machine]bool{}; ; {
		m := a.s.idle(tried)
		if m == nil {
			return nil, sandbox.Unavailable("opening a sandbox", errNoMachine)
		}
		sb, err := m.Backend.Open(ctx, spec)
		if _, lost := errors.AsType[*sandbox.HostError](err); !lost || ctx.Err() != nil {
			return sb, err
		}
		if tried[m] = true; len(tried) == len(a.s.machines) {
			return nil, err
		}
	}
}

// holding is the backend of the machine that a state lies on.
func (s *Seats) holding(st sandbox.State) sandbox.Backend {
	var here sandbox.Backend
	for _, m := range s.machines {
		if h, ok := m.Backend.(holder); !ok {
			here = m.Backend
		} else if h.Holds(st) {
			return m.Backend
		}
	}
	if here == nil {
		return s.machines[0].Backend // which refuses it
	}
	return here
}

// idle gives the machine that has opened fewest such worlds for its size; nil: none
// is left.
func (s *Seats) idle(tried map[*Machine]bool) (best *Machine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.alive() {
		if !tried[m] && (best == nil || s.opened[m]*best.Slots < s.opened[best]*m.Slots) {
			best = m
		}
	}
	if best != nil {
		s.opened[best]++
	}
	return best
}
