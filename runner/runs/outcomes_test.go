// Package runs_test has the tests of how runs and their trials are planned, end, go on, and what
// they cost in money and time.
package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cookoff/model"
	"cookoff/model/openai"
	"cookoff/model/openai/openaitest"
	"cookoff/runner/runnertest"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

func TestOutcomes(t *testing.T) {
	mended := runnertest.Call("1", "bash", `{"command":"touch done"}`)
	look := runnertest.Call("1", "bash", `{"command":"true"}`)
	check := func(name, sections string, steps []any, status trial.Status, cause trial.Cause, stop trial.Stop,
		detail string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{Steps: steps}})
			if !strings.Contains(sections, "## Hooks") { // nothing that needs a shell
				b.Env.Backend = runnertest.Backend{}
			}
			out := b.One(fmt.Sprintf(runnertest.MendRecipe, sections))
			if out.Status != status || out.Cause != cause || out.Stop != stop || !strings.Contains(out.Detail, detail) {
				t.Errorf("%s/%s, stop %s, %q; want %s/%s, stop %s, %q", out.Status, out.Cause, out.Stop,
					out.Detail, status, cause, stop, detail)
			}
		})
	}
	check("mended", "", []any{mended, runnertest.Say("done")}, trial.Pass, "", trial.StopDone, "")
	check("nothing done", "", []any{runnertest.Say("done")}, trial.Fail, trial.CauseGaveUp, trial.StopDone, "")
	check("something else done", "", []any{runnertest.Call("1", "bash", `{"command":"touch other"}`),
		runnertest.Say("done")}, trial.Fail,
		trial.CauseWrongFix, trial.StopDone, "")
	check("max_steps judges the final state", "## Constraints\nmax_steps: 1\n", []any{mended}, trial.Pass, "",
		trial.StopMaxSteps, "")
	check("max_steps without a mend", "## Constraints\nmax_steps: 2\n",
		[]any{look, runnertest.Call("2", "bash", `{"command":"echo x"}`)}, trial.Fail, trial.CauseLimit, trial.StopMaxSteps,
		"")
	check("max_tool_calls", "## Constraints\nmax_tool_calls: 1\n", []any{mended, look}, trial.Pass, "",
		trial.StopMaxToolCalls, "1 tool calls")
	check("unknown tool", "", []any{runnertest.Call("1", "Bash", `{}`)}, trial.Fail, trial.CauseMalformed,
		trial.StopMalformed,
		"3 replies")
	check("arguments are no JSON", "", []any{runnertest.Call("1", "bash", `{"command": "ls`)}, trial.Fail,
		trial.CauseMalformed,
		trial.StopMalformed, "3 replies")
	check("wrong type, then right", "", []any{runnertest.Call("1", "bash", `{"command": 5}`), mended,
		runnertest.Say("ok")}, trial.Pass, "",
		trial.StopDone, "")
	check("the same call over and over", "", []any{look}, trial.Fail, trial.CauseLimit, trial.StopLoop, "6 times")
	check("answers nothing", "", []any{runnertest.Say("")}, trial.Fail, trial.CauseMalformed, trial.StopMalformed, "empty")
	check("answers nothing once", "", []any{runnertest.Say(""), mended, runnertest.Say("ok")}, trial.Pass, "",
		trial.StopDone, "")
	check("refused", "", []any{&model.RefusedError{Reason: "no"}}, trial.Fail, trial.CauseRefused,
		trial.StopRefused, "no")
	check("content filter", "", []any{&model.Reply{Finish: model.FinishFilter}}, trial.Fail, trial.CauseRefused,
		trial.StopRefused, "")
	check("conversation too long", "", []any{&model.ContextError{Err: errors.New("8192 tokens")}}, trial.Fail,
		trial.CauseLimit, trial.StopContextFull, "8192")
	check("provider says no for good", "", []any{errors.New("status 404: no such model")}, trial.Void,
		trial.CauseProvider, trial.StopBroken, "no such model")
	check("provider recovers", "", []any{&model.RetryError{Err: errors.New("status 500")}, mended, runnertest.Say("ok")},
		trial.Pass, "", trial.StopDone, "")
	check("provider never recovers", "", []any{&model.RetryError{Err: errors.New("status 529")}}, trial.Void,
		trial.CauseProvider, trial.StopBroken, "6 times in a row")
	check("a tool that is not offered", "## Tools\n- read_file\n", []any{mended, mended, mended}, trial.Fail,
		trial.CauseMalformed, trial.StopMalformed, "")
	check("a hook denies",
		"## Hooks\n### no shell\nevent: pre_tool_use\nmatcher: bash\ncommand: echo not today >&2; exit 2\n",
		[]any{mended, runnertest.Say("ok")}, trial.Fail, trial.CauseGaveUp, trial.StopDone, "")
	check("a hook breaks", "## Hooks\n### broken\nevent: pre_tool_use\ncommand: exit 7\n",
		[]any{mended, runnertest.Say("ok")},
		trial.Void, trial.CauseHook, trial.StopBroken, "broken")
	check("a hook halts",
		"## Hooks\n### halt\nevent: pre_tool_use\ncommand: echo '{\"decision\":\"halt\",\"reason\":\"enough\"}'\n",
		[]any{mended}, trial.Fail, trial.CauseLimit, trial.StopHalted, "enough")
	check("a hook for another tool", "## Hooks\n### other\nevent: pre_tool_use\nmatcher: write_*\ncommand: exit 2\n",
		[]any{mended, runnertest.Say("ok")}, trial.Pass, "", trial.StopDone, "")
}

