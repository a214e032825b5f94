package loop

import (
	"context"
	"errors"
	"fmt"

	"cookoff/hooks"
	"cookoff/model"
	"cookoff/runner/record"
	"cookoff/runner/v1"
	"cookoff/tools"
	"cookoff/trial"
)

// ask gives the event to every hook of its point, in recipe order: the first
// that denies or halts decides, rewrites and contexts add up.
func (b *base) ask(ctx context.Context, e hooks.Event) (hooks.Decision, error) {
	e.Sandbox, e.Agent = b.Sandbox, b.Record.Agent
	sum := hooks.Decision{Allow: true}
	for _, h := range b.Hooks {
		if h.Point != e.Point || !e.Matches(h.Matcher) {
			continue
		}
		d, err := h.Decide(ctx, e)
		d.Reason, d.Context = tools.Clean([]byte(d.Reason)), tools.Clean([]byte(d.Context)) // what a command wrote
		if err == nil {
			d = b.Record.Redo.DecidedBefore(e, h.Name, d)
		}
		decided := &trial.Hook{Name: h.Name, Point: string(e.Point), Decision: record.DecisionWord(d), Reason: d.Reason,
			Context: d.Context, Args: d.Args}
		if err != nil {
			decided.Decision, decided.Reason = "error", tools.Clean([]byte(err.Error()))
		}
		b.Record.Emit(trial.Event{Kind: trial.HookDecided, Hook: decided})
		if err != nil {
			return hooks.Decision{}, &HookError{h.Name, err}
		}
		if d.Args != nil {
			e.Args, sum.Args = d.Args, d.Args
		}
		sum.Context = joinNonEmpty(sum.Context, d.Context, "\n")
		if d.Halt || !d.Allow {
			sum.Halt, sum.Allow, sum.Reason = d.Halt, false, d.Reason
			break
		}
	}
	if !sum.Allow && !sum.Halt {
		b.Outcome.Counters.Denied++
	}
	return sum, b.Record.Err()
}

// HookError is a hook that could not decide: it denies, and the trial is void.
type HookError struct {
	name string
	err  error
}

func (e *HookError) Error() string {
	return fmt.Sprintf("hook %q: %s", e.name, tools.Clean([]byte(e.err.Error())))
}

// begin asks about the session and the task's prompt. A hook that denies either
// ends the trial before a model is called.
func (l *Loop) begin(ctx context.Context, resumed bool) error {
	for _, e := range []hooks.Event{{Point: hooks.SessionStart, Resumed: resumed},
		{Point: hooks.PrePrompt, Prompt: l.task}} {
		d, err := l.ask(ctx, e)
		if err != nil {
			return err
		}
		l.mention("hook-context", d.Context)
		if !d.Allow {
			return &errStop{trial.StopHalted, d.Reason}
		}
	}
	return nil
}

// accepted asks about a reply. One that is sent back is as if it had called
// nothing: each of its calls is answered with the reason.
func (l *Loop) accepted(ctx context.Context, reply *model.Reply, calls []model.Call) (bool, error) {
	e := hooks.Event{Point: hooks.PostResponse, LastReply: reply.Message.Content}
	for _, c := range calls {
		e.Calls = append(e.Calls, hooks.Call{Name: l.set.Called(c.Name), Args: compact(c.Arguments)})
	}
	d, err := l.ask(ctx, e)
	if err != nil {
		return false, err
	}
	switch {
	case d.Halt:
		for _, c := range calls {
			l.calls.turnDown(c, v1.Halted)
		}
		return false, &errStop{trial.StopHalted, d.Reason}
	case d.Allow:
		l.mention("hook-context", d.Context)
		return true, nil
	}
	for _, c := range calls {
		l.calls.turnDown(c, fmt.Sprintf(v1.Denied, d.Reason))
	}
	if len(calls) == 0 {
		l.say(fmt.Sprintf(v1.SentBack, d.Reason))
	}
	l.mention("hook-context", d.Context)
	if l.sentBack++; l.sentBack >= v1.MaxSentBack {
		return false, &errStop{trial.StopHalted, fmt.Sprintf("%d replies in a row were sent back, the last one: %s",
			l.sentBack, d.Reason)}
	}
	return false, nil
}

// turnDown answers a call that is not made.
func (t *toolCalls) turnDown(c model.Call, why string) {
	t.Record.Emit(trial.Event{Kind: trial.ToolCalled,
		Tool: &trial.Tool{CallID: c.ID, Name: c.Name, Args: compact(c.Arguments)}})
	t.refuse(c, why)
}

// finished asks whether a loop that has ended may rest. A model that is done
// can be sent back to work; after a limit there is nobody to send.
func (l *Loop) finished(ctx context.Context, e hooks.Event, stop trial.Stop) (bool, error) {
	e.LastReply, e.Again = l.answered, l.again
	d, err := l.ask(ctx, e)
	switch {
	case err != nil:
		return true, err
	case d.Halt:
		return true, &errStop{trial.StopHalted, d.Reason}
	case d.Allow, stop != trial.StopDone:
		return true, nil
	}
	if l.sentBack++; l.sentBack >= v1.MaxSentBack {
		l.Record.Note("limit",
			fmt.Sprintf("sent back %d times in a row without a call of a tool: what was said last stands", l.sentBack))
		return true, l.Record.Err()
	}
	l.again, l.answered = true, ""
	l.say(fmt.Sprintf(v1.SentBack, d.Reason))
	l.mention("hook-context", d.Context)
	return false, nil
}

// joinStop gives the stop that an error carries in the place of stop.
func joinStop(stop trial.Stop, detail string, err error) (trial.Stop, string, error) {
	var ended *errStop
	if errors.As(err, &ended) {
		return ended.stop, ended.detail, nil
	}
	return stop, detail, err
}
