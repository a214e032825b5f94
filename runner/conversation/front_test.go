package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/model/scripted"
	"cookoff/runner"
	"cookoff/runner/runnertest"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

// asks is a chat in whose requests something is done first.
type asks struct {
	*runnertest.Chat
	before func(n int)
}

func (a *asks) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	a.before(len(a.Seen) + 1)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return a.Chat.Generate(ctx, req)
}

// attended is a runner with a person before it, who does something in each
// request.
func attended(t *testing.T, sections string, person func(r *runner.Runner, n int), steps ...any) (*runnertest.Bench,
	*runnertest.Chat,
	trial.Outcome) {
	t.Helper()
	b, c := runnertest.Quick(t, steps...)
	var r *runner.Runner
	b.Env.Chat = func(string) (model.Chat, error) { return &asks{c, func(n int) { person(r, n) }}, nil }
	b.Env.Front = &runner.Front{}
	r = b.Runner(runnertest.Recipe(sections))
	out, err := r.Run(t.Context(), r.Plan()[0], b.Log)
	if err != nil {
		t.Fatal(err)
	}
	return b, c, out
}

const byHand = "## Context\nstrategy: manual\n\n"

func TestCompactByHand(t *testing.T) {
	b, c, out := attended(t, budget10k+byHand, func(r *runner.Runner, n int) {
		if n == 2 {
			if err := r.Compact("t001"); err != nil {
				t.Error(err)
			}
		}
	}, used(runnertest.Bash(1, "aaa"), 9900), used(runnertest.Bash(2, "bbb"), 9950), runnertest.Say("It is half done."),
		runnertest.Say("done"))
	if out.Counters.Compactions != 1 || out.Steps != 3 || out.Stop != trial.StopDone {
		t.Errorf("%+v", out)
	}
	if got := runnertest.Told(c.Seen[3]); !strings.Contains(got, "It is half done.") || strings.Contains(got, "bbb") {
		t.Errorf("after it: %s", got)
	}
	if n := b.Notes("compacted"); len(n) != 1 {
		t.Errorf("notes: %q", n)
	}
}

// TestManualWithoutAPerson: nothing is compacted by itself, and what does not
// fit ends the loop.
func TestManualWithoutAPerson(t *testing.T) {
	b, c := runnertest.Quick(t, used(runnertest.Bash(1, "aaa"), 9900), &model.ContextError{Err: errors.New("too long")})
	out := b.One(runnertest.Recipe(budget10k + byHand))
	if out.Stop != trial.StopContextFull || out.Status != trial.Fail || len(c.Seen) != 2 {
		t.Errorf("%s, stop %s after %d requests", out.Status, out.Stop, len(c.Seen))
	}
}

func TestCompactBeforeAnythingWasSaid(t *testing.T) {
	b, _ := runnertest.Quick(t, runnertest.Say("done"))
	r := b.Runner(runnertest.Recipe(byHand))
	if err := r.Compact("t001"); err != nil {
		t.Fatal(err)
	}
	out, err := r.Run(t.Context(), r.Plan()[0], b.Log)
	if err != nil || out.Counters.Compactions != 0 || out.Stop != trial.StopDone {
		t.Errorf("%+v, %v", out, err)
	}
	if d := cmp.Diff([]string{"asked for by hand: nothing was said yet"}, b.Notes("compacted")); d != "" {
		t.Error(d)
	}
}

func TestRemindByHand(t *testing.T) {
	const reminders = "## System Reminders\n### care\ntrigger: manual\n\nTake care.\n\n### late\n" +
		"trigger: manual && step > 3\n\nHurry.\n\n### own\ntrigger: step == 2\n\nBy itself.\n\n"
	b, c, out := attended(t, reminders, func(r *runner.Runner, n int) {
		if n == 1 || n == 2 {
			for _, name := range []string{"care", "late"} {
				if err := r.Remind("t001", name); err != nil {
					t.Error(err)
				}
			}
		}
	}, runnertest.Bash(1, "aaa"), runnertest.Bash(2, "bbb"), runnertest.Bash(3, "ccc"), runnertest.Say("done"))
	if out.Counters.Reminders != 3 {
		t.Errorf("%d reminders", out.Counters.Reminders)
	}
	if d := cmp.Diff([]string{"care", "own", "care"}, b.Notes("reminded")); d != "" {
		t.Error(d)
	}
	if n := b.Notes("unsaid"); len(n) != 2 || !strings.HasPrefix(n[0], "late: ") {
		t.Errorf("unsaid: %q", n)
	}
	if n := strings.Count(runnertest.Told(c.Seen[3]), "Take care."); n != 2 {
		t.Errorf("said %d times:\n%s", n, runnertest.Told(c.Seen[3]))
	}
}

// stopped plays a model that a person stops in its second request.
func TestStopEndsOneTrialAndJudgesWhatIsLeft(t *testing.T) {
	b, c := runnertest.Quick(t, runnertest.Call("1", "bash", `{"command":"touch done"}`), runnertest.Say("done"))
	var r *runner.Runner
	b.Env.Chat = func(string) (model.Chat, error) {
		return &asks{c, func(n int) {
			if n == 2 {
				if err := r.Stop("t001"); err != nil {
					t.Error(err)
				}
			}
		}}, nil
	}
	b.Env.Parallel = 1
	r = b.Runner(strings.Replace(runnertest.Recipe(""), "- test/model", "- test/model\n- baseline/oracle", 1))
	if err := r.RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range b.Log.Events {
		switch {
		case e.Outcome != nil:
			got = append(got, fmt.Sprintf("%s %s %s %s, %d verdicts", e.Trial, e.Outcome.Status, e.Outcome.Stop,
				e.Outcome.Cause, len(e.Outcome.Verdicts)))
		case e.End != nil:
			got = append(got, fmt.Sprintf("interrupted: %v%s", e.End.Interrupted, e.End.Error))
		}
	}
	if d := cmp.Diff([]string{"t001 void cancelled cancelled, 1 verdicts", "t002 pass done , 1 verdicts",
		"interrupted: false"}, got); d != "" {
		t.Error(d)
	}
}

