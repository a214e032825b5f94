package agent

import (
	"context"
	"fmt"
	"strings"

	"cookoff/contestant/gateway/tally"
	"cookoff/model"
	"cookoff/trial"
)

// conclude writes to the outcome how the agent ended. What its provider did wrong is
// read from the gateway's record, not from what the agent says of it.
func (c *Contestant) conclude(ctx context.Context, e ended) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events.end()
	t, out := c.gateway.Tally(), c.Outcome
	out.Stop, out.Detail, out.Usage = e.stop, e.detail, t.Usage
	out.Answer = strings.ToValidUTF8(c.events.answer, "\uFFFD")
	if c.finished.IsZero() {
		c.finished = c.Clock.Now()
	}
	c.usage.Time = max(c.finished.Sub(c.began)-c.waited(), 0)
	out.Seconds.Agent, out.Seconds.Provider, out.Seconds.Wait = c.usage.Time.Seconds(), t.Provider, c.waited().Seconds()
	out.Caveats = append(out.Caveats, c.caveats(t)...)
	switch {
	case e.err != nil:
		return e.err
	case c.money.broke != nil:
		return c.money.broke
	case e.stop == trial.StopCancelled:
		return nil
	case t.Final != nil:
		out.Stop, out.Detail = "", ""
		return t.Final
	case e.own:
		out.Detail = strings.TrimPrefix(out.Detail+
			"; the provider fails at its last request, and answers others: "+t.LastFailure, "; ")
	case t.Failing > 0 && t.Stop == "":
		out.Stop, out.Detail = "", ""
		return &model.RetryError{Err: fmt.Errorf("the provider failed %d times, the last time: %s", t.Failed,
			t.LastFailure)}
	case e.stop == trial.StopCrashed && t.Rejected > 0 && t.Calls == 0:
		out.Detail += "; its requests were rejected: " + t.LastRejection
	}
	return c.Record.Err()
}

// caveats say in what the trial differs from one of the agent with its own provider.
func (c *Contestant) caveats(t tally.Tally) (out []string) {
	if t.Translated {
		out = append(out, fmt.Sprintf("its requests were translated from %s: with its own provider it may do otherwise",
			c.Agent.Dialect))
	}
	if t.Guessed {
		out = append(out, "the usage of some of its requests is an estimate")
	}
	return out
}
