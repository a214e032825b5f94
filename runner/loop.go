package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cookoff/model"
	"cookoff/runner/record"
	"cookoff/runner/reminder"
	"cookoff/runner/toolset"
	"cookoff/runner/v1"
	"cookoff/sandbox"
	"cookoff/sandbox/gate"
	"cookoff/trial"
)

// loop is the conversation of one attempt: everything that changes while a
// model works.
type loop struct {
	r     *Runner
	t     *task
	id    string      // of the model
	plan  trial.Trial // what is tried
	trial model.TrialID
	chat  model.Chat
	sb    sandbox.Sandbox
	gate  *gate.Gate // nil: no way out
	set   *toolset.Set
	rec   *record.Recorder
	out   *trial.Outcome

	*history
	*account
	dialect
	reminders []reminder.Armed
	manual    []string // reminders asked for by hand, to be looked at once
	unusable  int      // replies in a row
	cut       int      // replies in a row that ended at the token limit
	last      string
	repeats   int  // equal calls in a row
	sentBack  int  // times in a row, by hooks, without a call in between
	again     bool // it was sent back after it was done
	asides    []aside
	asked     bool // a request was made
	depth     int  // 0: the contestant itself
	agents    int  // sub-agents it has had
	answered  string
	recent    recent
}

// recent is what happened last, for the triggers of reminders.
type recent struct {
	tool   string // the last one called
	failed bool   // that call
	output int    // tokens of the last reply
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
		case errors.Is(context.Cause(ctx), errStopped):
			return trial.StopCancelled, errStopped.Error(), nil
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
	if err := l.heed(ctx); err != nil {
		return err
	}
	if err := l.makeRoom(ctx); err != nil {
		return err
	}
	if err := l.remind(); err != nil {
		return err
	}
	l.interject()
	if err := l.affordable(l.estimate()); err != nil {
		return err
	}
	l.out.Steps++
	l.rec.Step = l.out.Steps
	reply, err := l.next(ctx)
	if err != nil {
		return err
	}
	l.heard(reply)
	calls, wrong := l.callsOf(reply)
	if ok, err := l.accepted(ctx, reply, calls); err != nil || !ok && usable(reply, calls) {
		return err
	}
	if len(calls) == 0 && (len(wrong) == 0 || reply.Finish == model.FinishLength) {
		return l.answer(reply)
	}
	l.cut = 0
	return l.callAll(ctx, calls, wrong)
}

// usable reports whether a reply says or asks for something.
func usable(r *model.Reply, calls []model.Call) bool {
	cut := r.Finish == model.FinishLength || r.Finish == model.FinishFilter
	return len(calls) > 0 || r.Message.Content != "" && !cut
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
		l.rec.Note("truncated", "the reply was cut off at the token limit")
		l.say(v1.Truncated)
		return nil
	case reply.Message.Content == "":
		if err := l.unusableReply("an empty reply"); err != nil {
			return err
		}
		l.say(v1.Empty)
		return nil
	}
	l.answered = reply.Message.Content
	return &errStop{trial.StopDone, ""}
}

func (l *loop) unusableReply(what string) error {
	l.out.Counters.Malformed++
	if l.unusable++; l.unusable >= v1.MaxUnusable {
		return &errStop{trial.StopMalformed, fmt.Sprintf("%d unusable replies in a row, the last %s", l.unusable, what)}
	}
	return nil
}

// heard appends a reply, which the journal has as model.replied. An empty one is
// sent back as one that says so: some servers reject a message without content.
func (l *loop) heard(reply *model.Reply) {
	l.push(sendable(reply.Message))
	l.sent = len(l.messages)
	l.counted(reply.Usage)
	l.recent.output = reply.Usage.Output
}

// sendable is a reply as it is sent back.
func sendable(m model.Message) model.Message {
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		m.Calls[i].Arguments = readable(m.Calls[i].Arguments)
	}
	if m.Content == "" && len(m.Calls) == 0 {
		m.Content = v1.Nothing
	}
	return m
}

func (l *loop) say(text string) {
	l.push(model.Message{Role: model.User, Content: text})
}
