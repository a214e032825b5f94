package loop

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

// toolCalls makes the calls of tools, and answers each.
type toolCalls struct {
	*base
	*conversation
	last    string // call
	repeats int    // equal calls in a row
	recent  recent
}

// recent is the last call, for the triggers of reminders.
type recent struct {
	tool   string
	failed bool
}

// callAll makes the calls of one reply in the order asked. Every call gets an
// answer, up to the one that ends the loop; so has what was meant as a call
// and can't be read.
func (l *Loop) callAll(ctx context.Context, calls []model.Call, wrong []string) error {
	usable := false
	for _, why := range wrong {
		l.Outcome.Counters.Malformed++
		l.say(fmt.Sprintf(v1.Unreadable, why))
	}
	for i, c := range calls {
		ok, err := l.calls.callOne(ctx, c, i)
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
		return &errStop{trial.StopMalformed, fmt.Sprintf("%d replies in a row held no call that could be made",
			l.unusable)}
	}
	return nil
}

// callOne makes one call and appends its answer. usable is false when the call
// could not be understood.
func (t *toolCalls) callOne(ctx context.Context, c model.Call, i int) (usable bool, err error) {
	args := compact(c.Arguments)
	t.Record.Emit(trial.Event{Kind: trial.ToolCalled, Tool: &trial.Tool{CallID: c.ID, Name: c.Name, Args: args}})
	if err := t.Record.Failed(); err != nil {
		return false, err
	}
	if err := t.pace(ctx, c); err != nil {
		return false, err
	}
	if i >= v1.MaxCallsPerReply {
		t.refuse(c, fmt.Sprintf(v1.TooMany, v1.MaxCallsPerReply))
		return false, nil
	}
	if limit := t.Recipe.Constraints.MaxToolCalls; limit > 0 && t.Outcome.Counters.ToolCalls >= limit {
		t.refuse(c, fmt.Sprintf(v1.Limit, limit))
		return true, &errStop{trial.StopMaxToolCalls, fmt.Sprintf("%d tool calls", limit)}
	}
	if err := t.countRepeat(c); err != nil {
		return true, err
	}
	t.Outcome.Counters.ToolCalls++
	t.account.calls[t.set.Called(c.Name)]++
	tool, known := t.set.Tools[c.Name]
	if !known {
		t.Outcome.Counters.Malformed++
		t.refuse(c, fmt.Sprintf(v1.Unknown, c.Name, strings.Join(t.set.Names, ", ")))
		return false, nil
	}
	if args == nil {
		args = json.RawMessage(c.Arguments) // the tool says what is wrong with it
	}
	return t.invoke(ctx, c, tool, args)
}

// invoke asks the hooks, runs the tool and answers.
func (t *toolCalls) invoke(ctx context.Context, c model.Call, tool tools.Tool, args json.RawMessage) (usable bool,
	err error) {
	if json.Valid(args) {
		d, err := t.ask(ctx, hooks.Event{Point: hooks.PreToolUse, Tool: t.set.Called(c.Name), CallID: c.ID, Args: args})
		switch {
		case err != nil:
			return true, err
		case d.Halt:
			t.refuse(c, v1.Halted)
			return true, &errStop{trial.StopHalted, d.Reason}
		case !d.Allow:
			t.refuse(c, fmt.Sprintf(v1.Denied, d.Reason))
			return true, nil
		case d.Args != nil:
			args = d.Args
		}
		t.mention("hook-context", d.Context)
	}
	res, d, err := t.carryOut(ctx, tool, args)
	var bad *tools.CallError
	switch {
	case errors.As(err, &bad):
		t.countError(bad)
		t.finish(c, tools.Result{Text: bad.Reason, Failed: true}, d)
		return bad.Kind != tools.BadArguments, nil
	case err != nil:
		return true, err
	}
	if res.Wrote {
		t.wrote++
	}
	if res.Failed {
		t.Outcome.Counters.FailedCalls++
	}
	return true, t.after(ctx, c, args, made{res, d})
}

