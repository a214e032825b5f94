package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/budget"
	"cookoff/runner/clock"
	"cookoff/runner/record"
	"cookoff/runner/toolset"
	"cookoff/runner/traffic"
	"cookoff/runner/v1"
	"cookoff/trial"
	"cookoff/trial/trialtest"
)

// downChat is down until a time, and keeps when it was asked.
type downChat struct {
	mu    sync.Mutex
	until time.Time
	err   error
	asked []time.Time
}

func (c *downChat) Generate(context.Context, *model.Request) (*model.Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.asked = append(c.asked, now)
	if now.Before(c.until) {
		return nil, c.err
	}
	return &model.Reply{Message: model.Message{Content: "ok"}, Usage: model.Usage{Known: true}}, nil
}

// alone are conversations that are asked for replies, and nothing else.
type alone struct{ *Shared }

func lone(lines *traffic.Lines) alone {
	return alone{&Shared{Recipe: &recipe.Recipe{}, Clock: clock.Real{}, Lines: lines, Habits: NewHabits()}}
}

func (a alone) base(id string, rec *record.Recorder) *base {
	return &base{Config: &Config{Shared: a.Shared, Record: rec, Outcome: &trial.Outcome{Steps: 1},
		Timeout: time.Minute}, account: &account{}, id: id}
}

func (a alone) requests(id string, chat model.Chat, rec *record.Recorder) *requests {
	return &requests{manner: manner{base: a.base(id, rec)},
		conversation: &conversation{History: &History{}, set: &toolset.Set{}}, chat: chat}
}

// together lets n trials ask at once, and says how each ended.
func together(ctx context.Context, n int, chat model.Chat, wait time.Duration) (errs []error, events *trialtest.Log) {
	shared := lone(traffic.NewLines(clock.Real{}, wait, func(string) int { return 8 }))
	events, errs = &trialtest.Log{}, make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		r := shared.requests("acme/one", chat,
			&record.Recorder{Sink: events, Clock: shared.Clock, Trial: fmt.Sprint("t", i)})
		wg.Go(func() { _, errs[i] = r.generate(ctx) })
	}
	wg.Wait()
	return errs, events
}

var errRefused = &model.RetryError{Down: true, Err: errors.New("connection refused")}

// TestOneAsksForAll: while a provider is down one request asks for twenty trials,
// more and more rarely; once it answers all of them go on at once.
func TestOneAsksForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		chat := &downChat{until: began.Add(100 * time.Second), err: errRefused}
		errs, events := together(t.Context(), 20, chat, 0)
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		var down []string
		for _, at := range chat.asked {
			if at.Before(chat.until) {
				down = append(down, at.Sub(began).String())
			}
		}
		if got := strings.Join(down[len(down)-5:], " "); got != "2s 6s 14s 30s 1m2s" || len(down) > 8+5 {
			t.Errorf("asked in vain at %v", down)
		}
		if took := time.Since(began); took != 126*time.Second || len(chat.asked)-len(down) != 20 {
			t.Errorf("%d replies, the last after %v", len(chat.asked)-len(down), took)
		}
		notes := events.Text(trial.Note)
		if strings.Count(notes, `"provider_down"`) != 6 || !strings.Contains(notes,
			`asked again in 1m4s, by one request for all its trials`) || strings.Count(notes, `"provider_up"`) != 1 {
			t.Errorf("said:\n%s", notes)
		}
	})
}

// TestASilentProviderIsGivenUp: after so long all its trials end, as lost.
func TestASilentProviderIsGivenUp(t *testing.T) {
	for wait, want := range map[time.Duration]time.Duration{0: 510 * time.Second, time.Minute: 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			chat := &downChat{until: began.Add(24 * time.Hour), err: errRefused}
			errs, events := together(t.Context(), 5, chat, wait)
			for _, err := range errs {
				if lost, ok := errors.AsType[*traffic.LostError](err); !ok || lost.Provider != "acme" {
					t.Errorf("ended with %v", err)
				}
			}
			if took := time.Since(began); took != want ||
				strings.Count(events.Text(trial.Note), `"provider_lost"`) != 1 {
				t.Errorf("given up after %v, want %v\n%s", took, want, events.Text(trial.Note))
			}
		})
	}
}

