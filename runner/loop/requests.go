package loop

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

// requests makes the requests of a conversation.
type requests struct {
	manner
	*conversation
	chat  model.Chat
	asked bool // a request was made
}

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
func (r *requests) generate(ctx context.Context) (*model.Reply, error) {
	called := &trial.Called{New: r.fresh()}
	if !r.asked {
		called.Tools, r.asked = r.set.Specs, true
	}
	a := asking{req: r.request(), called: called, shown: true, input: r.estimate()}
	reply, err := r.exchange(ctx, a)
	if err == nil {
		r.tooled(a.req)
	} else if r.withoutTools(err) {
		return r.generate(ctx)
	} else if without, ok := errors.AsType[*model.UnsupportedError](err); ok && without.What == model.Tools {
		r.unanswered(without, nil)
	}
	return reply, err
}

// reply makes the request, and hands the text on as it arrives where somebody
// looks.
func (r *requests) reply(ctx context.Context, a asking) (*model.Reply, error) {
	streamer, ok := r.chat.(model.Streamer)
	if !ok || r.Person.Text == nil || !a.shown {
		return r.chat.Generate(ctx, a.req)
	}
	p := Piece{Trial: r.Record.Trial, Attempt: r.Record.Attempt, Agent: r.Record.Agent, Step: r.Record.Step,
		Try: max(a.called.Try, 1)}
	return streamer.GenerateStream(ctx, a.req, func(text string) {
		p.Text = text
		r.Person.Text(p)
	})
}

// exchange makes a request, during which another trial may work.
func (r *requests) exchange(ctx context.Context, a asking) (reply *model.Reply, err error) {
	if reply, err, ok := r.recall(&a); ok {
		return reply, err
	}
	err = r.away(ctx, func() error {
		reply, err = r.answer(ctx, a)
		return err
	})
	return reply, err
}

// away lets another trial work while f waits. Waiting for the turn to come back is
// charged to nobody.
func (b *base) away(ctx context.Context, f func() error) error {
	if b.Place == nil {
		return f()
	}
	before := b.Place.Waited
	err := b.Place.Away(ctx, f)
	b.Outcome.Seconds.Wait += (b.Place.Waited - before).Seconds()
	return err
}

// answer gets the answer to a request. Faults of the provider are waited out:
// neither the wait nor the failed try is charged to anybody. What remains is an error
// that voids the trial, or an errStop.
func (r *requests) answer(ctx context.Context, a asking) (*model.Reply, error) {
	var waited time.Duration
	failed := 0
	for try := max(a.called.Try, 1); ; try++ {
		reply, d, err := r.once(ctx, a)
		if err == nil {
			r.Outcome.Seconds.Provider += d.Seconds()
			return reply, r.replied(reply, d, nil)
		}
		retry, without := (*model.RetryError)(nil), (*model.UnsupportedError)(nil)
		if errors.As(err, &without) && ctx.Err() == nil {
			r.used -= d
			r.Outcome.Seconds.Wait += d.Seconds()
			if !r.adapt(&a, without) {
				if without.What != model.Tools { // else withoutTools may do
					r.unanswered(err, nil)
				}
				return nil, untaken(without)
			}
			a.called, a.key = &trial.Called{Try: try + 1}, ""
			continue
		}
		how := r.broken(a, err)
		if ctx.Err() != nil || r.used >= r.Timeout && !providersSilence(err) || !errors.As(err, &retry) {
			r.Outcome.Seconds.Provider += d.Seconds()
			if ctx.Err() == nil {
				r.unanswered(err, how)
			}
			return nil, r.classify(r.late(err, d))
		}
		r.used -= d
		r.Outcome.Counters.Retries++
		r.Outcome.Seconds.Wait += d.Seconds()
		wait := time.Duration(0)
		if !r.Lines.MustWait(r.id) { // else it waits with all others, see circuit
			failed++
			wait = backoff(failed, retry.After)
		}
		if failed == v1.MaxTries || waited+wait > v1.MaxWaitSum {
			r.Outcome.Counters.Retries--
			r.unanswered(err, how)
			return nil, fmt.Errorf("the provider failed %d times in a row, the last time: %w", failed, err)
		}
		waited += wait
		r.Outcome.Seconds.Wait += wait.Seconds()
		r.Record.Emit(trial.Event{Kind: trial.Note,
			Note: &trial.NoteText{Kind: trial.Retried, Text: err.Error(), Wait: wait.Seconds(), Failure: how}})
		if wait > 0 {
			if err := r.Clock.Sleep(ctx, wait); err != nil {
				return nil, err
			}
		}
		a.called, a.key = &trial.Called{Try: try + 1}, ""
	}
}

