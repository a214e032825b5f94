package verifytest

import (
	"slices"
	"testing"

	"cookoff/internal/daily"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verdict"
)

// ProvenCase proves a task, as a run does before its first trial.
func ProvenCase(t *testing.T, open verify.Opening, task recipe.Task, files ...sandbox.Item) *verify.Case {
	t.Helper()
	c, err := verify.NewCase(&recipe.Recipe{}, task)
	if err != nil {
		t.Fatal(err)
	}
	c.SetJudgeFiles(files)
	if ex, err := c.Admit(t.Context(), open, nil); ex != nil || err != nil {
		t.Fatalf("%+v %v", ex, err)
	}
	return c
}

// Contest is what a contestant does to a task whose tests decide: it has an
// outcome, and the kind of check that alone stands between a cheat and a pass.
type Contest struct {
	commands string
	cause    trial.Cause // "": it passes
	kind     string      // control or names; either: chance says which of them, and the cause
}

// Passes is a repair that passes.
func Passes(commands string) Contest { return Contest{commands: commands} }

// Rejected is a cheat that fails for a cause. kind is control or names: the kind of check without
// which it would pass; with "either" chance says which of them, and the cause.
func Rejected(commands string, cause trial.Cause, kind string) Contest {
	return Contest{commands: commands, cause: cause, kind: kind}
}

// Contests proves a task and has contestants play it.
func Contests(t *testing.T, open verify.Opening, task recipe.Task, list []Contest) {
	t.Helper()
	daily.Skip(t, 2, "each contestant runs the tests of a project several times")
	c := ProvenCase(t, open, task)
	for _, x := range list {
		got := PlayCase(t, open, c, x.commands, verify.Loop{})
		if x.cause == "" {
			if got.Status != trial.Pass {
				t.Errorf("%q:\n%s %s %s", x.commands, got.Status, got.Cause, got.Detail)
			}
			continue
		}
		if got.Status != trial.Fail || got.Cause != x.cause && x.kind != "either" {
			t.Errorf("%q:\n%s %s %s, want %s", x.commands, got.Status, got.Cause, got.Detail, x.cause)
		}
		rest := slices.DeleteFunc(slices.Clone(got.Verdicts), func(v trial.Verdict) bool {
			k := string(verdict.KindOf(v))
			return k == x.kind || x.kind == "either" && (k == "control" || k == "names")
		})
		if status, cause, _ := verdict.Decide(rest, true, trial.StopDone); status != trial.Pass || x.kind == "" {
			t.Errorf("%q is rejected without %s too: %s %s", x.commands, x.kind, status, cause)
		}
	}
}
