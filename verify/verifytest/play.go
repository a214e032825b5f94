package verifytest

import (
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verdict"
)

// Played is what became of a case after somebody's commands.
type Played struct {
	Verdicts []trial.Verdict
	Status   trial.Status
	Cause    trial.Cause
	Detail   string
	Effects  string // side effects, a line each
}

// Verdict finds a check's verdict.
func (p Played) Verdict(t *testing.T, check string) trial.Verdict {
	t.Helper()
	v := verdict.First(p.Verdicts, func(v trial.Verdict) bool { return v.Check == check })
	if v == nil {
		t.Fatalf("no verdict %q in %+v", check, p.Verdicts)
	}
	return *v
}

// Play stages a task, runs the commands as the contestant, and judges.
func Play(t *testing.T, open verify.Opening, r recipe.Recipe, task recipe.Task, commands string) Played {
	t.Helper()
	return PlayLoop(t, open, r, task, commands, verify.Loop{})
}

// PlayLoop plays a task that was not proven, with what criteria ask of the loop.
func PlayLoop(t *testing.T, open verify.Opening, r recipe.Recipe, task recipe.Task, commands string,
	loop verify.Loop) Played {
	t.Helper()
	c, err := verify.NewCase(&r, task)
	if err != nil {
		t.Fatal(err)
	}
	return PlayCase(t, open, c, commands, loop)
}

// PlayCase stages a case, runs the commands as the contestant, and judges.
func PlayCase(t *testing.T, open verify.Opening, c *verify.Case, commands string, loop verify.Loop) Played {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := open(ctx, nil, sandbox.Agent)
	must(err)
	defer w.Close()
	s, err := c.Stage(ctx, w)
	must(err)
	_, err = w.Exec(ctx, sandbox.Cmd{Script: commands})
	must(err)
	sc, live, err := c.End(ctx, w, s, open)
	must(err)
	defer sc.State.Release()
	loop.Live = append(loop.Live, live...)
	j, err := c.Judge(ctx, sc, s, loop)
	must(err)
	status, cause, detail := verdict.Decide(j.Verdicts, j.Changed, trial.StopDone)
	got := Played{Verdicts: j.Verdicts, Status: status, Cause: cause, Detail: detail}
	if j.SideEffects != nil {
		got.Effects = strings.Join(j.SideEffects.Paths, "\n")
	}
	return got
}