// providersSilence reports whether time ran out in a request of which the provider sent nothing but
// what keeps a connection open, or which stalled in the middle.
func providersSilence(err error) bool {
	retry, ok := errors.AsType[*model.RetryError](err)
	return ok && retry.Idle
}

// late says of a request at which the loop's time ran out how much of that it took: who
// reads it can tell a model that is slow at every step from an answer that never came.
func (r *requests) late(err error, d time.Duration) error {
	if !errors.Is(err, context.DeadlineExceeded) || r.used < r.Timeout {
		return err
	}
	return &errStop{trial.StopTimeout,
		fmt.Sprintf("the loop took its %s, the last %s of it in a request that had no reply yet",
			r.Timeout, d.Round(100*time.Millisecond))}
}

// unanswered notes that a request has no reply and is not made again: the journal
// then says of each how it ended.
func (r *requests) unanswered(err error, how *trial.Failure) {
	if _, broke := errors.AsType[*budget.Error](err); broke { // it was never made
		return
	}
	if how == nil {
		how = r.failureOf(err)
	}
	r.Record.Emit(trial.Event{Kind: trial.Note, Note: &trial.NoteText{Kind: "failed", Text: err.Error(), Failure: how}})
}

// broken says how a request failed, and looks at whether a reply had begun: the
// provider's doing, or the end of the loop's time.
func (r *requests) broken(a asking, err error) *trial.Failure {
	how := r.failureOf(err)
	retry, ok := errors.AsType[*model.RetryError](err)
	switch {
	case ok && (retry.Partial || retry.Idle):
		how.Lost, how.LostUSD = true, r.lost(a, retry.Arrived)
	case !ok && how.Kind == trial.FailedTimeout:
		how.Lost, how.LostUSD = true, r.lost(a, 0)
	}
	return how
}

// classify turns what a model's provider said into how the loop ends, where
// it is the conversation's doing; every other error is the provider's fault.
func (r *requests) classify(err error) error {
	var tooLong *model.ContextError
	var refused *model.RefusedError
	switch {
	case errors.As(err, &tooLong):
		return &errStop{trial.StopContextFull, tooLong.Error()}
	case errors.As(err, &refused):
		r.charge(refused.Usage, nil)
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

func (r *requests) request() *model.Request {
	req := &model.Request{Messages: r.messages, Wire: r.wire, Functions: r.format == formatFunctions,
		Params: r.params()}
	if r.format != formatText {
		req.Tools = r.set.Specs
	}
	return req
}

// replied records a reply and what it cost; paid is what one cost that is told again.
func (r *requests) replied(reply *model.Reply, d time.Duration, paid *float64) error {
	reply.Message.Role = model.Assistant
	cut(reply)
	if !reply.Usage.Known {
		usd, _ := r.cost(model.Usage{Input: r.estimate(), Output: size(reply.Message) / v1.TokenBytes, Known: true})
		r.guessed += usd
	}
	nameCalls(reply.Message.Calls, r.Outcome.Steps)
	r.Record.Emit(trial.Event{Kind: trial.ModelReplied, Replied: &trial.Replied{Reply: *reply, Seconds: d.Seconds(),
		CostUSD: r.charge(reply.Usage, paid)}})
	for _, n := range reply.Notes {
		r.Record.Note("reply", n)
	}
	return r.Record.Err()
}
