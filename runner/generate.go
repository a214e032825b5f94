package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cookoff/model"
	"cookoff/runner/budget"
	"cookoff/runner/traffic"
	"cookoff/runner/v1"
	"cookoff/trial"
)

// asking is one request, and what the journal is told of it.
type asking struct {
	req    *model.Request
	called *trial.Called
	key    string // names the request to the provider; "": by its place in the trial
	shown  bool   // to a person, as the reply arrives
	input  int    // about how many tokens it sends
}

// generate gets the next reply in the conversation. Where the endpoint turns out
// to take no tools, it is asked again with them in the prompt.
func (l *loop) generate(ctx context.Context) (*model.Reply, error) {
	called := &trial.Called{New: l.fresh()}
	if !l.asked {
		called.Tools, l.asked = l.set.Specs, true
	}
	a := asking{req: l.request(), called: called, shown: true, input: l.estimate()}
	reply, err := l.exchange(ctx, a)
	if err == nil {
		l.tooled(a.req)
	} else if l.withoutTools(err) {
		return l.generate(ctx)
	} else if without, ok := errors.AsType[*model.UnsupportedError](err); ok && without.What == model.Tools {
		l.unanswered(without, nil)
	}
	return reply, err
}

// reply makes the request, and hands the text on as it arrives where somebody
// looks.
func (l *loop) reply(ctx context.Context, a asking) (*model.Reply, error) {
	front := l.r.env.Front
	streamer, ok := l.chat.(model.Streamer)
	if !ok || front == nil || front.Text == nil || !a.shown {
		return l.chat.Generate(ctx, a.req)
	}
	p := Piece{Trial: l.rec.Trial, Attempt: l.rec.Attempt, Agent: l.rec.Agent, Step: l.rec.Step, Try: max(a.called.Try, 1)}
	return streamer.GenerateStream(ctx, a.req, func(text string) {
		p.Text = text
		front.Text(p)
	})
}

// exchange makes a request. Faults of the provider are waited out: neither the
// wait nor the failed try is charged to anybody. What remains is an error that
// voids the trial, or an errStop.
func (l *loop) exchange(ctx context.Context, a asking) (*model.Reply, error) {
	if reply, err, ok := l.recall(&a); ok {
		return reply, err
	}
	var waited time.Duration
	failed := 0
	for try := max(a.called.Try, 1); ; try++ {
		reply, d, err := l.once(ctx, a)
		if err == nil {
			l.out.Seconds.Provider += d.Seconds()
			return reply, l.replied(reply, d)
		}
		retry, without := (*model.RetryError)(nil), (*model.UnsupportedError)(nil)
		if errors.As(err, &without) && ctx.Err() == nil {
			l.used -= d
			l.out.Seconds.Wait += d.Seconds()
			if !l.adapt(&a, without) {
				if without.What != model.Tools { // else withoutTools may do
					l.unanswered(err, nil)
				}
				return nil, untaken(without)
			}
			a.called, a.key = &trial.Called{Try: try + 1}, ""
			continue
		}
		how := l.broken(a, err)
		if ctx.Err() != nil || l.used >= l.timeout || !errors.As(err, &retry) {
			l.out.Seconds.Provider += d.Seconds()
			if ctx.Err() == nil {
				l.unanswered(err, how)
			}
			return nil, l.classify(err)
		}
		l.used -= d
		l.out.Counters.Retries++
		l.out.Seconds.Wait += d.Seconds()
		wait := time.Duration(0)
		if !l.r.lines.Barred(l.id) { // else it waits with all others, see circuit
			failed++
			wait = backoff(failed, retry.After)
		}
		if failed == v1.MaxTries || waited+wait > v1.MaxWaitSum {
			l.out.Counters.Retries--
			l.unanswered(err, how)
			return nil, fmt.Errorf("the provider failed %d times in a row, the last time: %w", failed, err)
		}
		waited += wait
		l.out.Seconds.Wait += wait.Seconds()
		l.rec.Emit(trial.Event{Kind: trial.Note, Note: &trial.NoteText{Kind: "retried", Text: err.Error(), Wait: wait.Seconds(), Failure: how}})
		if wait > 0 {
			if err := l.r.env.Clock.Sleep(ctx, wait); err != nil {
				return nil, err
			}
		}
		a.called, a.key = &trial.Called{Try: try + 1}, ""
	}
}

// unanswered notes that a request has no reply and is not made again: the journal
// then says of each how it ended.
func (l *loop) unanswered(err error, how *trial.Failure) {
	if _, broke := errors.AsType[*budget.Error](err); broke { // it was never made
		return
	}
	if how == nil {
		how = l.failureOf(err)
	}
	l.rec.Emit(trial.Event{Kind: trial.Note, Note: &trial.NoteText{Kind: "failed", Text: err.Error(), Failure: how}})
}

// broken says how a request failed, and looks at whether a reply had begun: the
// provider's doing, or the end of the loop's time.
func (l *loop) broken(a asking, err error) *trial.Failure {
	how := l.failureOf(err)
	retry, ok := errors.AsType[*model.RetryError](err)
	switch {
	case ok && retry.Begun:
		how.Lost, how.LostUSD = true, l.lost(a, retry.Arrived)
	case !ok && how.Kind == trial.FailedTimeout:
		how.Lost, how.LostUSD = true, l.lost(a, 0)
	}
	return how
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
// doubling from FirstWait. Trials are spread by their own timing, so there is
// no randomness to make a journal differ from the next.
func backoff(try int, asked time.Duration) time.Duration {
	if asked > 0 {
		return min(asked, traffic.MaxWait)
	}
	return min(traffic.FirstWait<<(try-1), traffic.MaxWait)
}

func (l *loop) request() *model.Request {
	req := &model.Request{Messages: l.messages, Wire: l.wire, Functions: l.format == formatFunctions, Params: l.params()}
	if l.format != formatText {
		req.Tools = l.set.Specs
	}
	return req
}

// replied records a reply and what it cost.
func (l *loop) replied(reply *model.Reply, d time.Duration) error {
	reply.Message.Role = model.Assistant
	cut(reply)
	if !reply.Usage.Known {
		usd, _ := l.r.cost(l.id, model.Usage{Input: l.estimate(), Output: size(reply.Message) / v1.TokenBytes, Known: true})
		l.guessed += usd
	}
	nameCalls(reply.Message.Calls, l.out.Steps)
	l.rec.Emit(trial.Event{Kind: trial.ModelReplied, Replied: &trial.Replied{Reply: *reply, Seconds: d.Seconds(), CostUSD: l.charge(reply.Usage)}})
	for _, n := range reply.Notes {
		l.rec.Note("reply", n)
	}
	return l.rec.Err()
}
