// Package reporttest makes reports for tests: of recorded journals, and of runs that
// are played out event by event.
package reporttest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/report"
	"cookoff/trial"
)

// Emit gives an event to a sink.
func Emit(t testing.TB, s trial.Sink, e trial.Event) {
	t.Helper()
	if err := s.Emit(e); err != nil {
		t.Fatal(err)
	}
}

// Script emits a run of models × tasks × repeats; outcome says what becomes of
// each trial, nil leaves it open.
func Script(t testing.TB, run trial.Run, repeats int, outcome func(trial.Trial) *trial.Outcome) *report.Builder {
	t.Helper()
	b := report.New()
	for n := 1; n <= repeats; n++ {
		for _, task := range run.Tasks {
			for _, m := range run.Models {
				run.Trials = append(run.Trials, trial.Trial{ID: m + "/" + task + "/" + string(rune('0'+n)),
					Model: m, Task: task, N: n})
			}
		}
	}
	Emit(t, b, trial.Event{Kind: trial.RunStarted, Run: &run})
	for _, tr := range run.Trials {
		if o := outcome(tr); o != nil {
			Emit(t, b, trial.Event{Kind: trial.TrialStarted, Trial: tr.ID, Attempt: 1, Start: &tr})
			Emit(t, b, trial.Event{Kind: trial.TrialFinished, Trial: tr.ID, Attempt: 1, Outcome: o})
		}
	}
	Emit(t, b, trial.Event{Kind: trial.RunFinished, End: &trial.End{Seconds: 1}})
	return b
}

// Outcome is that of a trial of two steps, which cost half a dollar.
func Outcome(s trial.Status) *trial.Outcome {
	return &trial.Outcome{Status: s, CostUSD: new(0.5), Usage: model.Usage{Input: 10, Output: 1, Known: true}, Steps: 2}
}

// Warns reports whether a warning of the report holds part.
func Warns(r *report.Report, part string) bool {
	return strings.Contains(strings.Join(r.Warnings, "\n"), part)
}

// Tasks are n names of tasks.
func Tasks(n int) []string {
	var out []string
	for i := range n {
		out = append(out, string(rune('a'+i)))
	}
	return out
}

// Journal is the file of a recorded journal in testdata/journals of this module.
func Journal(t testing.TB, name string) string {
	t.Helper()
	for above := ".."; len(above) < 32; above = filepath.Join(above, "..") {
		file := filepath.Join(above, "testdata", "journals", name+".jsonl")
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	t.Fatalf("no journal %s above this package", name)
	return ""
}

// Fold gives the report of a recorded journal.
func Fold(t testing.TB, name string) *report.Report {
	t.Helper()
	b := report.New()
	if _, err := trial.ReadFile(Journal(t, name), b.Emit); err != nil {
		t.Fatal(err)
	}
	return b.Report()
}

// RunOf is a run over n tasks, of which each model fixes the first few.
func RunOf(t testing.TB, digest string, n int, fixed map[string]int) *report.Report {
	t.Helper()
	run := trial.Run{ID: "run-" + digest, Digest: digest, Recipe: "r", Models: []string{"m", "other"}, Tasks: Tasks(n),
		Confidence: 0.95, Seed: 1}
	return Script(t, run, 1, func(tr trial.Trial) *trial.Outcome {
		if slices.Index(run.Tasks, tr.Task) < fixed[tr.Model] {
			return Outcome(trial.Pass)
		}
		return Outcome(trial.Fail)
	}).Report()
}
