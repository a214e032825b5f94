package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner/v1"
	"cookoff/sandbox"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// cutShort is a trial whose run ends after every event in turn and goes on.
type cutShort struct {
	name, text string
	backend    sandbox.Backend // nil: the stub
	steps      []any
}

func cutShorts() []cutShort {
	busy := &model.RetryError{Err: errors.New("busy")}
	broke := &model.RetryError{Err: errors.New("broke off"), Partial: true, Arrived: 100}
	full := &model.ContextError{Err: errors.New("1001 tokens")}
	done := call("9", "bash", `{"command":"touch done"}`)
	hook := "## Hooks\n### look\nevent: pre_tool_use\ncommand: deny-once not yet\n\n### add\nevent: post_tool_use\n" +
		"command: So it is.\ninject_output: true\n\n### end\nevent: pre_verify\ncommand: deny-once look again\n\n"
	return []cutShort{
		{"calls", quickRecipe(""), nil, []any{bash(1, "a"), bash(2, "b"), done, say("It is done.")}},
		{"faults of the provider", quickRecipe(""), nil, []any{busy, bash(1, "a"), broke, busy, done,
			broke, say("ok")}},
		{"sub-agents", quickRecipe(subAgents), nil, []any{spawn(1, `{"prompt":"Touch it."}`), bash(2, "a"), done,
			say("touched"), bash(3, "b"), say("ok")}},
		{"summaries", quickRecipe(budget10k + "## Context\nstrategy: auto_compact\n\n"), nil,
			[]any{used(bash(1, "aaa"), 7000), used(bash(2, "bbb"), 8500), say("Half."), used(bash(3, "c"), 3000), full,
				say("More."), done, say("ok")}},
		{"what is forgotten", quickRecipe("## Context\nmax_history_turns: 2\n\n"), nil,
			[]any{bash(1, "a"), bash(2, "b"), bash(3, "c"), done, say("ok")}},
		{"reminders", quickRecipe(reminderSection("step >= 2", "tool_calls > 2", "last_tool_call_failed")), nil,
			[]any{bash(1, "a"), call("2", "bash", `{"command":"test -e nothing"}`), bash(3, "c"), done, say("ok")}},
		{"tools in the prompt", quickRecipe(textProfile), nil,
			[]any{say("```tool_call\n{\"name\":\"bash\",\"arguments\":{\"command\":\"touch done\"}}\n```"), say("ok")}},
		{"an endpoint without tools", quickRecipe(""), nil,
			[]any{&model.UnsupportedError{What: model.Tools, Err: errors.New("no tools")},
				say("```tool_call\n{\"name\":\"bash\",\"arguments\":{\"command\":\"touch done\"}}\n```"), say("ok")}},
		{"an endpoint without temperature", quickRecipe("## Model Parameters\ntemperature: 0.5\n\n"), nil,
			[]any{&model.UnsupportedError{What: "temperature", Err: errors.New("no")}, done, say("ok")}},
		{"useless replies", quickRecipe(""), nil, []any{say(""), call("1", "nosuch", "{}"), call("1", "bash", "{"),
			done, say("")}},
		{"refused", quickRecipe(""), nil, []any{done,
			&model.RefusedError{Reason: "not this", Usage: model.Usage{Input: 5, Output: 1, Known: true}}}},
		{"too long", quickRecipe(""), nil, []any{done, full}},
		{"the same call", quickRecipe(""), nil, []any{bash(1, "a")}},
		{"hooks", quickRecipe(hook), &hooked{}, []any{bash(1, "a"), done, say("done?"), bash(3, "b"), say("done.")}},
	}
}

// bench gives a bench of the case, whose model answers from a step on.
func (c cutShort) bench(t *testing.T, from int) (*bench, *chat) {
	b, m := quick(t, c.steps[min(from, len(c.steps)-1):]...)
	b.env.Parallel = 1
	if h, ok := c.backend.(*hooked); ok {
		h.once, h.asked = false, nil
		b.env.Backend = h
	}
	return b, m
}

// answered gives how many requests of a journal have an end.
func answered(events []trial.Event) int {
	n := 0
	for _, e := range events {
		if e.Kind == trial.ModelReplied || e.Kind == trial.Note && e.Note.Failure != nil {
			n++
		}
	}
	return n
}

// asked writes requests as text.
func asked(reqs []model.Request) []string {
	var out []string
	for _, r := range reqs {
		params, _ := json.Marshal(r.Params) // plain values always encode
		out = append(out, fmt.Sprintf("%s %s %s", names(r), params, told(r)))
	}
	return out
}

