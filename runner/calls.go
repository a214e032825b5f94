package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"cookoff/hooks"
	"cookoff/model"
	"cookoff/runner/v1"
	"cookoff/tools"
	"cookoff/trial"
)

// callAll makes the calls of one reply in the order asked. Every call gets an
// answer, up to the one that ends the loop; so has what was meant as a call
// and can't be read.
func (l *loop) callAll(ctx context.Context, calls []model.Call, wrong []string) error {
	usable := false
	for _, why := range wrong {
		l.out.Counters.Malformed++
		l.say(fmt.Sprintf(v1.Unreadable, why))
	}
	for i, c := range calls {
		ok, err := l.callOne(ctx, c, i)
		if err != nil {
			return err
		}
		usable = usable || ok
	}
	if usable {
		l.unusable, l.sentBack = 0, 0
		return nil
	}
	if l.unusable++; l.unusable >= v1.MaxUnusable {
		return &errStop{trial.StopMalformed, fmt.Sprintf("%d replies in a row held no call that could be made", l.unusable)}
	}
	return nil
}

// callOne makes one call and appends its answer. usable is false when the call
// could not be understood.
func (l *loop) callOne(ctx context.Context, c model.Call, i int) (usable bool, err error) {
	args := compact(c.Arguments)
	l.rec.Emit(trial.Event{Kind: trial.ToolCalled, Tool: &trial.Tool{CallID: c.ID, Name: c.Name, Args: args}})
	if err := l.rec.Failed(); err != nil {
		return false, err
	}
	if err := l.pace(ctx, c); err != nil {
		return false, err
	}
	if i >= v1.MaxCallsPerReply {
		l.refuse(c, fmt.Sprintf(v1.TooMany, v1.MaxCallsPerReply))
		return false, nil
	}
	if limit := l.r.recipe.Constraints.MaxToolCalls; limit > 0 && l.out.Counters.ToolCalls >= limit {
		l.refuse(c, fmt.Sprintf(v1.Limit, limit))
		return true, &errStop{trial.StopMaxToolCalls, fmt.Sprintf("%d tool calls", limit)}
	}
	if err := l.countRepeat(c); err != nil {
		return true, err
	}
	l.out.Counters.ToolCalls++
	l.calls[l.set.Called(c.Name)]++
	tool, known := l.set.Tools[c.Name]
	if !known {
		l.out.Counters.Malformed++
		l.refuse(c, fmt.Sprintf(v1.Unknown, c.Name, strings.Join(l.set.Names, ", ")))
		return false, nil
	}
	if args == nil {
		args = json.RawMessage(c.Arguments) // the tool says what is wrong with it
	}
	return l.invoke(ctx, c, tool, args)
}

// failures counts the calls that no_errors allows none of.
func failures(c trial.Counters) int { return c.ToolErrors + c.Malformed + c.FailedCalls }

// invoke asks the hooks, runs the tool and answers.
func (l *loop) invoke(ctx context.Context, c model.Call, tool tools.Tool, args json.RawMessage) (usable bool, err error) {
	if json.Valid(args) {
		d, err := l.ask(ctx, hooks.Event{Point: hooks.PreToolUse, Tool: l.set.Called(c.Name), CallID: c.ID, Args: args})
		switch {
		case err != nil:
			return true, err
		case d.Halt:
			l.refuse(c, v1.Halted)
			return true, &errStop{trial.StopHalted, d.Reason}
		case !d.Allow:
			l.refuse(c, fmt.Sprintf(v1.Denied, d.Reason))
			return true, nil
		case d.Args != nil:
			args = d.Args
		}
		l.mention("hook-context", d.Context)
	}
	res, d, err := l.carryOut(ctx, tool, args)
	var bad *tools.CallError
	switch {
	case errors.As(err, &bad):
		l.countError(bad)
		l.finish(c, tools.Result{Text: bad.Reason, Failed: true}, d)
		return bad.Kind != tools.BadArguments, nil
	case err != nil:
		return true, err
	}
	if res.Wrote {
		l.wrote++
	}
	if res.Failed {
		l.out.Counters.FailedCalls++
	}
	return true, l.after(ctx, c, args, made{res, d})
}

