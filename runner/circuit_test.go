package runner

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
	"cookoff/trial"
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

// together lets n trials ask at once, and says how each ended.
func together(ctx context.Context, n int, chat model.Chat, wait time.Duration) (errs []error, events *log) {
	r := &Runner{habits: newHabits(), env: Env{Machine: Machine{Clock: realClock{}}, Providers: Providers{Slots: func(string) int { return 8 }}}, recipe: &recipe.Recipe{}, models: map[string]contestant{"acme/one": {}}}
	r.bound()
	r.circuits = newCircuits(realClock{}, wait)
	events, errs = &log{}, make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		l := &loop{r: r, id: "acme/one", chat: chat, set: &toolset{}, history: &history{}, account: &account{timeout: time.Minute},
			rec: &recorder{sink: events, clock: r.env.Clock, trial: fmt.Sprint("t", i)}, out: &trial.Outcome{Steps: 1}}
		wg.Go(func() { _, errs[i] = l.generate(ctx) })
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
		notes := events.text(trial.Note)
		if strings.Count(notes, `"provider_down"`) != 6 || !strings.Contains(notes, `asked again in 1m4s, by one request for all its trials`) || strings.Count(notes, `"provider_up"`) != 1 {
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
				if lost, ok := errors.AsType[*LostError](err); !ok || lost.Provider != "acme" {
					t.Errorf("ended with %v", err)
				}
			}
			if took := time.Since(began); took != want || strings.Count(events.text(trial.Note), `"provider_lost"`) != 1 {
				t.Errorf("given up after %v, want %v\n%s", took, want, events.text(trial.Note))
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
			chat := &downChat{until: began.Add(time.Hour), err: &model.RetryError{Busy: true, After: after, Err: errors.New("status 429")}}
			errs, events := together(t.Context(), 4, chat, 0)
			if _, lost := errors.AsType[*LostError](errs[0]); lost != (want == 0) || time.Since(began) != want {
				t.Errorf("told %v: %v after %v", after, errs, time.Since(began))
			}
			if len(chat.asked) > 8 || want > 0 && !strings.Contains(events.text(trial.Note), "asked again in 1h0m0s") {
				t.Errorf("told %v: asked %d times\n%s", after, len(chat.asked), events.text(trial.Note))
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
		if _, lost := errors.AsType[*LostError](errs[0]); lost || len(chat.asked) != maxTries || strings.Contains(events.text(trial.Note), "provider_") {
			t.Errorf("%v after %d requests:\n%s", errs[0], len(chat.asked), events.text(trial.Note))
		}
	})
}