// TestToldToWaitAnHour: it is believed, one asks then, and what is longer than
// the run waits for is not waited for at all.
func TestToldToWaitAnHour(t *testing.T) {
	for after, want := range map[time.Duration]time.Duration{time.Hour: time.Hour, 3 * time.Hour: 0} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			chat := &downChat{until: began.Add(time.Hour),
				err: &model.RetryError{Busy: true, After: after, Err: errors.New("status 429")}}
			errs, events := together(t.Context(), 4, chat, 0)
			if _, lost := errors.AsType[*traffic.LostError](errs[0]); lost != (want == 0) || time.Since(began) != want {
				t.Errorf("told %v: %v after %v", after, errs, time.Since(began))
			}
			if len(chat.asked) > 8 || want > 0 && !strings.Contains(events.Text(trial.Note), "asked again in 1h0m0s") {
				t.Errorf("told %v: asked %d times\n%s", after, len(chat.asked), events.Text(trial.Note))
			}
		})
	}
}

// TestInterruptedWhileDown: whoever waits for a provider ends at once.
func TestInterruptedWhileDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
		defer end()
		errs, _ := together(ctx, 10, &downChat{until: began.Add(time.Hour), err: errRefused}, 0)
		for _, err := range errs {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("ended with %v", err)
			}
		}
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("ended after %v", took)
		}
	})
}

// A request that alone fails again and again ends its own trial, not the provider.
func TestAPoisonedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chat := &downChat{until: time.Now().Add(time.Hour), err: &model.RetryError{Err: errors.New("status 500")}}
		errs, events := together(t.Context(), 1, chat, 0)
		if _, lost := errors.AsType[*traffic.LostError](errs[0]); lost || len(chat.asked) != v1.MaxTries ||
			strings.Contains(events.Text(trial.Note), "provider_") {
			t.Errorf("%v after %d requests:\n%s", errs[0], len(chat.asked), events.Text(trial.Note))
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
		return nil, &model.RetryError{After: 9 * time.Second, Busy: true, Err: errors.New("status 429")}
	}
	return &model.Reply{Message: model.Message{Content: "ok"}, Usage: model.Usage{Known: true}}, nil
}

// TestSlotsOfALoop: while one trial waits to ask again, another has its slot;
// no wait is the model's time, and the journal has every retry.
func TestSlotsOfALoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chat := &busyChat{away: 1}
		shared := lone(traffic.NewLines(clock.Real{}, 0, func(p string) int { return map[string]int{"acme": 1}[p] }))
		start := time.Now()
		var asked [3]*requests
		var logs [3]trialtest.Log
		var ended [3]time.Duration
		var wg sync.WaitGroup
		for i := range asked {
			r := shared.requests([]string{"acme/one", "acme/two", "acme/one"}[i], chat,
				&record.Recorder{Sink: &logs[i], Clock: shared.Clock})
			asked[i] = r
			wg.Go(func() {
				if _, err := r.generate(t.Context()); err != nil {
					t.Errorf("loop %d: %v", i, err)
				}
				ended[i] = time.Since(start)
			})
			synctest.Wait()
		}
		wg.Wait()
		// First: 1 s, turned away, 9 s back-off, 1 s. Second: 1 s wait, 1 s.
		// Third: 2 s wait, 1 s.
		if ended != [3]time.Duration{11 * time.Second, 2 * time.Second, 3 * time.Second} {
			t.Errorf("ended after %v", ended)
		}
		for i, want := range []trial.Seconds{{Provider: 1, Wait: 10}, {Provider: 1, Wait: 1}, {Provider: 1, Wait: 2}} {
			if got := asked[i].Outcome.Seconds; got != want ||
				asked[i].used != time.Duration(want.Provider)*time.Second {
				t.Errorf("loop %d: %+v, charged %v, want %+v", i, got, asked[i].used, want)
			}
		}
		if chat.top != 1 || chat.asked != 4 {
			t.Errorf("%d at once, %d in all", chat.top, chat.asked)
		}
		if n := logs[0].Text(trial.Note); strings.Count(n, `"retried"`) != 1 || !strings.Contains(n, `"wait":9`) {
			t.Errorf("notes: %s", n)
		}
	})
}

