package transcript

import (
	"encoding/json"
	"strings"

	"cookoff/model"
	"cookoff/report"
	"cookoff/trial"
)

// Fold is a sink for the events of a journal. It keeps the trials that are under
// way and no more, and gives each one on as soon as the attempt that counts has ended.
type Fold struct {
	each   func(Trial) error
	counts map[string]report.Trial
	open   map[string]*attempt
}

// NewFold makes a Fold of the run that r was made of. An error of each is Emit's.
func NewFold(r *report.Report, each func(Trial) error) *Fold {
	f := &Fold{each: each, counts: map[string]report.Trial{}, open: map[string]*attempt{}}
	for _, t := range r.Trials {
		f.counts[t.ID] = t
	}
	return f
}

// attempt is what is known of an attempt that has not ended.
type attempt struct {
	out  Trial
	talk map[string]*Talk
	lost map[string]int // requests without a reply, by agent
}

// Emit takes one event; those of attempts that do not count are skipped.
func (f *Fold) Emit(e trial.Event) error {
	counts, ok := f.counts[e.Trial]
	if n := max(e.Attempt, 1); !ok || n != counts.Attempt {
		return nil
	}
	a := f.open[e.Trial]
	if a == nil || e.Kind == trial.TrialStarted {
		a = &attempt{out: Trial{Trial: counts, Started: e.At}, talk: map[string]*Talk{}, lost: map[string]int{}}
		a.out.Talk = a.of("")
		f.open[e.Trial] = a
	}
	a.take(e)
	if e.Kind != trial.TrialFinished || e.Outcome == nil {
		return nil
	}
	a.out.Finished, a.out.Answer = e.At, e.Outcome.Answer
	if len(e.Outcome.Verdicts) > 0 {
		a.out.Verdicts = e.Outcome.Verdicts
	}
	delete(f.open, e.Trial)
	delete(f.counts, e.Trial)
	return f.each(a.out)
}

func (a *attempt) take(e trial.Event) {
	t := a.of(e.Agent)
	switch {
	case e.Kind == trial.ModelCalled && e.Called != nil:
		a.called(t, e)
	case e.Kind == trial.ModelReplied && e.Replied != nil:
		t.replied(e, a.lost[e.Agent])
		a.lost[e.Agent] = 0
	case e.Kind == trial.ToolCalled && e.Tool != nil:
		if c := t.call(e.Step, e.Tool.CallID, func(c *Call) bool { return c.Started.IsZero() }); c != nil {
			c.Started, c.Args = e.At, e.Tool.Args
		}
	case e.Kind == trial.ToolReturned && e.Returned != nil:
		if c := t.call(e.Step, e.Returned.CallID,
			func(c *Call) bool { return !c.Started.IsZero() && c.Result == nil }); c != nil {
			c.Ended, c.Result = e.At, e.Returned
		}
	case e.Kind == trial.Judged:
		a.out.Verdicts = e.Verdicts
		a.out.Judging = e.At
	}
}

// called adds what is new in a request. What an assistant said and what tools
// answered is in events of their own.
func (a *attempt) called(t *Talk, e trial.Event) {
	if e.Called.Try > 1 {
		a.lost[e.Agent]++
	}
	if len(e.Called.Tools) > 0 {
		t.Tools = e.Called.Tools
	}
	for _, m := range e.Called.New {
		if m.Role != model.Assistant && m.Role != model.ToolRole {
			t.Turns = append(t.Turns, Turn{Role: m.Role, At: e.At, Step: e.Step, Text: m.Content})
		}
	}
}

// of gives the talk of an agent, and hangs a new one where it belongs: at the call
// that started it.
func (a *attempt) of(agent string) *Talk {
	if t := a.talk[agent]; t != nil {
		return t
	}
	t := &Talk{Agent: agent}
	a.talk[agent] = t
	if agent == "" {
		return t
	}
	above := ""
	if i := strings.LastIndexByte(agent, '.'); i >= 0 {
		above = agent[:i]
	}
	parent := a.of(above)
	parent.Subs = append(parent.Subs, t)
	if c := parent.waiting(); c != nil {
		c.Sub = t
	}
	return t
}

func (t *Talk) replied(e trial.Event, lost int) {
	turn := Turn{Role: model.Assistant, At: e.At, Step: e.Step, Text: e.Replied.Reply.Message.Content, Reply: e.Replied,
		Retries: lost}
	for _, c := range e.Replied.Reply.Message.Calls {
		turn.Calls = append(turn.Calls, Call{ID: c.ID, Name: c.Name, Raw: c.Arguments})
	}
	t.Turns = append(t.Turns, turn)
}

// call finds a call of a step, of several of one name the first that is next, else the
// first; nil: the model made none of that name. Servers may name all calls alike.
func (t *Talk) call(step int, id string, next func(*Call) bool) *Call {
	var first *Call
	for i := len(t.Turns) - 1; i >= 0 && t.Turns[i].Step >= step; i-- {
		if t.Turns[i].Step != step {
			continue
		}
		for j := range t.Turns[i].Calls {
			c := &t.Turns[i].Calls[j]
			if c.ID != id {
				continue
			}
			if next(c) {
				return c
			}
			if first == nil {
				first = c
			}
		}
	}
	return first
}

// waiting is the one call that has begun, has not ended and has no sub-agent yet;
// nil where there is none, or more than one.
func (t *Talk) waiting() *Call {
	var found *Call
	if len(t.Turns) == 0 {
		return nil
	}
	last := &t.Turns[len(t.Turns)-1]
	for i := range last.Calls {
		if c := &last.Calls[i]; !c.Started.IsZero() && c.Result == nil && c.Sub == nil {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

// Usage sums what the replies of a talk took, without its sub-agents; the cost is
// nil where it is not known of each.
func (t *Talk) Usage() (model.Usage, *float64) {
	u, cost, known := model.Usage{Known: true}, 0.0, true
	for _, turn := range t.Turns {
		if turn.Reply == nil {
			continue
		}
		u = u.Add(turn.Reply.Reply.Usage)
		if turn.Reply.CostUSD == nil {
			known = false
			continue
		}
		cost += *turn.Reply.CostUSD
	}
	if !known {
		return u, nil
	}
	return u, &cost
}

// Schema is a tool's parameters, an empty object where it says none.
func Schema(t model.ToolSpec) json.RawMessage {
	if len(t.Parameters) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Parameters
}
