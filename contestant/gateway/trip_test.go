package gateway_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cookoff/contestant/gateway"
	"cookoff/runner/traffic"
	"cookoff/trial"
)

// TestMoneyIsWaitedForElsewhere: who waits for money leaves its place and is charged no
// time; what a call has cost is settled before its place is waited for.
func TestMoneyIsWaitedForElsewhere(t *testing.T) {
	clock := &hand{now: time.Unix(0, 0), slept: make(chan bool, 9)}
	var r *rig
	var left, settled atomic.Bool
	r = newRig(t, says(200, jsonType, `{"content":[]}`), func(o *gateway.Options) {
		o.Clock, o.Toolless = clock, true
		o.Away = func() func(context.Context) {
			left.Store(true)
			return func(context.Context) {
				if !settled.Load() {
					t.Error("the place is waited for while the money is held")
				}
			}
		}
		o.Admit = func(context.Context, gateway.Ask) (gateway.Grant, error) {
			if !left.Load() {
				t.Error("the money is waited for in the agent's place")
			}
			clock.add(5 * time.Second)
			if w := r.g.Tally().Wait; w != 5 {
				t.Errorf("the money was waited for 5 s, of which %v s are counted", w)
			}
			return gateway.Grant{Settle: func(trial.Request) { settled.Store(true) }}, nil
		}
	})
	r.post("/v1/messages", hello)
	if rec := r.last(); rec.Outcome != trial.RequestOK || rec.Wait != 5 {
		t.Errorf("%+v", rec)
	}
}

// TestWholeReplyOnBusyMachine: a reply that is whole is no failure of its provider, however
// long the agent's place is waited for, or the connection stays open; nor does it keep its
// place among the requests meanwhile.
func TestWholeReplyOnBusyMachine(t *testing.T) {
	const stream = "data: {\"type\":\"message_stop\"}\n\n"
	check := func(name string, answer http.HandlerFunc) {
		t.Helper()
		lines := traffic.NewLines(&hand{now: time.Unix(0, 0)}, 0, func(string) int { return 1 })
		r := newRig(t, answer, func(o *gateway.Options) {
			o.Upstream.Idle, o.Upstream.Timeout, o.Lines, o.Toolless = 50*time.Millisecond, 200*
				time.Millisecond, lines, true
			o.Away = func() func(context.Context) {
				return func(ctx context.Context) {
					slot, err := lines.Acquire(ctx, "acme/big")
					if err != nil {
						t.Errorf("%s: the place at the provider is still held: %v", name, err)
						return
					}
					defer slot.Release(traffic.Neither)
					select {
					case <-ctx.Done():
						t.Errorf("%s: the wait for the agent's place was cut short: %v", name, context.Cause(ctx))
					case <-time.After(300 * time.Millisecond): // busy for longer than the provider may take
					}
				}
			}
		})
		_, got := r.post("/v1/messages", `{"model":"m","stream":true}`)
		if rec := r.last(); rec.Outcome != trial.RequestOK || got != stream {
			t.Errorf("%s: %s (%s), the agent got %q", name, rec.Outcome, rec.Why, got)
		}
	}
	check("closed", says(200, sse, stream))
	check("left open", func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", sse)
		io.WriteString(w, stream)
		w.(http.Flusher).Flush()
		<-req.Context().Done()
	})
}

// TestStalledStream: the silence in which a reply stalls is no time of the agent's.
func TestStalledStream(t *testing.T) {
	const idle = 50 * time.Millisecond
	ask := func(event string) (trial.Request, float64) {
		r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Type", sse)
			io.WriteString(w, event)
			w.(http.Flusher).Flush()
			<-req.Context().Done()
		}, func(o *gateway.Options) { o.Upstream.Idle, o.Toolless = idle, true })
		r.post("/v1/chat/completions", `{"model":"m","stream":true}`)
		return r.last(), r.g.Tally().Wait
	}
	const event = "data: {\"choices\":[{\"delta\":{\"content\":\"I have\"}}]}\n\n"
	if rec, wait := ask(strings.Repeat(event, 8)); wait < idle.Seconds() ||
		rec.Outcome != trial.RequestProvider {
		t.Errorf("%s (%s), %v s are not charged", rec.Outcome, rec.Why, wait)
	}
	if rec, wait := ask(": comment\n\n" + event); wait >= idle.Seconds() || rec.Outcome != trial.RequestProvider {
		t.Errorf("without a word of the model: %s (%s), %v s are not charged", rec.Outcome, rec.Why, wait)
	}
}
