package loop

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/model"
	"cookoff/runner/clock"
	"cookoff/runner/record"
	"cookoff/runner/traffic"
	"cookoff/runner/v1"
	"cookoff/trial"
	"cookoff/trial/trialtest"
)

// keptChat keeps its connections open until the caller's time is over, so many times.
type keptChat struct {
	times int
	err   error // nil: the caller's
}

func (c *keptChat) Generate(ctx context.Context, _ *model.Request) (*model.Reply, error) {
	if c.times--; c.times >= 0 {
		<-ctx.Done()
		if c.err == nil {
			return nil, ctx.Err()
		}
		return nil, c.err
	}
	return &model.Reply{Message: model.Message{Content: "ok"}, Usage: model.Usage{Known: true}}, nil
}

// TestIdleStream: where the loop's time ran out in a request of which nothing was heard but
// that the connection is there, the time is given back and the request is made again; in
// one that may be the model's it is over.
func TestIdleStream(t *testing.T) {
	idle := &model.RetryError{Idle: true, Err: errors.New("nothing but comments")}
	ask := func(t *testing.T, chat *keptChat) (*requests, *trialtest.Log, error) {
		events, shared := &trialtest.Log{}, lone(traffic.NewLines(clock.Real{}, time.Hour, func(string) int { return 1 }))
		r := shared.requests("acme/one", chat, &record.Recorder{Sink: events, Clock: shared.Clock, Trial: "t"})
		_, err := r.generate(t.Context())
		return r, events, err
	}
	synctest.Test(t, func(t *testing.T) {
		r, events, err := ask(t, &keptChat{2, idle})
		s, n := r.Outcome.Seconds, r.Outcome.Counters.Retries
		if err != nil || r.used != 0 || s.Wait < 120 || s.Provider != 0 || n != 2 {
			t.Errorf("charged %v, %+v: %v", r.used, s, err)
		}
		if n := events.Text(trial.Note); strings.Count(n, `"retried"`) != 2 ||
			strings.Count(n, `"lost":true`) != 2 || strings.Contains(n, string(trial.FailedTimeout)) {
			t.Errorf("notes: %s", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		stop := (*errStop)(nil)
		_, _, err := ask(t, &keptChat{v1.MaxTries, idle})
		if err == nil || errors.As(err, &stop) ||
			!strings.Contains(err.Error(), "the provider failed 6 times in a row") {
			t.Errorf("a provider that never says a word: %v", err)
		}
		r, _, err := ask(t, &keptChat{1, nil})
		if !errors.As(err, &stop) || stop.stop != trial.StopTimeout || r.used < r.Timeout {
			t.Errorf("a model that is slow: %v", err)
		}
	})
}
