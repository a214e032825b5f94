package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"cookoff/model"
	"cookoff/trial"
)

// slots bounds the requests that are under way to one provider at once. The
// bound halves when the provider says that they are too many, and grows back,
// one slot for every full round of good replies. Who came first is served
// first, so no trial starves.
type slots struct {
	mu      sync.Mutex
	max     int // as set up
	limit   int // now
	used    int
	good    int // replies since the limit last changed
	round   int // how often the limit was halved
	waiting []chan struct{}
}

func newSlots(max int) *slots { return &slots{max: max, limit: max} }

// slot is one request's place.
type slot struct {
	of     *slots // nil: of a provider without a bound
	round  int
	waited time.Duration
}

// acquire waits for a place. Its error is ctx's.
func (s *slots) acquire(ctx context.Context, clock Clock) (slot, error) {
	if s == nil {
		return slot{}, nil
	}
	s.mu.Lock()
	if s.used < s.limit && len(s.waiting) == 0 {
		s.used++
		defer s.mu.Unlock()
		return slot{of: s, round: s.round}, nil
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	s.mu.Unlock()
	began := clock.Now()
	select {
	case <-turn:
	case <-ctx.Done():
		s.giveUp(turn)
		return slot{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slot{s, s.round, clock.Now().Sub(began)}, nil
}

// giveUp leaves the queue. A place that was handed over just then goes on to
// the next.
func (s *slots) giveUp(turn chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, turn); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		return
	}
	s.used--
	s.serve()
}

// verdict is what a request says of how many there may be.
type verdict int

const (
	neither verdict = iota
	fine
	tooMany
)

// release gives the place back and learns from how the request went. Requests
// that were under way together and all met the same wall halve the limit once.
// It gives the limit that holds now, and whether it was just halved.
func (p slot) release(v verdict) (limit int, halved bool) {
	s := p.of
	if s == nil {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	switch {
	case v == tooMany && p.round == s.round:
		halved = s.limit > 1
		s.limit, s.good = max(s.limit/2, 1), 0
		s.round++
	case v == fine && s.limit < s.max:
		if s.good++; s.good >= s.limit {
			s.limit, s.good = s.limit+1, 0
		}
	}
	s.serve()
	return s.limit, halved
}

// serve hands free places to those who wait. The lock is held.
func (s *slots) serve() {
	for s.used < s.limit && len(s.waiting) > 0 {
		close(s.waiting[0])
		s.waiting = s.waiting[1:]
		s.used++
	}
}

// verdictOf says what the error of a request tells of how many there may be.
func verdictOf(err error) verdict {
	var retry *model.RetryError
	switch {
	case err == nil:
		return fine
	case errors.As(err, &retry) && retry.Busy:
		return tooMany
	}
	return neither
}

// once makes one request, in a place of the provider's. The place is given
// back before anything else happens: whoever waits to try again holds none.
func (l *loop) once(ctx context.Context, a asking) (reply *model.Reply, d time.Duration, err error) {
	place, err := l.r.slots[provider(l.id)].acquire(ctx, l.r.env.Clock)
	l.out.Seconds.Wait += place.waited.Seconds()
	if err != nil {
		return nil, 0, err
	}
	said := neither
	defer func() {
		if limit, halved := place.release(said); halved {
			l.rec.note("slowed", fmt.Sprintf("%s says that it is asked too much; requests to it at once from now on: %d", provider(l.id), limit))
		}
	}()
	held := l.most(a.req)
	if err := l.r.budget.hold(held); err != nil {
		return nil, 0, err
	}
	defer func() { l.r.budget.settle(held, l.took(held, reply, err)) }()
	l.rec.emit(trial.Event{Kind: trial.ModelCalled, Called: a.called})
	d, err = l.timed(ctx, func(ctx context.Context) (err error) {
		reply, err = l.reply(ctx, a)
		return err
	})
	said = verdictOf(err)
	return reply, d, err
}

// bound makes the slots of every provider that Env bounds.
func (r *Runner) bound() {
	r.slots = map[string]*slots{}
	if r.env.Slots == nil {
		return
	}
	for id := range r.models {
		if n := r.env.Slots(provider(id)); n > 0 && r.slots[provider(id)] == nil {
			r.slots[provider(id)] = newSlots(n)
		}
	}
}
