package conversation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/model/scripted"
	"cookoff/runner/runnertest"
	"cookoff/runner/v1"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

func TestWhatCantBeReadIsSentBackSoThatItCan(t *testing.T) {
	b, c := runnertest.Quick(t, runnertest.Call("1", "bash", `{"command": "ls`), runnertest.Call("2", "bash", ""),
		runnertest.Call("3", "bash", `[1]`), runnertest.Say("done"))
	b.One(runnertest.Recipe(""))
	var got []string
	for _, m := range c.Seen[len(c.Seen)-1].Messages {
		for _, c := range m.Calls {
			got = append(got, c.Arguments)
		}
	}
	want := []string{`{"unreadable":"{\"command\": \"ls"}`, `{}`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if s := b.Log.Text(trial.ModelReplied); !strings.Contains(s, `"arguments":"{\"command\": \"ls"`) {
		t.Error("the journal does not have what the model wrote")
	}
}

func TestHugeRepliesAreCut(t *testing.T) {
	huge := strings.Repeat("é", v1.MaxReply)
	calling := runnertest.Call("1", "bash", `{"command":"`+huge+`"}`)
	calling.Message.Content = huge
	b, c := runnertest.Quick(t, calling, runnertest.Say(huge))
	out := b.One(runnertest.Recipe(""))
	sent := c.Seen[1].Messages[2]
	if len(sent.Content) > v1.MaxReply || len(sent.Calls[0].Arguments) > 100 || len(out.Answer) > v1.MaxReply {
		t.Errorf("kept %d bytes of text, %d of arguments, %d of the answer", len(sent.Content),
			len(sent.Calls[0].Arguments), len(out.Answer))
	}
	if out.Counters.Malformed != 1 || len(b.Notes("reply")) != 3 {
		t.Errorf("%+v, notes %q", out.Counters, b.Notes("reply"))
	}
}

// priced is a bench whose model costs a dollar a thousand tokens.
func priced(t *testing.T, steps ...any) (*runnertest.Bench, *runnertest.Chat) {
	b, c := runnertest.Quick(t, steps...)
	p, err := (&model.Prices{}).With(map[string]model.Price{"test/model": {Input: 1000, Output: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	b.Env.Prices = p
	return b, c
}

func TestMaxCostIsReservedBeforeARequest(t *testing.T) {
	check := func(name, limit string, requests int, steps ...any) {
		t.Helper()
		b, c := priced(t, steps...)
		out := b.One(runnertest.Recipe("## Tools\n\n## Constraints\nmax_cost: " + limit + "\n\n"))
		if out.Stop != trial.StopMaxCost || len(c.Seen) != requests {
			t.Errorf("%s: stop %s (%s) after %d requests", name, out.Stop, out.Detail, len(c.Seen))
		}
	}
	step := func(n int) *model.Reply {
		return used(runnertest.Call(fmt.Sprint(n), "nope", fmt.Sprintf(`{"a":%d}`, n)), 190)
	}
	silent := func(n int) *model.Reply { r := step(n); r.Usage = model.Usage{}; return r }
	check("the first request does not fit", "0.01", 0, step(1))
	check("the second does not", "0.3", 1, step(1), step(2))
	check("a reply as long as the last does not", "0.415", 1, step(1), step(2))
	check("no usage is told", "0.2", 1, silent(1), silent(2))
}

func TestMaxTokensAreReservedToo(t *testing.T) {
	b, c := priced(t, runnertest.Say("done"))
	out := b.One(runnertest.Recipe("## Tools\n\n## Model Parameters\nmax_tokens: 5000\n\n## Constraints\nmax_cost: 5\n\n"))
	if out.Stop != trial.StopMaxCost || len(c.Seen) != 0 {
		t.Errorf("stop %s after %d requests", out.Stop, len(c.Seen))
	}
}

func TestMaxCostWithoutMaxTokensIsWarnedOf(t *testing.T) {
	b, _ := priced(t)
	want := []string{"recipe.md:8:11: warning: without max_tokens a single reply can cost more than is " +
		"left of max_cost"}
	if d := cmp.Diff(want, problems(b, runnertest.Recipe("## Constraints\nmax_cost: 5\n\n"))); d != "" {
		t.Error(d)
	}
	if got := problems(b, runnertest.Recipe("## Constraints\nmax_cost: 5\n\n## Model Parameters\n"+
		"max_tokens: 100\n\n")); got != nil {
		t.Errorf("%q", got)
	}
}

// patience holds the limits that a trial has in turn, where something must have
// happened before it runs into them: only a slow machine needs the later ones.
var patience = []string{"1s", "10s", "60s"}

func TestTheTimeoutInterruptsAToolAndARequest(t *testing.T) {
	check := func(name string, chat func() model.Chat) {
		t.Helper()
		var out trial.Outcome
		for _, limit := range patience { // the task must have been mended by then
			b := runnertest.New(t, map[string]model.Chat{"test/model": chat()})
			b.Env.Clock = nil
			if out = b.One(runnertest.Recipe("## Constraints\ntimeout: " + limit + "\n\n")); out.Status == trial.Pass {
				break
			}
		}
		if out.Stop != trial.StopTimeout || out.Status != trial.Pass {
			t.Errorf("%s: %s/%s, stop %s, %s", name, out.Status, out.Cause, out.Stop, out.Detail)
		}
	}
	check("a tool", func() model.Chat {
		return scripted.New(scripted.Call("1", "bash", map[string]string{"command": "touch done; sleep 600"}))
	})
	check("a request", func() model.Chat {
		return scripted.New(scripted.Call("1", "bash", map[string]string{"command": "touch done"}), scripted.Stalls())
	})
}

func TestABashTimeoutEndsAllThatTheCallStarted(t *testing.T) {
	var c *runnertest.Chat
	var out trial.Outcome
	for _, limit := range patience { // of the second call, too, which must come to its end
		c = &runnertest.Chat{Steps: []any{
			runnertest.Call("1", "bash", `{"command":"(sleep 1000; true) & sleep 2000"}`),
			runnertest.Call("2", "bash", `{"command":"cat /proc/[0-9]*/comm | grep -cx sleep; touch done"}`),
			runnertest.Say("done")}}
		b := runnertest.New(t, map[string]model.Chat{"test/model": c})
		b.Env.Clock = nil
		if out = b.One(runnertest.Recipe("## Constraints\nbash_timeout: " + limit + "\n\n")); out.Status == trial.Pass {
			break
		}
	}
	last := c.Seen[2].Messages
	if got := last[3].Content; !strings.Contains(got, "timeout") {
		t.Errorf("the call that took too long: %q", got)
	}
	if got := last[5].Content; out.Status != trial.Pass || got != "0" {
		t.Errorf("%s: what is left of it: %q", out.Status, got)
	}
}

func TestAPostHookThatDeniesTellsTheModelWhy(t *testing.T) {
	c := &runnertest.Chat{Steps: []any{runnertest.Bash(1, "a"), runnertest.Say("done")}}
	b := runnertest.New(t, map[string]model.Chat{"test/model": c})
	b.One(runnertest.Recipe("## Hooks\n### lint\nevent: post_tool_use\ncommand: echo that was wrong >&2; exit 2\n\n"))
	if got := runnertest.Told(c.Seen[1]); !strings.Contains(got, "that was wrong") {
		t.Errorf("told:\n%s", got)
	}
}

func TestARejectedKeyOfASubAgentIsNotItsParents(t *testing.T) {
	parent := scripted.Func(func(context.Context, *model.Request) (*model.Reply,
		error) {
		return spawn(1, `{"prompt":"x"}`), nil
	})
	child := scripted.Func(func(context.Context, *model.Request) (*model.Reply, error) {
		return nil, &model.AuthError{Env: "K", Err: fmt.Errorf("status 401")}
	})
	b := runnertest.New(t, map[string]model.Chat{"test/model": parent, "other/small": child})
	b.Env.Backend = runnertest.Backend{}
	err := b.Runner(runnertest.Recipe("## Comparison\ntrials: 2\n\n## Sub-Agent\nmax_depth: 1\n"+
		"model: other/small\n\n")).RunAll(t.Context(), "r", b.Log, nil)
	if err != nil {
		t.Fatal(err)
	}
	var steps []int
	for _, e := range b.Log.Events {
		if e.Kind == trial.TrialFinished {
			steps = append(steps, e.Outcome.Steps)
		}
	}
	if !slices.Equal(steps, []int{2, 2}) {
		t.Errorf("steps of the trials: %v; the provider of the contestant was given up", steps)
	}
}