func TestRetriesWaitAsAskedAndAreChargedToNobody(t *testing.T) {
	b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{Steps: []any{
		&model.RetryError{After: 5 * time.Second, Err: errors.New("status 429")},
		&model.RetryError{Err: errors.New("status 503")},
		&model.RetryError{Err: errors.New("status 503")},
		runnertest.Say("done")}}})
	b.Env.Backend = runnertest.Backend{}
	out := b.One(fmt.Sprintf(runnertest.MendRecipe, "## Constraints\ntimeout: 30s\n"))
	want := []time.Duration{5 * time.Second, 2 * time.Second, 4 * time.Second}
	if d := cmp.Diff(want, b.Clock.Slept); d != "" {
		t.Error(d)
	}
	if out.Stop != trial.StopDone || out.Counters.Retries != 3 || out.Seconds.Wait != 14 {
		t.Errorf("stop %s, %d retries, waited %v s", out.Stop, out.Counters.Retries, out.Seconds.Wait)
	}
	if n := strings.Count(b.Log.Text(trial.Note), `"retried"`); n != 3 {
		t.Errorf("%d retries in the journal", n)
	}
}

func TestARejectedKeyEndsItsProviderOnly(t *testing.T) {
	auth := &model.AuthError{Env: "TEST_KEY", Err: errors.New("key of TEST_KEY rejected: status 401")}
	b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{Steps: []any{auth}}})
	b.Env.Backend = runnertest.Backend{}
	b.Env.Parallel, b.Env.Retries = 1, 2
	text := strings.Replace(fmt.Sprintf(runnertest.MendRecipe, "## Comparison\ntrials: 3\n"), "- test/model",
		"- test/model\n- baseline/oracle", 1)
	if err := b.Runner(text).RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	finished := b.Log.Text(trial.TrialFinished)
	if n := strings.Count(finished, `"void"`); n != 3 {
		t.Errorf("%d void trials, want 3:\n%s", n, finished)
	}
	if n := strings.Count(b.Log.Text(trial.ModelCalled), `"trial":"t001"`); n != 1 {
		t.Errorf("the rejected key was used %d times", n)
	}
	if n := strings.Count(finished, `"pass"`); n < 3 {
		t.Errorf("the oracle's trials did not go on:\n%s", finished)
	}
}

func TestVoidTrialsAreTriedAgainAndKept(t *testing.T) {
	b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{Steps: []any{errors.New("odd"),
		runnertest.Call("1", "bash", `{"command":"touch done"}`), runnertest.Say("ok")}}})
	b.Env.Backend = runnertest.Backend{}
	b.Env.Retries = 1
	if err := b.Runner(fmt.Sprintf(runnertest.MendRecipe, "")).RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	got := b.Log.Text(trial.TrialFinished)
	if strings.Count(got, "\n") != 2 || !strings.Contains(got, `"attempt":1`) ||
		!strings.Contains(got, `"attempt":2`) ||
		!strings.Contains(got, `"pass"`) {
		t.Errorf("attempts:\n%s", got)
	}
}

// TestAModelThatIsNotThereIsAskedOnce: a misspelt name is no passing fault.
func TestAModelThatIsNotThereIsAskedOnce(t *testing.T) {
	s := openaitest.New(openaitest.Status(404, openaitest.Error("model_not_found", "no such model")))
	defer s.Close()
	b := runnertest.New(t, map[string]model.Chat{"test/model": openai.New(openai.Config{Name: "test", BaseURL: s.URL,
		Model: "model"})})
	b.Env.Backend = runnertest.Backend{}
	b.Env.Retries = 2
	if err := b.Runner(fmt.Sprintf(runnertest.MendRecipe, "")).RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	if got := b.Log.Text(trial.TrialFinished); strings.Count(got, "\n") != 1 ||
		!strings.Contains(got, "no such model") {
		t.Errorf("attempts:\n%s", got)
	}
}