func TestStopBeforeItBegins(t *testing.T) {
	b, c := runnertest.Quick(t, runnertest.Say("done"))
	r := b.Runner(runnertest.Recipe(""))
	if err := r.Stop("t001"); err != nil {
		t.Fatal(err)
	}
	out, err := r.Run(t.Context(), r.Plan()[0], b.Log)
	if err != nil || out.Status != trial.Void || out.Cause != trial.CauseCancelled || out.Detail != "stopped by hand" ||
		len(c.Seen) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestWhatCanNotBeAskedOfATrial(t *testing.T) {
	b, _ := runnertest.Quick(t, runnertest.Say("done"))
	check := func(sections string, ask func(r *runner.Runner) error, want string) {
		t.Helper()
		text := strings.Replace(runnertest.Recipe(sections), "- test/model", "- test/model\n- baseline/oracle", 1)
		if err := ask(b.Runner(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	const reminders = "## System Reminders\n### care\ntrigger: manual\n\nTake care.\n\n### own\n" +
		"trigger: step == 2\n\nBy itself.\n\n"
	check("", func(r *runner.Runner) error { return r.Stop("t009") }, `there is no trial "t009"`)
	check("", func(r *runner.Runner) error { return r.Compact("t001") }, "the recipe compacts nothing")
	check(byHand, func(r *runner.Runner) error { return r.Compact("t002") },
		"baseline/oracle reads its conversation as a whole")
	check("", func(r *runner.Runner) error { return r.Remind("t001", "x") }, "with trigger: manual makes one")
	check(reminders, func(r *runner.Runner) error { return r.Remind("t001", "x") }, "said by hand are: care")
	check(reminders, func(r *runner.Runner) error { return r.Remind("t001", "own") }, "says itself when it is due")
}

// destructive calls a repair of that class.
func destructive(n int) *model.Reply {
	return runnertest.Call(fmt.Sprint(n), "repair_daemon_stale", fmt.Sprintf(`{"Name":"x","Path":"run/%d.pid"}`, n))
}

func TestApprovals(t *testing.T) {
	check := func(name string, answers []runner.Answer, fail error, wantHooks []string, wantRefused int) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{Steps: []any{destructive(1),
				destructive(2),
				runnertest.Say("done")}}})
			var asked []runner.Approval
			b.Env.Front = &runner.Front{Approve: func(_ context.Context, a runner.Approval) (runner.Answer, error) {
				asked = append(asked, a)
				return answers[len(asked)-1], fail
			}}
			out := b.One(runnertest.Recipe("## Tools\n- repair(*)\n\n"))
			var hooks []string
			for _, e := range b.Log.Events {
				if e.Hook != nil {
					hooks = append(hooks, e.Hook.Name+" "+e.Hook.Decision)
					if strings.HasPrefix(e.Hook.Reason, e.Hook.Decision) {
						t.Errorf("the decision %s is said twice: %q", e.Hook.Decision, e.Hook.Reason)
					}
				}
			}
			if d := cmp.Diff(wantHooks, hooks); d != "" || out.Counters.RefusedClasses != wantRefused ||
				len(asked) != len(answers) {
				t.Errorf("%d refused, %d asked, %s", out.Counters.RefusedClasses, len(asked), d)
			}
			if a := asked[0]; a.Trial.ID != "t001" || a.Trial.Model != "test/model" ||
				a.Tool != "repair_daemon_stale" ||
				a.Class != "destructive" || !strings.Contains(a.Command, "run/1.pid") {
				t.Errorf("asked about %+v", a)
			}
			if out.Seconds.Wait < float64(len(asked)) {
				t.Errorf("%v s of waiting", out.Seconds.Wait)
			}
		})
	}
	check("once", []runner.Answer{runner.Once, runner.Deny}, nil, []string{"approval allow", "approval deny"}, 1)
	check("this trial", []runner.Answer{runner.ThisTrial}, nil, []string{"approval allow"}, 0)
	check("deny", []runner.Answer{runner.Deny, ""}, nil, []string{"approval deny", "approval deny"}, 2)
	check("nobody there", []runner.Answer{runner.Once, runner.Once}, errors.New("the panel is gone"),
		[]string{"approval deny", "approval deny"}, 2)
}

func TestTextAsItArrives(t *testing.T) {
	m := scripted.New(scripted.Call("1", "bash", map[string]string{"command": "touch done"}),
		scripted.Fails(&model.RetryError{Err: errors.New("gone")}), scripted.Text("all done"))
	b := runnertest.New(t, map[string]model.Chat{"test/model": m})
	b.Env.Backend = runnertest.Backend{}
	var got []string
	b.Env.Front = &runner.Front{Text: func(p runner.Piece) {
		got = append(got, fmt.Sprintf("%s.%d step %d try %d: %s", p.Trial, p.Attempt, p.Step, p.Try, p.Text))
	}}
	if out := b.One(runnertest.Recipe("")); out.Status != trial.Pass {
		t.Errorf("%+v", out)
	}
	if want := []string{"t001.1 step 2 try 2: all ", "t001.1 step 2 try 2: done"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
