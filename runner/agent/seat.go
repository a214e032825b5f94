package agent

import (
	"context"
	"sync"
	"time"

	"cookoff/runner/clock"
	"cookoff/runner/cores"
)

// seat is an agent's place among the trials that work: it is left while its model is
// asked, and taken again before it hears the answer. It is safe for concurrent use.
type seat struct {
	place *cores.Place // nil: it needs none
	clock clock.Clock

	taking sync.Mutex // one takes the place for all

	mu     sync.Mutex
	since  time.Time // one waits to take it; zero: nobody does
	waited time.Duration
}

// away leaves the place; back takes it.
func (s *seat) away() (back func(ctx context.Context)) {
	if s.place == nil {
		return func(context.Context) {}
	}
	s.taking.Lock()
	s.place.Leave()
	s.taking.Unlock()
	return s.back
}

// back waits for the place. Without it the agent goes on once ctx has ended: what it left
// is judged.
func (s *seat) back(ctx context.Context) {
	s.taking.Lock()
	defer s.taking.Unlock()
	s.mark(s.clock.Now())
	_ = s.place.Take(ctx)
	now := s.clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited += now.Sub(s.since)
	s.since = time.Time{}
}

func (s *seat) mark(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = now
}

// lost is how long the place was waited for up to now: nobody's time.
func (s *seat) lost() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return s.waited
	}
	return s.waited + s.clock.Now().Sub(s.since)
}
