package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"cookoff/contestant/acp"
	"cookoff/contestant/gateway"
	"cookoff/model"
	"cookoff/trial"
)

// maxReply bounds what is kept of what an agent says between two calls, in bytes.
const maxReply = 1 << 20

// events tells what an agent does in the events that a conversation has: a step for
// each call of its model, with what the agent said since, and its tool calls. The
// gateway and the agent each tell their part, and neither waits for the other: a
// reply is told once what follows from it begins.
type events struct {
	c      *Contestant
	text   strings.Builder // since the last reply was told
	answer string          // what it said last
	open   bool            // a call of the model is told, and its reply is not

	reply   trial.Replied // of the requests since, together
	replied bool          // one of them is the call's own
	some    bool          // there were some
	waiting []func()      // told once the reply is

	began map[string]time.Time // of tool calls under way, by their ids
	idle  chan struct{}        // closed when there are none; nil: there are none
}

// lag is how long the agent's word about its tools may come behind what its model is
// asked.
const lag = 20 * time.Millisecond

// settled waits a little for the ends of tool calls: what they gave is in the next
// call of the model, and is told before it.
func (e *events) settled(ctx context.Context) {
	e.c.mu.Lock()
	idle := e.idle
	e.c.mu.Unlock()
	if idle == nil {
		return
	}
	t := time.NewTimer(lag)
	defer t.Stop()
	select {
	case <-idle:
	case <-t.C:
	case <-ctx.Done():
	}
}

// called tells of a call of the model; helpers are told by the gateway alone.
func (e *events) called(ctx context.Context, ask gateway.Ask, most *float64) error {
	if !ask.Helper {
		e.settled(ctx)
	}
	e.c.mu.Lock()
	defer e.c.mu.Unlock()
	if ask.Helper {
		return e.c.Record.Failed()
	}
	e.flush()
	e.c.Outcome.Steps++
	e.c.Record.Step = e.c.Outcome.Steps
	called := &trial.Called{MostUSD: most, Request: ask.N}
	if e.c.Outcome.Steps == 1 {
		called.New = []model.Message{{Role: model.User, Content: e.c.Prompt}}
	}
	e.open = true
	e.c.Record.Emit(trial.Event{Kind: trial.ModelCalled, Called: called})
	return e.c.Record.Failed()
}

// served tells of a request that has ended.
func (e *events) served(r trial.Request) {
	e.c.mu.Lock()
	defer e.c.mu.Unlock()
	e.c.Record.Emit(trial.Event{Kind: trial.GatewayServed, Request: &r})
	if r.Outcome == trial.RequestRefused {
		return
	}
	p := &e.reply
	if !e.some {
		p.Reply.Usage, p.CostUSD = r.Usage, r.CostUSD
	} else {
		p.Reply.Usage = p.Reply.Usage.Add(r.Usage)
		if p.CostUSD != nil && r.CostUSD != nil {
			p.CostUSD = new(*p.CostUSD + *r.CostUSD)
		} else {
			p.CostUSD = nil
		}
	}
	e.some = true
	p.Seconds += r.Seconds
	if r.Helper {
		return
	}
	e.replied, p.Reply.Served = true, r.Served
	if len(e.waiting) > 0 {
		e.flush()
	}
}

// flush tells the reply to a call that was told, with what was said since, and what
// waits for that. Helper calls are counted with it. The lock is held.
func (e *events) flush() {
	if e.open {
		e.tell()
	}
	for _, f := range e.waiting {
		f()
	}
	e.waiting = nil
}

// end tells all that is left. The lock is held.
func (e *events) end() {
	e.flush()
	if e.some || e.text.Len() > 0 {
		e.tell()
	}
}

func (e *events) tell() {
	e.reply.Reply.Message = model.Message{Role: model.Assistant,
		Content: strings.ToValidUTF8(e.text.String(), "\uFFFD")}
	e.c.Record.Emit(trial.Event{Kind: trial.ModelReplied, Replied: new(e.reply)})
	e.text.Reset()
	e.reply, e.some, e.replied, e.open = trial.Replied{}, false, false, false
}

// then tells something that follows from the last reply: once that is told. The lock
// is held.
func (e *events) then(f func()) {
	if e.open && !e.replied {
		e.waiting = append(e.waiting, f)
		return
	}
	e.flush()
	f()
}

// update takes what the agent tells of itself.
func (e *events) update(u acp.Update, calls *acp.Calls) {
	e.c.mu.Lock()
	defer e.c.mu.Unlock()
	if u.Text != "" {
		if e.text.Len()+len(u.Text) <= maxReply {
			e.text.WriteString(u.Text)
		}
		if len(e.answer)+len(u.Text) <= maxReply {
			e.answer += u.Text
		}
		if e.c.Text != nil {
			e.c.Text(u.Text)
		}
	}
	if u.Tool != nil {
		calls.Take(u.Tool)
	}
}

// calls merges the agent's tool calls, and tells each.
func (e *events) calls() *acp.Calls {
	e.began = map[string]time.Time{}
	return &acp.Calls{Began: e.toolCalled, Ended: e.toolReturned}
}

func (e *events) toolCalled(c *acp.Call) {
	e.answer = ""
	e.began[c.ID] = e.c.Clock.Now()
	if e.idle == nil {
		e.idle = make(chan struct{})
	}
	e.c.Outcome.Counters.ToolCalls++
	e.c.usage.Calls[c.Name]++
	if writes(c.Name) {
		e.c.usage.Wrote++
	}
	tool := &trial.Tool{CallID: c.ID, Name: c.Name, Args: compact(c.Args)}
	e.then(func() { e.c.Record.Emit(trial.Event{Kind: trial.ToolCalled, Tool: tool}) })
}

func (e *events) toolReturned(c *acp.Call) {
	d := e.c.Clock.Now().Sub(e.began[c.ID])
	if delete(e.began, c.ID); len(e.began) == 0 {
		close(e.idle) // it is told before the lock is free
		e.idle = nil
	}
	if c.Failed {
		e.c.Outcome.Counters.FailedCalls++
	}
	e.c.Outcome.Counters.OutputCut += c.Cut
	e.c.Outcome.Seconds.Tools += d.Seconds()
	returned := &trial.Returned{CallID: c.ID, Name: c.Name, Text: strings.ToValidUTF8(c.Text, "\uFFFD"),
		Failed: c.Failed, Cut: c.Cut, Seconds: d.Seconds()}
	e.then(func() { e.c.Record.Emit(trial.Event{Kind: trial.ToolReturned, Returned: returned}) })
}

// writes reports whether a tool of that name may change files: all but those that say
// that they only look.
func writes(name string) bool {
	switch name {
	case "read", "search", "think", "fetch", "switch_mode":
		return false
	}
	return true
}

// compact gives JSON on one line.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}