// carryOut runs the tool, once more where a person allows what the recipe does
// not, and gives how long it took.
func (l *loop) carryOut(ctx context.Context, tool tools.Tool, args json.RawMessage) (res tools.Result, d time.Duration, err error) {
	try := func(tool tools.Tool) {
		var took time.Duration
		took, err = l.clocked(tool)(ctx, func(ctx context.Context) (err error) {
			res, err = tool.Call(ctx, l.sb, args)
			return err
		})
		d += took
	}
	try(tool)
	more, ok := tool.(tools.Permitter)
	refused := (*tools.CallError)(nil)
	if !ok || !errors.As(err, &refused) || refused.Class == "" {
		return res, d, err
	}
	granted, failed := l.approved(ctx, Approval{Trial: l.plan, Agent: l.rec.Agent, Tool: tool.Spec().Name, Class: refused.Class, Command: refused.Command})
	if failed != nil {
		return res, d, failed
	}
	if granted {
		try(more.Permit(refused.Class))
	}
	return res, d, err
}

// made is a call that was made.
type made struct {
	res  tools.Result
	took time.Duration
}

// after cuts the result, lets the hooks add to it, and answers the call.
func (l *loop) after(ctx context.Context, c model.Call, args json.RawMessage, m made) error {
	res := m.res
	text, cut := l.r.cutOutput(l.set.Called(c.Name), res.Text)
	res.Text, res.Cut = text, res.Cut+cut
	d, err := l.ask(ctx, hooks.Event{Point: hooks.PostToolUse, Tool: l.set.Called(c.Name), CallID: c.ID, Args: args, Result: res.Text})
	if err != nil {
		return err
	}
	l.finish(c, res, m.took)
	if !d.Allow && !d.Halt { // too late to deny: the model reads why
		d.Context = joinNonEmpty(d.Context, d.Reason, "\n")
	}
	l.mention("hook-context", d.Context)
	if d.Halt {
		return &errStop{trial.StopHalted, d.Reason}
	}
	return l.rec.Err()
}

func (l *loop) countError(e *tools.CallError) {
	switch e.Kind {
	case tools.BadArguments:
		l.out.Counters.Malformed++
	case tools.ClassRefused:
		l.out.Counters.RefusedClasses++
	default:
		l.out.Counters.ToolErrors++
	}
}

// countRepeat ends a loop that makes the same call over and over.
func (l *loop) countRepeat(c model.Call) error {
	if key := c.Name + "\x00" + c.Arguments; key == l.last {
		l.repeats++
		l.out.Counters.Repeated++
	} else {
		l.last, l.repeats = key, 1
	}
	if l.repeats >= v1.MaxRepeats {
		l.refuse(c, "not called: the same call again")
		return &errStop{trial.StopLoop, fmt.Sprintf("%s was called %d times in a row with the same arguments", c.Name, l.repeats)}
	}
	return nil
}

func (l *loop) refuse(c model.Call, why string) {
	l.finish(c, tools.Result{Text: why, Failed: true}, 0)
}

// finish answers a call: to the model, and in the journal.
func (l *loop) finish(c model.Call, res tools.Result, took time.Duration) {
	if l.repeats >= v1.WarnRepeats && !res.Failed {
		res.Text += fmt.Sprintf(v1.Repeat, l.repeats, v1.MaxRepeats)
	}
	res, took = l.answeredBefore(c, res, took)
	l.out.Counters.OutputCut += res.Cut
	if l.recent = (recent{l.set.Called(c.Name), res.Failed, l.recent.output}); res.Failed {
		l.failed++
	}
	l.rec.Network(l.gate)
	l.result(c, res.Text)
	l.rec.Emit(trial.Event{Kind: trial.ToolReturned, Returned: &trial.Returned{
		CallID: c.ID, Name: c.Name, Text: res.Text, Failed: res.Failed, Cut: res.Cut, Seconds: took.Seconds()}})
}

func joinNonEmpty(a, b, sep string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + sep + b
}

// compact gives arguments as JSON on one line, nil when they are none. Models
// write "" for a call without arguments.
func compact(s string) json.RawMessage {
	if strings.TrimSpace(s) == "" {
		return json.RawMessage("{}")
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(s)) != nil {
		return nil
	}
	return b.Bytes()
}

// nameCalls gives every call an id of its own, so that each answer finds its
// call: some servers leave ids out or repeat them.
func nameCalls(calls []model.Call, step int) {
	seen := map[string]bool{}
	for i := range calls {
		if id := calls[i].ID; id == "" || seen[id] {
			calls[i].ID = fmt.Sprintf("call_%d_%d", step, i+1)
		}
		seen[calls[i].ID] = true
	}
}
