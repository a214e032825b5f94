package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/trial"
)

// TestSlotsAdapt: requests that hit the wall together halve the limit once,
// one never stops it altogether, and good replies bring it back within seconds.
func TestSlotsAdapt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(8, realClock{})
		take := func(n int) (out []slot) {
			t.Helper()
			for range n {
				p, err := s.acquire(t.Context())
				if err != nil || p.waited != 0 {
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
			if _, lowered := p.release(tooMany); lowered != (i == 0) {
				t.Errorf("request %d lowered it: %v", i, lowered)
			}
		}
		limit(4)
		for range 5 {
			time.Sleep(time.Second)
			take(1)[0].release(tooMany)
		}
		limit(1)
		take(1)[0].release(neither) // a cut connection says nothing of how many
		limit(1)
		for range 10 {
			time.Sleep(time.Second)
			take(1)[0].release(fine)
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
			slot
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
			v := fine
			if n%100 == 0 {
				v = tooMany
			}
			under[0].release(v)
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
		s := newSlots(2, realClock{})
		ctx, interrupt := context.WithCancel(t.Context())
		var mu sync.Mutex
		var said []string
		ask := func(ctx context.Context, name string) {
			go func() {
				p, err := s.acquire(ctx)
				mu.Lock()
				said = append(said, fmt.Sprintf("%s %v %v", name, p.waited, err))
				mu.Unlock()
				if err == nil {
					time.Sleep(10 * time.Second)
					p.release(fine)
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
		s := newSlots(1, realClock{})
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
		first.release(neither)
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

// busyChat turns the first requests away, and counts how many run at once.
type busyChat struct {
	mu              sync.Mutex
	asked, now, top int
	away            int // requests turned away
}

func (c *busyChat) Generate(ctx context.Context, _ *model.Request) (*model.Reply, error) {
	c.mu.Lock()
	c.asked++
	away := c.asked <= c.away
	c.now++
	c.top = max(c.top, c.now)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.now--
		c.mu.Unlock()
	}()
	time.Sleep(time.Second)
	if away {
		return nil, &model.RetryError{After: 30 * time.Second, Busy: true, Err: errors.New("status 429")}
	}
	return &model.Reply{Message: model.Message{Content: "ok"}, Usage: model.Usage{Known: true}}, nil
}

// TestSlotsOfALoop: while one trial waits to ask again, another has its slot;
// no wait is the model's time, and the journal has every retry.
func TestSlotsOfALoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chat := &busyChat{away: 1}
		r := &Runner{habits: newHabits(), env: Env{Machine: Machine{Clock: realClock{}}, Providers: Providers{Slots: func(p string) int { return map[string]int{"acme": 1}[p] }}},
			recipe: &recipe.Recipe{}, models: map[string]contestant{"acme/one": {}, "acme/two": {}, "free/one": {}}}
		r.bound()
		if len(r.slots) != 1 {
			t.Fatalf("slots of %d providers", len(r.slots))
		}
		start := time.Now()
		var loops [3]*loop
		var logs [3]log
		var ended [3]time.Duration
		var wg sync.WaitGroup
		for i := range loops {
			l := &loop{r: r, id: []string{"acme/one", "acme/two", "acme/one"}[i], chat: chat, set: &toolset{}, history: &history{}, account: &account{timeout: time.Minute},
				rec: &recorder{sink: &logs[i], clock: r.env.Clock}, out: &trial.Outcome{Steps: 1}}
			loops[i] = l
			wg.Go(func() {
				if _, err := l.generate(t.Context()); err != nil {
					t.Errorf("loop %d: %v", i, err)
				}
				ended[i] = time.Since(start)
			})
			synctest.Wait()
		}
		wg.Wait()
		// First: 1 s, turned away, 30 s back-off, 1 s. Second: 1 s wait, 1 s.
		// Third: 2 s wait, 1 s.
		if ended != [3]time.Duration{32 * time.Second, 2 * time.Second, 3 * time.Second} {
			t.Errorf("ended after %v", ended)
		}
		for i, want := range []trial.Seconds{{Provider: 1, Wait: 31}, {Provider: 1, Wait: 1}, {Provider: 1, Wait: 2}} {
			if got := loops[i].out.Seconds; got != want || loops[i].used != time.Duration(want.Provider)*time.Second {
				t.Errorf("loop %d: %+v, charged %v, want %+v", i, got, loops[i].used, want)
			}
		}
		if chat.top != 1 || chat.asked != 4 {
			t.Errorf("%d at once, %d in all", chat.top, chat.asked)
		}
		if n := logs[0].text(trial.Note); strings.Count(n, `"retried"`) != 1 || !strings.Contains(n, `"wait":30`) {
			t.Errorf("notes: %s", n)
		}
	})
}

// TestSlowedIsSaid: the journal says when a provider gets fewer requests.
func TestSlowedIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &Runner{habits: newHabits(), env: Env{Machine: Machine{Clock: realClock{}}, Providers: Providers{Slots: func(string) int { return 8 }}}, recipe: &recipe.Recipe{}, models: map[string]contestant{"acme/one": {}}}
		r.bound()
		var events log
		l := &loop{r: r, id: "acme/one", chat: &busyChat{away: 2}, set: &toolset{}, history: &history{}, account: &account{timeout: time.Minute},
			rec: &recorder{sink: &events, clock: r.env.Clock}, out: &trial.Outcome{Steps: 1}}
		if _, err := l.generate(t.Context()); err != nil {
			t.Fatal(err)
		}
		notes := events.text(trial.Note)
		if strings.Count(notes, `"slowed"`) != 2 || !strings.Contains(notes, "from now on: 4") || !strings.Contains(notes, "from now on: 2") {
			t.Errorf("notes:\n%s", notes)
		}
	})
}
