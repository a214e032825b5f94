package traffic

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"cookoff/model"
	"cookoff/runner/clock"
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
	clock clock.Clock

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

func newSlots(max int, clock clock.Clock) *slots {
	return &slots{clock: clock, max: max, limit: float64(max)}
}

// Slot is one request's place.
type Slot struct {
	of     *slots // nil: of a provider without a bound
	round  int
	Waited time.Duration // for it
}

// acquire waits for a place. Its error is ctx's.
func (s *slots) acquire(ctx context.Context) (Slot, error) {
	if s == nil {
		return Slot{}, nil
	}
	s.mu.Lock()
	if s.used < int(s.limit) && len(s.waiting) == 0 {
		s.used++
		defer s.mu.Unlock()
		return Slot{of: s, round: s.round}, nil
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	s.mu.Unlock()
	began := s.clock.Now()
	select {
	case <-turn:
	case <-ctx.Done():
		s.giveUp(turn)
		return Slot{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return Slot{s, s.round, s.clock.Now().Sub(began)}, nil
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

// Verdict is what a request says of how many there may be.
type Verdict int

// What a request can say: nothing, that all is well, that they are too many.
const (
	Neither Verdict = iota
	Fine
	TooMany
)

// Release gives the place back and learns from how the request went. It gives
// the limit that holds now, and whether it was just lowered.
func (p Slot) Release(v Verdict) (limit int, lowered bool) {
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
	case TooMany:
		s.lower(p.round, now)
	case Fine:
		s.grow(now)
	}
	s.serve()
	return int(s.limit), int(s.limit) < before
}

// count keeps what was said lately.
func (s *slots) count(v Verdict, now time.Time) {
	fade := math.Exp2(-now.Sub(s.counted).Seconds() / slotsMemory.Seconds())
	if s.counted.IsZero() {
		fade = 0
	}
	s.good, s.busy, s.counted = s.good*fade, s.busy*fade, now
	switch v {
	case TooMany:
		s.busy++
	case Fine:
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

// VerdictOf says what the error of a request tells of how many there may be.
func VerdictOf(err error) Verdict {
	var retry *model.RetryError
	switch {
	case err == nil:
		return Fine
	case errors.As(err, &retry) && retry.Busy:
		return TooMany
	}
	return Neither
}
