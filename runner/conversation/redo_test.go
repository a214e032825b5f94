package conversation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner/runnertest"
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
	done := runnertest.Call("9", "bash", `{"command":"touch done"}`)
	hook := "## Hooks\n### look\nevent: pre_tool_use\ncommand: deny-once not yet\n\n### add\nevent: post_tool_use\n" +
		"command: So it is.\ninject_output: true\n\n### end\nevent: pre_verify\ncommand: deny-once look again\n\n"
	return []cutShort{
		{"calls", runnertest.Recipe(""), nil, []any{runnertest.Bash(1, "a"), runnertest.Bash(2, "b"), done,
			runnertest.Say("It is done.")}},
		{"faults of the provider", runnertest.Recipe(""), nil, []any{busy, runnertest.Bash(1, "a"), broke, busy, done,
			broke, runnertest.Say("ok")}},
		{"sub-agents", runnertest.Recipe(subAgents), nil, []any{spawn(1, `{"prompt":"Touch it."}`), runnertest.Bash(2, "a"),
			done,
			runnertest.Say("touched"), runnertest.Bash(3, "b"), runnertest.Say("ok")}},
		{"summaries", runnertest.Recipe(budget10k + "## Context\nstrategy: auto_compact\n\n"), nil,
			[]any{used(runnertest.Bash(1, "aaa"), 7000), used(runnertest.Bash(2, "bbb"), 8500), runnertest.Say("Half."),
				used(runnertest.Bash(3, "c"), 3000), full,
				runnertest.Say("More."), done, runnertest.Say("ok")}},
		{"what is forgotten", runnertest.Recipe("## Context\nmax_history_turns: 2\n\n"), nil,
			[]any{runnertest.Bash(1, "a"), runnertest.Bash(2, "b"), runnertest.Bash(3, "c"), done, runnertest.Say("ok")}},
		{"reminders", runnertest.Recipe(reminderSection("step >= 2", "tool_calls > 2", "last_tool_call_failed")), nil,
			[]any{runnertest.Bash(1, "a"), runnertest.Call("2", "bash", `{"command":"test -e nothing"}`),
				runnertest.Bash(3, "c"), done, runnertest.Say("ok")}},
		{"tools in the prompt", runnertest.Recipe(runnertest.TextProfile), nil,
			[]any{runnertest.Say("```tool_call\n{\"name\":\"bash\",\"arguments\":{\"command\":\"touch done\"}}\n```"),
				runnertest.Say("ok")}},
		{"an endpoint without tools", runnertest.Recipe(""), nil,
			[]any{&model.UnsupportedError{What: model.Tools, Err: errors.New("no tools")},
				runnertest.Say("```tool_call\n{\"name\":\"bash\",\"arguments\":{\"command\":\"touch done\"}}\n```"),
				runnertest.Say("ok")}},
		{"an endpoint without temperature", runnertest.Recipe("## Model Parameters\ntemperature: 0.5\n\n"), nil,
			[]any{&model.UnsupportedError{What: "temperature", Err: errors.New("no")}, done, runnertest.Say("ok")}},
		{"useless replies", runnertest.Recipe(""), nil, []any{runnertest.Say(""), runnertest.Call("1", "nosuch", "{}"),
			runnertest.Call("1", "bash", "{"),
			done, runnertest.Say("")}},
		{"refused", runnertest.Recipe(""), nil, []any{done,
			&model.RefusedError{Reason: "not this", Usage: model.Usage{Input: 5, Output: 1, Known: true}}}},
		{"too long", runnertest.Recipe(""), nil, []any{done, full}},
		{"the same call", runnertest.Recipe(""), nil, []any{runnertest.Bash(1, "a")}},
		{"hooks", runnertest.Recipe(hook), &hooked{}, []any{runnertest.Bash(1, "a"), done, runnertest.Say("done?"),
			runnertest.Bash(3, "b"), runnertest.Say("done.")}},
	}
}

// bench gives a bench of the case, whose model answers from a step on.
func (c cutShort) bench(t *testing.T, from int) (*runnertest.Bench, *runnertest.Chat) {
	b, m := runnertest.Quick(t, c.steps[min(from, len(c.steps)-1):]...)
	b.Env.Parallel = 1
	if h, ok := c.backend.(*hooked); ok {
		h.once, h.asked = false, nil
		b.Env.Backend = h
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
		out = append(out, fmt.Sprintf("%s %s %s", names(r), params, runnertest.Told(r)))
	}
	return out
}

// result is what must come out the same, and the notes of the journal.
func result(b *runnertest.Bench) string {
	var out strings.Builder
	for _, e := range b.Log.Events {
		if e.Kind == trial.TrialFinished {
			o := *e.Outcome
			o.Seconds, o.Verdicts, o.LostUSD = trial.Seconds{}, nil, 0
			fmt.Fprintf(&out, "%s/%d %+v\n", e.Trial, e.Attempt, o)
		}
	}
	return out.String()
}

// transcript is what the journal says was said and done, without times.
func transcript(b *runnertest.Bench) []string {
	var out []string
	for _, e := range b.Log.Events {
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
			if err := whole.Runner(c.text).RunAll(t.Context(), "r", whole.Log, nil); err != nil {
				t.Fatal(err)
			}
			want := asked(m.Seen)
			for cut := 1; cut < len(whole.Log.Events); cut++ {
				events := slices.Clone(whole.Log.Events[:cut])
				if last := events[cut-1].Kind; last == trial.RunFinished || last == trial.TrialFinished {
					continue
				}
				from := answered(events)
				b, m := c.bench(t, from)
				b.Log.Events = events
				b.Env.Journal = b.Journal()
				if h, ok := b.Env.Backend.(*hooked); ok {
					h.once = false
				}
				if err := b.Runner(c.text).RunAll(t.Context(), "r", b.Log, nil); err != nil {
					t.Fatal(err)
				}
				at := fmt.Sprintf("cut after event %d (%s)", cut, events[cut-1].Kind)
				if d := cmp.Diff(want[from:], asked(m.Seen), cmpopts.EquateEmpty()); d != "" {
					t.Errorf("%s: asked %d times, want %d:\n%s", at, len(m.Seen), len(want)-from, d)
				}
				if d := cmp.Diff(result(whole), result(b)); d != "" {
					t.Errorf("%s: %s", at, d)
				}
				if d := cmp.Diff(transcript(whole), transcript(b)); d != "" {
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
	steps := []any{runnertest.Bash(1, "a"), runnertest.Bash(2, "b")}
	for range v1.MaxTries {
		steps = append(steps, down)
	}
	b, c := runnertest.Quick(t, append(steps, runnertest.Call("9", "bash", `{"command":"touch done"}`),
		runnertest.Say("ok"))...)
	b.Env.Retries = 1
	if err := b.Runner(runnertest.Recipe("")).RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := len(c.Seen), 2+v1.MaxTries+2; got != want {
		t.Errorf("asked %d times, want %d", got, want)
	}
	var ends []string
	for _, e := range b.Log.Events {
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
	for i, e := range b.Log.Events[1 : len(b.Log.Events)-1] {
		if e.Seq != i+1 {
			t.Fatalf("event %d has the number %d", i+1, e.Seq)
		}
	}
}
