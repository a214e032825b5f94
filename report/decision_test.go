package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"cookoff/report"
	"cookoff/report/formats"
	"cookoff/report/reporttest"
	"cookoff/trial"
)

// decidedRun is a run that asked which of two is best and stopped after three tasks
// of ten.
func decidedRun(t *testing.T, d trial.Decision, groups ...map[string][]string) *report.Report {
	t.Helper()
	b := report.New()
	run := trial.Run{Schema: trial.Schema, ID: "r1", Recipe: "x", Models: []string{"lab/a", "lab/b"}, Seed: 1,
		Question: &trial.Question{Ask: "best", Level: 0.05}}
	for _, g := range groups {
		run.Groups = g
	}
	for i := range 10 {
		task := fmt.Sprint("task ", i)
		run.Tasks = append(run.Tasks, task)
		for _, m := range run.Models {
			run.Trials = append(run.Trials, trial.Trial{ID: fmt.Sprintf("t%03d", len(run.Trials)+1), Model: m,
				Task: task, N: 1})
		}
	}
	events := []trial.Event{{Kind: trial.RunStarted, Run: &run}}
	for _, x := range run.Trials[:6] {
		status := trial.Pass
		if x.Model == "lab/b" {
			status = trial.Fail
		}
		events = append(events, trial.Event{Kind: trial.TrialStarted, Trial: x.ID, Attempt: 1, Start: &x},
			trial.Event{Kind: trial.TrialFinished, Trial: x.ID, Attempt: 1,
				Outcome: &trial.Outcome{Status: status, CostUSD: new(0.5)}})
	}
	events = append(events, trial.Event{Kind: trial.RunFinished, End: &trial.End{Seconds: 1, Decision: &d}})
	for _, e := range events {
		if err := b.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	return b.Report()
}

// A run that ended before any task of a kind was tried says so.
func TestTheDecisionIsAboutSomeTasks(t *testing.T) {
	r := decidedRun(t, trial.Decision{State: "decided", Text: "lab/a is better"},
		map[string][]string{"task 0": {"kind:go"}, "task 8": {"kind:go", "kind:git"}, "task 9": {"kind:git", "size:l"}})
	if w := strings.Join(r.Warnings, "\n"); !strings.Contains(w,
		"no trial of kind:git, size:l was judged, which stand later") {
		t.Errorf("%s", w)
	}
	r = decidedRun(t, trial.Decision{State: "decided", Text: "lab/a is better"},
		map[string][]string{"task 0": {"kind:go"}})
	if w := strings.Join(r.Warnings, "\n"); strings.Contains(w, "was judged, which stand later") {
		t.Errorf("%s", w)
	}
}

// A run that stopped when its question was answered says so first, what it left
// out and what that would have cost, and that the other numbers are not made for
// stopping.
func TestDecision(t *testing.T) {
	r := decidedRun(t, trial.Decision{State: "decided", Text: "lab/a is better than each other model",
		Dropped: []trial.Dropped{{Model: "lab/b", After: 6}}})
	var b bytes.Buffer
	if err := formats.Table(&b, r, formats.Options{}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"lab/a is better than each other model: lab/a 100% of 3, lab/b 0% of 3.",
		`the question "best" is decided after 6 of 20 trials; the others would have cost about $7.00`,
		"lab/b: not tried further after 6 trials of the run",
		"the answer holds however often it was looked for (false alarms: 5%)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if r.State != report.Finished || !strings.HasPrefix(got, "lab/a is better") {
		t.Errorf("state %s, %s", r.State, got)
	}
}

// Where what was left could not tell, the usual sentence stands on top.
func TestFutile(t *testing.T) {
	r := decidedRun(t, trial.Decision{State: "futile",
		Text: "not decided: no outcome of what is left can tell lab/a from lab/b"})
	if !strings.HasPrefix(r.Answer, "After 6 of 20 trials: ") {
		t.Error(r.Answer)
	}
	if w := strings.Join(r.Warnings, "\n"); !strings.Contains(w,
		`the question "best" is futile after 6 of 20 trials: not decided: no outcome`) {
		t.Error(w)
	}
}

// What a test of a fixed size says is not said alone where the question is not decided.
func TestFutileThoughSignificant(t *testing.T) {
	b := report.New()
	run := trial.Run{ID: "r1", Recipe: "x", Models: []string{"lab/a", "lab/b"}, Seed: 1,
		Baseline: "lab/a", Confidence: 0.95,
		Question: &trial.Question{Ask: "best", Level: 0.05}}
	for i := range 8 {
		run.Tasks = append(run.Tasks, fmt.Sprint("task ", i))
		for _, m := range run.Models {
			run.Trials = append(run.Trials, trial.Trial{ID: fmt.Sprint(m, i), Model: m, Task: run.Tasks[i], N: 1})
		}
	}
	reporttest.Emit(t, b, trial.Event{Kind: trial.RunStarted, Run: &run})
	for _, x := range run.Trials {
		o := trial.Outcome{Status: trial.Pass}
		if x.Model == "lab/b" {
			o = trial.Outcome{Status: trial.Fail, Cause: trial.CauseWrongFix}
		}
		reporttest.Emit(t, b, trial.Event{Kind: trial.TrialFinished, Trial: x.ID, Attempt: 1, Outcome: &o})
	}
	if got := b.Report().Answer; !strings.HasPrefix(got, "lab/a (the baseline) is better than lab/b") ||
		strings.Contains(got, "But") {
		t.Errorf("while it goes on: %s", got)
	}
	reporttest.Emit(t, b, trial.Event{Kind: trial.RunFinished, End: &trial.End{
		Decision: &trial.Decision{State: "futile", Text: "not decided"}}})
	if got := b.Report().Answer; !strings.Contains(got, `. But the run looked at its evidence all the time, `+
		`and by tests that allow for that "best" is not decided.`) {
		t.Errorf("at its end: %s", got)
	}
}

// The answer of one run is none for several together.
func TestDecisionOfSeveralRuns(t *testing.T) {
	b := report.New()
	for _, id := range []string{"r1", "r2"} {
		for _, e := range []trial.Event{
			{Kind: trial.RunStarted, Run: &trial.Run{ID: id, Recipe: "x", Models: []string{"lab/a"},
				Question: &trial.Question{Ask: "best", Level: 0.05}}},
			{Kind: trial.RunFinished,
				End: &trial.End{Decision: &trial.Decision{State: "decided", Text: "lab/a is better"}}},
		} {
			if err := b.Emit(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r := b.Report(); r.Decision != nil {
		t.Errorf("%+v", r.Decision)
	}
}