// carryOut runs the tool, once more where a person allows what the recipe does
// not, and gives how long it took.
func (t *toolCalls) carryOut(ctx context.Context, tool tools.Tool, args json.RawMessage) (res tools.Result,
	d time.Duration, err error) {
	try := func(tool tools.Tool) {
		var took time.Duration
		took, err = t.clocked(ctx, tool, func(ctx context.Context) (err error) {
			res, err = tool.Call(ctx, t.Sandbox, args)
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
	granted, failed := t.approved(ctx, Approval{Trial: t.Trial, Agent: t.Record.Agent, Tool: tool.Spec().Name,
		Class: refused.Class, Command: refused.Command})
	if failed != nil {
		return res, d, failed
	}
	if granted {
		try(more.Permit(refused.Class))
	}
	return res, d, err
}

// clocked charges the time that a tool takes. A sub-agent charges its own.
func (t *toolCalls) clocked(ctx context.Context, tool tools.Tool, f func(context.Context) error) (time.Duration,
	error) {
	if _, agent := tool.(*spawner); agent {
		start := t.Clock.Now()
		err := f(ctx)
		return t.Clock.Now().Sub(start), err
	}
	d, err := t.timed(ctx, f)
	t.Outcome.Seconds.Tools += d.Seconds()
	return d, err
}

// made is a call that was made.
type made struct {
	res  tools.Result
	took time.Duration
}

// after cuts the result, lets the hooks add to it, and answers the call.
func (t *toolCalls) after(ctx context.Context, c model.Call, args json.RawMessage, m made) error {
	res := m.res
	text, cut := cutOutput(t.Recipe, t.set.Called(c.Name), res.Text)
	res.Text, res.Cut = text, res.Cut+cut
	d, err := t.ask(ctx, hooks.Event{Point: hooks.PostToolUse, Tool: t.set.Called(c.Name), CallID: c.ID, Args: args,
		Result: res.Text})
	if err != nil {
		return err
	}
	t.finish(c, res, m.took)
	if !d.Allow && !d.Halt { // too late to deny: the model reads why
		d.Context = joinNonEmpty(d.Context, d.Reason, "\n")
	}
	t.mention("hook-context", d.Context)
	if d.Halt {
		return &errStop{trial.StopHalted, d.Reason}
	}
	return t.Record.Err()
}

func (t *toolCalls) countError(e *tools.CallError) {
	switch e.Kind {
	case tools.BadArguments:
		t.Outcome.Counters.Malformed++
	case tools.ClassRefused:
		t.Outcome.Counters.RefusedClasses++
	default:
		t.Outcome.Counters.ToolErrors++
	}
}

// countRepeat ends a loop that makes the same call over and over.
func (t *toolCalls) countRepeat(c model.Call) error {
	if key := c.Name + "\x00" + c.Arguments; key == t.last {
		t.repeats++
		t.Outcome.Counters.Repeated++
	} else {
		t.last, t.repeats = key, 1
	}
	if t.repeats >= v1.MaxRepeats {
		t.refuse(c, "not called: the same call again")
		return &errStop{trial.StopLoop, fmt.Sprintf("%s was called %d times in a row with the same arguments", c.Name,
			t.repeats)}
	}
	return nil
}

func (t *toolCalls) refuse(c model.Call, why string) {
	t.finish(c, tools.Result{Text: why, Failed: true, Refused: true}, 0)
}

// finish answers a call: to the model, and in the journal.
func (t *toolCalls) finish(c model.Call, res tools.Result, took time.Duration) {
	if t.repeats >= v1.WarnRepeats && !res.Failed {
		res.Text += fmt.Sprintf(v1.Repeat, t.repeats, v1.MaxRepeats)
	}
	res, took = t.answeredBefore(c, res, took)
	t.Outcome.Counters.OutputCut += res.Cut
	if t.recent = (recent{t.set.Called(c.Name), res.Failed}); res.Failed {
		t.failed++
	}
	t.Record.Network(t.Gate)
	t.result(c, res.Text)
	t.Record.Emit(trial.Event{Kind: trial.ToolReturned, Returned: &trial.Returned{
		CallID: c.ID, Name: c.Name, Text: res.Text, Failed: res.Failed, Refused: res.Refused, Cut: res.Cut,
		Seconds: took.Seconds()}})
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
