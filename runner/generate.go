package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cookoff/model"
	"cookoff/trial"
)

// generate gets the next reply. Faults of the provider are waited out, and the
// wait is charged to nobody; what remains is an error that voids the trial, or
// an errStop.
func (l *loop) generate(ctx context.Context) (*model.Reply, error) {
	var waited time.Duration
	for try := 1; ; try++ {
		reply, d, err := l.once(ctx, try)
		if err == nil {
			return reply, l.replied(reply, d)
		}
		retry := (*model.RetryError)(nil)
		if ctx.Err() != nil || l.used >= l.timeout || !errors.As(err, &retry) {
			return nil, l.classify(err)
		}
		wait := backoff(try, retry.After)
		if try == maxTries || waited+wait > maxWaitSum {
			return nil, fmt.Errorf("the provider failed %d times in a row, the last time: %w", try, err)
		}
		waited += wait
		l.out.Counters.Retries++
		l.out.Seconds.Wait += wait.Seconds()
		l.rec.emit(trial.Event{Kind: trial.Note, Note: &trial.NoteText{Kind: "retried", Text: err.Error(), Wait: wait.Seconds()}})
		if err := l.r.env.Clock.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// classify turns what a model's provider said into how the loop ends, where
// it is the conversation's doing; every other error is the provider's fault.
func (l *loop) classify(err error) error {
	var tooLong *model.ContextError
	var refused *model.RefusedError
	switch {
	case errors.As(err, &tooLong):
		return &errStop{trial.StopContextFull, tooLong.Error()}
	case errors.As(err, &refused):
		l.charge(refused.Usage)
		return &errStop{trial.StopRefused, refused.Reason}
	}
	return err
}

// backoff is how long to wait before the next try: as the provider asked, else
// doubling from firstWait. Trials are spread by their own timing, so there is
// no randomness to make a journal differ from the next.
func backoff(try int, asked time.Duration) time.Duration {
	if asked > 0 {
		return min(asked, maxWait)
	}
	return min(firstWait<<(try-1), maxWait)
}

func (l *loop) request() *model.Request {
	p := l.r.recipe.ModelParams
	return &model.Request{Messages: l.messages, Tools: l.set.specs, Params: model.Params{
		Temperature: p.Temperature, TopP: p.TopP, MaxTokens: p.MaxTokens, Seed: p.Seed,
		ReasoningEffort: p.ReasoningEffort, ParallelToolCalls: p.ParallelToolCalls,
	}}
}

// called records a request: what is new in it since the last.
func (l *loop) called(try int) {
	c := &trial.Called{New: l.messages[l.sent:]}
	if try > 1 {
		c = &trial.Called{Try: try}
	} else if l.out.Steps == 1 {
		c.Tools = l.set.specs
	}
	l.rec.emit(trial.Event{Kind: trial.ModelCalled, Called: c})
	l.sent = len(l.messages)
}

// replied records a reply and what it cost.
func (l *loop) replied(reply *model.Reply, d time.Duration) error {
	reply.Message.Role = model.Assistant
	nameCalls(reply.Message.Calls, l.out.Steps)
	l.rec.emit(trial.Event{Kind: trial.ModelReplied, Replied: &trial.Replied{Reply: *reply, Seconds: d.Seconds(), CostUSD: l.charge(reply.Usage)}})
	for _, n := range reply.Notes {
		l.rec.note("reply", n)
	}
	return l.rec.err
}

// charge adds a usage to the outcome's, and gives its cost, nil when unknown.
func (l *loop) charge(u model.Usage) *float64 {
	if l.out.Steps == 1 {
		l.out.Usage = u
	} else {
		l.out.Usage = l.out.Usage.Add(u)
	}
	usd, ok := l.r.cost(l.id, u)
	if !ok {
		return nil
	}
	l.spent += usd
	return &usd
}

// cost is what a usage of a model costs, if that is known.
func (r *Runner) cost(id string, u model.Usage) (float64, bool) {
	if r.models[id].baseline != "" {
		return 0, true
	}
	if r.env.Prices == nil {
		return 0, false
	}
	return r.env.Prices.Cost(id, u)
}