func TestATaskThatIsNotAdmittedIsVoidAndTheRunGoesOn(t *testing.T) {
	b := runnertest.New(t, nil)
	text := strings.Replace(fmt.Sprintf(runnertest.MendRecipe, ""), "test/model", "baseline/oracle", 1) +
		"\n### Never broken\nNothing to do.\n\n```sh before\nfalse\n```\n```sh after\ntrue\n```\n"
	if err := b.Runner(text).RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	got := b.Log.Text(trial.TrialFinished)
	if !strings.Contains(got, `"status":"pass"`) || !strings.Contains(got, `"cause":"admission"`) ||
		!strings.Contains(got, "before") {
		t.Errorf("outcomes:\n%s", got)
	}
	if s := b.Log.Text(trial.RunStarted); !strings.Contains(s, `"excluded":[{"task":"Never broken","phase":"before"`) {
		t.Errorf("run.started: %s", s)
	}
}

func TestInterruptedRunSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{Steps: []any{runnertest.Call("1", "bash",
		`{"command":"sleep 600"}`)}}})
	b.Env.Clock = nil
	sink := trial.SinkFunc(func(e trial.Event) error {
		if e.Kind == trial.ToolCalled {
			cancel()
		}
		return b.Log.Emit(e)
	})
	err := b.Runner(fmt.Sprintf(runnertest.MendRecipe, "")).RunAll(ctx, "r", sink, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if s := b.Log.Text(trial.RunFinished); !strings.Contains(s, `"interrupted":true`) {
		t.Errorf("run.finished: %s", s)
	}
	if s := b.Log.Text(trial.TrialFinished); !strings.Contains(s, `"cancelled"`) {
		t.Errorf("trial.finished: %s", s)
	}
}

func TestAJournalThatCantBeKeptEndsTheRun(t *testing.T) {
	full := &trial.JournalError{Path: "j", Err: errors.New("no space left on device")}
	for _, at := range []trial.Kind{trial.RunStarted, trial.ToolCalled, trial.ToolReturned, trial.Judged} {
		b := runnertest.New(t,
			map[string]model.Chat{"test/model": &runnertest.Chat{Steps: []any{runnertest.Call("1", "bash",
				`{"command":"touch done"}`),
				runnertest.Say("ok")}}})
		b.Env.Backend = runnertest.Backend{}
		sink := trial.SinkFunc(func(e trial.Event) error {
			if e.Kind == at {
				return full
			}
			return nil
		})
		err := b.Runner(fmt.Sprintf(runnertest.MendRecipe, "")).RunAll(t.Context(), "r", sink, nil)
		if !errors.Is(err, full) {
			t.Errorf("%s: error %v", at, err)
		}
	}
}

func TestTranscriptIsTheSameWhateverRunsBesideIt(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(runnertest.MendRecipe, "## Comparison\ntrials: 3\n"), "test/model",
		"baseline/oracle", 1)
	transcript := func(parallel int) string {
		b := runnertest.New(t, nil)
		b.Env.Backend = runnertest.Backend{}
		b.Env.Parallel = parallel
		if err := b.Runner(text).RunAll(t.Context(), "r", b.Log, nil); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, e := range b.Log.Events {
			if e.Trial != "t002" {
				continue
			}
			e.At = time.Time{}
			line, _ := json.Marshal(e)
			out.Write(runnertest.Seconds.ReplaceAll(line, nil))
			out.WriteByte('\n')
		}
		return out.String()
	}
	if d := cmp.Diff(transcript(1), transcript(3)); d != "" {
		t.Error(d)
	}
}

func TestPlanInterleaves(t *testing.T) {
	b := runnertest.New(t, nil)
	text := strings.Replace(fmt.Sprintf(runnertest.MendRecipe, "## Comparison\ntrials: 2\n"), "- test/model",
		"- baseline/oracle\n- baseline/noop", 1) + "\n### Second\nDo it.\n"
	var got []string
	for _, tr := range b.Runner(text).Plan() {
		got = append(got, fmt.Sprintf("%s %d %s %s", tr.ID, tr.N, tr.Task, tr.Model))
	}
	want := []string{
		"t001 1 Write the file baseline/oracle", "t002 1 Write the file baseline/noop", "t003 1 Second baseline/oracle",
		"t004 1 Second baseline/noop",
		"t005 2 Write the file baseline/oracle", "t006 2 Write the file baseline/noop", "t007 2 Second baseline/oracle",
		"t008 2 Second baseline/noop",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
