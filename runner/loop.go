package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cookoff/model"
	"cookoff/sandbox"
	"cookoff/trial"
)

// loop is the conversation of one attempt: everything that changes while a
// model works.
type loop struct {
	r    *Runner
	t    *task
	id   string // of the model
	chat model.Chat
	sb   sandbox.Sandbox
	set  *toolset
	rec  *recorder
	out  *trial.Outcome

	messages []model.Message
	sent     int // messages that the journal already has
	used     time.Duration
	timeout  time.Duration
	maxSteps int
	unusable int // replies in a row
	cut      int // replies in a row that ended at the token limit
	last     string
	repeats  int // equal calls in a row
	calls    map[string]int
	wrote    int
	spent    float64
	extra    string // context that a hook gave for the next message
}

// errStop carries a Stop through the calls of a step.
type errStop struct {
	stop   trial.Stop
	detail string
}

func (e *errStop) Error() string { return string(e.stop) + ": " + e.detail }

// run lets the model work until it is done or a limit ends it. An error voids
// the trial: it is never the model's doing.
func (l *loop) run(ctx context.Context) (trial.Stop, string, error) {
	for {
		err := l.step(ctx)
		var stop *errStop
		switch {
		case err == nil:
		case errors.As(err, &stop):
			return stop.stop, stop.detail, nil
		case ctx.Err() != nil:
			return trial.StopCancelled, "", ctx.Err()
		case errors.Is(err, context.DeadlineExceeded) && l.used >= l.timeout:
			return trial.StopTimeout, fmt.Sprintf("the loop took its %s", l.timeout), nil
		default:
			return trial.StopBroken, "", err
		}
	}
}

// step is one reply of the model and what it asked for.
func (l *loop) step(ctx context.Context) error {
	if l.maxSteps > 0 && l.out.Steps >= l.maxSteps {
		return &errStop{trial.StopMaxSteps, fmt.Sprintf("%d steps", l.maxSteps)}
	}
	if err := l.affordable(); err != nil {
		return err
	}
	l.out.Steps++
	l.rec.step = l.out.Steps
	reply, err := l.generate(ctx)
	if err != nil {
		return err
	}
	l.messages = append(l.messages, reply.Message)
	l.sent = len(l.messages) // the reply is in the journal as model.replied
	if len(reply.Message.Calls) == 0 {
		return l.answer(reply)
	}
	l.cut = 0
	return l.callAll(ctx, reply.Message.Calls)
}

// answer handles a reply without calls: the end, or a reply that is unusable.
func (l *loop) answer(reply *model.Reply) error {
	switch {
	case reply.Finish == model.FinishFilter:
		return &errStop{trial.StopRefused, "the provider's content filter ended the reply"}
	case reply.Finish == model.FinishLength:
		if l.cut++; l.cut > 1 {
			return &errStop{trial.StopMalformed, "two replies in a row were cut off at the token limit"}
		}
		l.rec.note("truncated", "the reply was cut off at the token limit")
		l.say(v1Truncated)
		return nil
	case reply.Message.Content == "":
		if err := l.unusableReply("an empty reply"); err != nil {
			return err
		}
		l.say(v1Empty)
		return nil
	}
	l.out.Answer = reply.Message.Content
	return &errStop{trial.StopDone, ""}
}

func (l *loop) unusableReply(what string) error {
	l.out.Counters.Malformed++
	if l.unusable++; l.unusable >= maxUnusable {
		return &errStop{trial.StopMalformed, fmt.Sprintf("%d unusable replies in a row, the last %s", l.unusable, what)}
	}
	return nil
}

func (l *loop) say(text string) {
	l.messages = append(l.messages, model.Message{Role: model.User, Content: text})
}

// affordable ends the loop before a request that could break max_cost: what
// was spent and what the next request's input alone will cost must fit.
func (l *loop) affordable() error {
	limit := l.r.recipe.Constraints.MaxCost
	if limit == 0 {
		return nil
	}
	next, _ := l.r.cost(l.id, model.Usage{Input: l.estimate(), Known: true})
	if l.spent+next > limit {
		return &errStop{trial.StopMaxCost, fmt.Sprintf("$%.4f spent, about $%.4f for the next request, limit $%.4f", l.spent, next, limit)}
	}
	return nil
}

// estimate is about how many tokens the next request has.
func (l *loop) estimate() int {
	n := 0
	for _, m := range l.messages {
		n += len(m.Content)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Arguments)
		}
	}
	return n / tokenBytes
}

// timed runs f with what is left of the loop's time, and charges it.
func (l *loop) timed(ctx context.Context, f func(context.Context) error) (time.Duration, error) {
	if l.used >= l.timeout {
		return 0, &errStop{trial.StopTimeout, fmt.Sprintf("the loop took its %s", l.timeout)}
	}
	start := l.r.env.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, l.timeout-l.used)
	defer cancel()
	err := f(ctx)
	d := l.r.env.Clock.Now().Sub(start)
	l.used += d
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		l.used = max(l.used, l.timeout)
		err = context.DeadlineExceeded
	}
	return d, err
}