// TestSlowedIsSaid: the journal says when a provider gets fewer requests.
func TestSlowedIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events trialtest.Log
		r := lone(traffic.NewLines(clock.Real{}, 0, func(string) int { return 8 })).requests("acme/one",
			&busyChat{away: 2}, &record.Recorder{Sink: &events, Clock: clock.Real{}})
		if _, err := r.generate(t.Context()); err != nil {
			t.Fatal(err)
		}
		notes := events.Text(trial.Note)
		if strings.Count(notes, `"slowed"`) != 2 || !strings.Contains(notes, "from now on: 4") ||
			!strings.Contains(notes, "from now on: 2") {
			t.Errorf("notes:\n%s", notes)
		}
	})
}

// What nobody tells the cost of counts in full; what was turned away, not at all.
func TestBudgetCountsWhatIsNotTold(t *testing.T) {
	prices, err := model.LoadPrices([]byte("[prices.\"test/model\"]\ninput = 1000000.0\noutput = 1000000.0\n"))
	if err != nil {
		t.Fatal(err)
	}
	shared := lone(nil)
	shared.Prices, shared.Recipe.ModelParams.MaxTokens = prices, new(100)
	r := shared.requests("test/model", nil, &record.Recorder{})
	r.Claim = budget.New(1000, nil, budget.SpentBefore{}).Lone()
	check := func(what string, reply *model.Reply, err error, want float64) {
		t.Helper()
		if got := r.took(77, reply, err); got != want {
			t.Errorf("%s costs %v, want %v", what, got, want)
		}
	}
	check("a reply", &model.Reply{Usage: model.Usage{Input: 10, Output: 2, Known: true}}, nil, 12)
	check("a reply without a usage", &model.Reply{}, nil, 77)
	check("a broken stream", nil, &model.RetryError{Err: errors.New("reset")}, 77)
	check("a busy provider", nil, &model.RetryError{Busy: true, Err: errors.New("429")}, 0)
	check("a refusal", nil, &model.RefusedError{Usage: model.Usage{Input: 3, Known: true}}, 3)
	check("a refusal without a usage", nil, &model.RefusedError{}, 77)
	check("a rejected key", nil, &model.AuthError{Err: errors.New("401")}, 0)
	check("a model that is not there", nil, &model.NotFoundError{Err: errors.New("404")}, 0)
	req := &model.Request{Messages: []model.Message{{Role: model.User, Content: "hello"}}, Params: r.params()}
	if most := r.most(req); most < 105 || most > 400 {
		t.Errorf("at most %v", most)
	}
}

// A provider that ignores max_tokens is believed to write twice as much as it did;
// where there is no limit the longest reply so far stands for it.
func TestLongestReply(t *testing.T) {
	shared := lone(nil)
	l := shared.base("acme/one", &record.Recorder{Sink: &trialtest.Log{}, Clock: clock.Real{}})
	check := func(limit *int, want int) {
		t.Helper()
		if got := l.longestReply(limit); got != want {
			t.Errorf("limit %v: %d tokens, want %d", limit, got, want)
		}
	}
	check(new(100), 100)
	check(nil, assumedReply)
	shared.Habits.Seen(90)
	check(new(100), 100)
	check(nil, 180)
	l.charge(model.Usage{Input: 1, Output: 700, Known: true}, nil)
	check(new(100), 1400)
	check(nil, 1400)
}

// TestEachRepeatHasItsSeed: the first has the recipe's.
func TestEachRepeatHasItsSeed(t *testing.T) {
	shared := lone(nil)
	shared.Recipe.ModelParams.Seed = new(int64(7))
	r := shared.requests("acme/one", nil, &record.Recorder{})
	for n, want := range map[int]int64{0: 7, 1: 7, 3: 9} {
		r.Trial.N = n
		if got := *r.params().Seed; got != want {
			t.Errorf("repeat %d has the seed %d, not %d", n, got, want)
		}
	}
	if *shared.Recipe.ModelParams.Seed != 7 {
		t.Error("the recipe was changed")
	}
}