// result is what must come out the same, and the notes of the journal.
func (b *bench) result() string {
	var out strings.Builder
	for _, e := range b.log.events {
		if e.Kind == trial.TrialFinished {
			o := *e.Outcome
			o.Seconds, o.Verdicts, o.LostUSD = trial.Seconds{}, nil, 0
			fmt.Fprintf(&out, "%s/%d %+v\n", e.Trial, e.Attempt, o)
		}
	}
	return out.String()
}

// transcript is what the journal says was said and done, without times.
func (b *bench) transcript() []string {
	var out []string
	for _, e := range b.log.events {
		switch {
		case e.Kind == trial.ModelReplied:
			out = append(out, fmt.Sprintf("%d %s reply %+v", e.Step, e.Agent, e.Replied.Reply.Message))
		case e.Kind == trial.ToolReturned:
			out = append(out, fmt.Sprintf("%d %s %s %s %v", e.Step, e.Agent, e.Returned.CallID, e.Returned.Text,
				e.Returned.Failed))
		case e.Kind == trial.Note && e.Note.Kind != "reply":
			out = append(out, fmt.Sprintf("%d %s note %s %s", e.Step, e.Agent, e.Note.Kind, e.Note.Text))
		case e.Kind == trial.HookDecided:
			out = append(out, fmt.Sprintf("%d %s hook %+v", e.Step, e.Agent, *e.Hook))
		}
	}
	return out
}

// A run that is cut off after any event goes on: no answered request is made
// again, and everything comes out as if nothing had happened.
func TestATrialGoesOnFromEveryEvent(t *testing.T) {
	for _, c := range cutShorts() {
		t.Run(c.name, func(t *testing.T) {
			whole, m := c.bench(t, 0)
			if err := whole.runner(c.text).RunAll(t.Context(), "r", whole.log, nil); err != nil {
				t.Fatal(err)
			}
			want := asked(m.seen)
			for cut := 1; cut < len(whole.log.events); cut++ {
				events := slices.Clone(whole.log.events[:cut])
				if last := events[cut-1].Kind; last == trial.RunFinished || last == trial.TrialFinished {
					continue
				}
				from := answered(events)
				b, m := c.bench(t, from)
				b.log.events = events
				b.env.Past = b.past()
				if h, ok := b.env.Backend.(*hooked); ok {
					h.once = false
				}
				if err := b.runner(c.text).RunAll(t.Context(), "r", b.log, nil); err != nil {
					t.Fatal(err)
				}
				at := fmt.Sprintf("cut after event %d (%s)", cut, events[cut-1].Kind)
				if d := cmp.Diff(want[from:], asked(m.seen), cmpopts.EquateEmpty()); d != "" {
					t.Errorf("%s: asked %d times, want %d:\n%s", at, len(m.seen), len(want)-from, d)
				}
				if d := cmp.Diff(whole.result(), b.result()); d != "" {
					t.Errorf("%s: %s", at, d)
				}
				if d := cmp.Diff(whole.transcript(), b.transcript()); d != "" {
					t.Errorf("%s: the journal: %s", at, d)
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// A trial that its provider voided goes on in its next try: no reply is paid twice.
func TestAVoidTrialGoesOnFromItsLastReply(t *testing.T) {
	down := &model.RetryError{Err: errors.New("busy")}
	steps := []any{bash(1, "a"), bash(2, "b")}
	for range v1.MaxTries {
		steps = append(steps, down)
	}
	b, c := quick(t, append(steps, call("9", "bash", `{"command":"touch done"}`), say("ok"))...)
	b.env.Retries = 1
	if err := b.runner(quickRecipe("")).RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := len(c.seen), 2+v1.MaxTries+2; got != want {
		t.Errorf("asked %d times, want %d", got, want)
	}
	var ends []string
	for _, e := range b.log.events {
		if e.Kind == trial.TrialStarted || e.Kind == trial.TrialResumed {
			ends = append(ends, fmt.Sprintf("%s %d", e.Kind, e.Attempt))
		}
		if e.Kind == trial.TrialFinished {
			ends = append(ends, fmt.Sprintf("%s %s %d calls, %d steps", e.Outcome.Status, e.Outcome.Cause,
				e.Outcome.Counters.ToolCalls, e.Outcome.Steps))
		}
	}
	want := []string{"trial.started 1", "void provider 2 calls, 3 steps", "trial.resumed 1", "pass  3 calls, 4 steps"}
	if d := cmp.Diff(want, ends); d != "" {
		t.Error(d)
	}
	for i, e := range b.log.events[1 : len(b.log.events)-1] {
		if e.Seq != i+1 {
			t.Fatalf("event %d has the number %d", i+1, e.Seq)
		}
	}
}
