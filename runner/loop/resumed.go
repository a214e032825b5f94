package loop

import (
	"context"
	"errors"
	"time"

	"cookoff/model"
	"cookoff/runner/toolset"
	"cookoff/tools"
	"cookoff/trial"
)

// failureOf says for the journal how a request ended that got no reply.
func (r *requests) failureOf(err error) *trial.Failure {
	f := &trial.Failure{Kind: trial.FailedProvider}
	tooLong, refused, without := (*model.ContextError)(nil), (*model.RefusedError)(nil), (*model.UnsupportedError)(nil)
	switch {
	case errors.As(err, &tooLong):
		f.Kind, f.Words = trial.FailedContext, tooLong.Err.Error()
	case errors.As(err, &refused):
		f.Kind, f.Words, f.Usage = trial.FailedRefused, refused.Reason, refused.Usage
	case errors.As(err, &without):
		f.Kind, f.Model, f.What = trial.FailedUnsupported, r.id, without.What
	case errors.Is(err, context.DeadlineExceeded) && r.used >= r.Timeout:
		f.Kind = trial.FailedTimeout
	}
	return f
}

// recall answers a request as the journal has it. ok is false where it is to be
// made: the journal has no end of it.
func (r *requests) recall(a *asking) (reply *model.Reply, err error, ok bool) {
	r.Record.CountRequest()
	d := r.Record.Redo
	if d.Next() == nil && !d.Over() {
		return nil, nil, false
	}
	d.Called(r.Record.Agent, a.called.New)
	r.Record.Emit(trial.Event{Kind: trial.ModelCalled, Called: a.called})
	try, open := 1, true
	for d.Failed() == nil {
		e := d.Peek()
		if e == nil {
			if open { // it was under way: this is the same request
				a.key = r.Record.Key(try)
			}
			a.called = &trial.Called{Try: try + 1}
			return nil, nil, false
		}
		switch {
		case e.Kind == trial.ModelReplied && e.Agent == r.Record.Agent && e.Replied != nil:
			reply := e.Replied.Reply
			took := ofSeconds(e.Replied.Seconds)
			r.used += took
			r.Outcome.Seconds.Provider += e.Replied.Seconds
			return &reply, r.replied(&reply, took, e.Replied.CostUSD), true
		case e.Kind == trial.ModelCalled && e.Agent == r.Record.Agent && e.Called != nil && e.Called.Try > 1:
			try, open = e.Called.Try, true
		case e.Kind == trial.Note:
			open = open && e.Note.Kind != trial.Retried && e.Note.Failure == nil
			if err := r.failedBefore(e.Note); err != nil {
				d.Skip()
				return nil, r.classify(err), true
			}
		default:
			d.Diverge("the journal does not say how the request in step %d ended", e.Step)
		}
		d.Skip()
	}
	return nil, d.Failed(), true
}

// failedBefore counts a request that failed, and gives the error where that was
// its end.
func (r *requests) failedBefore(n *trial.NoteText) error {
	if n.Kind == trial.Retried {
		r.Outcome.Counters.Retries++
		r.Outcome.Seconds.Wait += n.Wait
	}
	f := n.Failure
	if f == nil {
		return nil
	}
	if f.Lost {
		r.Outcome.Counters.Lost++
		r.Outcome.LostUSD += f.LostUSD
		r.guessed += f.LostUSD
	}
	if n.Kind != "failed" {
		return nil
	}
	switch f.Kind {
	case trial.FailedContext:
		return &model.ContextError{Err: errors.New(f.Words)}
	case trial.FailedRefused:
		return &model.RefusedError{Reason: f.Words, Usage: f.Usage}
	case trial.FailedTimeout:
		r.used = max(r.used, r.Timeout)
		return context.DeadlineExceeded
	}
	return nil
}

// answeredBefore gives what a call gave before, where it is made again, and charges
// what it took then.
func (t *toolCalls) answeredBefore(c model.Call, res tools.Result, took time.Duration) (tools.Result, time.Duration) {
	was := t.Record.Redo.Answered(t.Record.Agent, t.Record.Step, c, res)
	if was == nil {
		return res, took
	}
	if took > 0 && c.Name != toolset.Spawn {
		t.used += ofSeconds(was.Seconds) - took
		t.Outcome.Seconds.Tools += was.Seconds - took.Seconds()
	}
	return tools.Result{Text: was.Text, Failed: was.Failed, Refused: was.Refused, Cut: was.Cut,
		Wrote: res.Wrote}, ofSeconds(was.Seconds)
}

// pace lets the time pass that a model took before this call, where something
// runs in the background: it shall be as far as it was.
func (t *toolCalls) pace(ctx context.Context, c model.Call) error {
	wait := t.Record.Redo.Pace(c)
	if wait <= 0 {
		return nil
	}
	return t.away(ctx, func() error { return t.Clock.Sleep(ctx, wait) })
}

func ofSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
