package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"cookoff/model"
	"cookoff/trial"
)

// How the number of requests at once follows what the provider says.
const (
	slotsMemory = 5 * time.Second  // a reply that is so old counts half
	slotsRegain = 10 * time.Second // from nothing to all that was set up
	slotsCredit = 2 * time.Second  // the most that one good reply counts as
	slotsCut    = time.Second      // between two cuts
)

// slots bounds the requests that are under way to one provider at once. The bound
// falls when the provider says that they are too many: by half where it says so
// often, by a little where it says so now and then. While replies are good it grows
// back with time. Who came first is served first, so no trial starves.
type slots struct {
	clock Clock

	mu      sync.Mutex
	max     int     // as set up
	limit   float64 // now
	used    int
	round   int       // how often the limit was lowered
	changed time.Time // the limit, last
	cut     time.Time // when it was lowered last

	good, busy float64 // replies of each kind, the older the less
	counted    time.Time

	waiting []chan struct{}
}

func newSlots(max int, clock Clock) *slots {
	return &slots{clock: clock, max: max, limit: float64(max)}
}

// slot is one request's place.
type slot struct {
	of     *slots // nil: of a provider without a bound
	round  int
	waited time.Duration
}

// acquire waits for a place. Its error is ctx's.
func (s *slots) acquire(ctx context.Context) (slot, error) {
	if s == nil {
		return slot{}, nil
	}
	s.mu.Lock()
	if s.used < int(s.limit) && len(s.waiting) == 0 {
		s.used++
		defer s.mu.Unlock()
		return slot{of: s, round: s.round}, nil
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	s.mu.Unlock()
	began := s.clock.Now()
	select {
	case <-turn:
	case <-ctx.Done():
		s.giveUp(turn)
		return slot{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slot{s, s.round, s.clock.Now().Sub(began)}, nil
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

// release gives the place back and learns from how the request went. It gives
// the limit that holds now, and whether it was just lowered.
func (p slot) release(v verdict) (limit int, lowered bool) {
	s := p.of
	if s == nil {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	before, now := int(s.limit), s.clock.Now()
	s.count(v, now)
	switch v {
	case tooMany:
		s.lower(p.round, now)
	case fine:
		s.grow(now)
	}
	s.serve()
	return int(s.limit), int(s.limit) < before
}

// count keeps what was said lately.
func (s *slots) count(v verdict, now time.Time) {
	fade := math.Exp2(-now.Sub(s.counted).Seconds() / slotsMemory.Seconds())
	if s.counted.IsZero() {
		fade = 0
	}
	s.good, s.busy, s.counted = s.good*fade, s.busy*fade, now
	switch v {
	case tooMany:
		s.busy++
	case fine:
		s.good++
	}
}

// lower takes places away: half of them where one reply in ten or more says that
// they are too many, else as many as such replies make of all. Requests that were
// under way together and all met the same wall count once.
func (s *slots) lower(round int, now time.Time) {
	if round != s.round || !s.cut.IsZero() && now.Sub(s.cut) < slotsCut {
		return
	}
	share := s.busy / (s.busy + s.good)
	s.limit = max(s.limit*(1-min(5*share, 0.5)), 1)
	s.round++
	s.changed, s.cut = now, now
}

// grow gives places back for the time in which nothing was too much.
func (s *slots) grow(now time.Time) {
	since := min(now.Sub(s.changed), slotsCredit)
	s.limit = min(s.limit+float64(s.max)*since.Seconds()/slotsRegain.Seconds(), float64(s.max))
	s.changed = now
}

// serve hands free places to those who wait. The lock is held.
func (s *slots) serve() {
	for s.used < int(s.limit) && len(s.waiting) > 0 {
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
	passed, err := l.pass(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = l.learn(passed, err) }()
	held := l.most(a.req)
	if err := l.r.budget.hold(ctx, l.claim, held); err != nil {
		return nil, 0, err
	}
	sent := false
	defer func() {
		usd := 0.0
		if sent {
			usd = l.took(held, reply, err)
		}
		l.r.budget.settle(l.claim, held, usd)
	}()
	place, err := l.r.slots[provider(l.id)].acquire(ctx)
	l.out.Seconds.Wait += place.waited.Seconds()
	if err != nil {
		return nil, 0, err
	}
	said := neither
	defer func() {
		if limit, lowered := place.release(said); lowered {
			l.rec.note("slowed", fmt.Sprintf("%s says that it is asked too much; requests to it at once from now on: %d", provider(l.id), limit))
		}
	}()
	sent = true
	a.called.MostUSD = l.atMost(a)
	a.req.Key = orDefault(a.key, l.key(max(a.called.Try, 1)))
	l.rec.emit(trial.Event{Kind: trial.ModelCalled, Called: a.called})
	if err := l.rec.failed(); err != nil { // a request that no journal has is not made
		return nil, 0, err
	}
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
			r.slots[provider(id)] = newSlots(n, r.env.Clock)
		}
	}
}
