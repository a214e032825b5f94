package traffic

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/runner/clock"
)

// TestSlotsAdapt: requests that hit the wall together halve the limit once,
// one never stops it altogether, and good replies bring it back within seconds.
func TestSlotsAdapt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(8, clock.Real{})
		take := func(n int) (out []Slot) {
			t.Helper()
			for range n {
				p, err := s.acquire(t.Context())
				if err != nil || p.Waited != 0 {
					t.Fatalf("a place: %+v, %v", p, err)
				}
				out = append(out, p)
			}
			return out
		}
		limit := func(want int) {
			t.Helper()
			if int(s.limit) != want {
				t.Errorf("limit %v, want %d", s.limit, want)
			}
		}
		for i, p := range take(8) {
			if _, lowered := p.Release(TooMany); lowered != (i == 0) {
				t.Errorf("request %d lowered it: %v", i, lowered)
			}
		}
		limit(4)
		for range 5 {
			time.Sleep(time.Second)
			take(1)[0].Release(TooMany)
		}
		limit(1)
		take(1)[0].Release(Neither) // a cut connection says nothing of how many
		limit(1)
		for range 10 {
			time.Sleep(time.Second)
			take(1)[0].Release(Fine)
		}
		limit(8)
		if s.used != 0 || len(s.waiting) != 0 {
			t.Errorf("%d used, %d wait", s.used, len(s.waiting))
		}
	})
}

// stillClock stands still until it is set.
type stillClock struct{ now time.Time }

func (c *stillClock) Now() time.Time { return c.now }

func (c *stillClock) Sleep(ctx context.Context, d time.Duration) error { return ctx.Err() }

// TestSlotsBearWithAStrayRefusal: one request in a hundred that is turned away
// leaves a provider nearly all of its places, however fast it answers.
func TestSlotsBearWithAStrayRefusal(t *testing.T) {
	for _, takes := range []time.Duration{20 * time.Millisecond, time.Second, 20 * time.Second} {
		const places = 64
		clock := &stillClock{now: time.Unix(1_000_000_000, 0)}
		s := newSlots(places, clock)
		begins, span := clock.now, 100*max(takes, 200*time.Millisecond)
		type request struct {
			Slot
			ends time.Time
		}
		var under []request
		n := 0
		for clock.now.Sub(begins) < span {
			for s.used < int(s.limit) { // who finds the last place takes twice as long
				p, err := s.acquire(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				under = append(under, request{p, clock.now.Add(takes + time.Duration(len(under))*takes/places)})
			}
			slices.SortFunc(under, func(a, b request) int { return a.ends.Compare(b.ends) })
			clock.now = under[0].ends
			n++
			v := Fine
			if n%100 == 0 {
				v = TooMany
			}
			under[0].Release(v)
			under = under[1:]
		}
		if share := float64(n) * 2 * takes.Seconds() / (places * span.Seconds()); share < 0.9 {
			t.Errorf("replies of %v: %.0f %% of the places were used", takes, 100*share)
		}
	}
}

// TestSlotsQueue: no more than the limit at once, first come first served, and
// whoever is interrupted leaves no place behind.
func TestSlotsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(2, clock.Real{})
		ctx, interrupt := context.WithCancel(t.Context())
		var mu sync.Mutex
		var said []string
		ask := func(ctx context.Context, name string) {
			go func() {
				p, err := s.acquire(ctx)
				mu.Lock()
				said = append(said, fmt.Sprintf("%s %v %v", name, p.Waited, err))
				mu.Unlock()
				if err == nil {
					time.Sleep(10 * time.Second)
					p.Release(Fine)
				}
			}()
			synctest.Wait()
		}
		for i, ctx := range []context.Context{t.Context(), t.Context(), t.Context(), ctx, t.Context(), t.Context()} {
			ask(ctx, fmt.Sprint("r", i+1))
			time.Sleep(time.Second)
		}
		interrupt()
		time.Sleep(time.Minute)
		synctest.Wait()
		want := "r1 0s <nil>; r2 0s <nil>; r4 0s context canceled; r3 8s <nil>; r5 7s <nil>; r6 15s <nil>"
		if got := strings.Join(said, "; "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if s.used != 0 {
			t.Errorf("%d places are still taken", s.used)
		}
	})
}

// TestSlotsHandedOverToTheInterrupted: a place that was handed to someone who
// just gave up goes on to the next.
func TestSlotsHandedOverToTheInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(1, clock.Real{})
		first, _ := s.acquire(t.Context())
		gone := make(chan struct{}) // handed a place, as acquire would have been
		s.mu.Lock()
		s.waiting = append(s.waiting, gone)
		s.mu.Unlock()
		got := false
		go func() {
			_, err := s.acquire(t.Context())
			got = err == nil
		}()
		synctest.Wait()
		first.Release(Neither)
		synctest.Wait()
		if got {
			t.Error("the second was served before the first")
		}
		s.giveUp(gone)
		synctest.Wait()
		if !got || s.used != 1 {
			t.Errorf("served: %v, %d places taken", got, s.used)
		}
	})
}
