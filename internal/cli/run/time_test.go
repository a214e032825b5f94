package run

import (
	"math"
	"testing"

	"cookoff/report"
	"cookoff/trial"
)

// TestWhereTheTimeWent adds up all attempts, and tells nothing of a run without any.
func TestWhereTheTimeWent(t *testing.T) {
	out := func(s trial.Seconds) trial.Outcome { return trial.Outcome{Seconds: s} }
	r := &report.Report{Seconds: 20, Trials: []report.Trial{
		{Outcome: out(trial.Seconds{Agent: 10, Provider: 6, Tools: 3, Judge: 2, Stage: 1}),
			Earlier: []report.Attempt{{N: 1, Outcome: out(trial.Seconds{Wait: 30, Stage: 1})}}},
		{Outcome: out(trial.Seconds{Agent: 4, Provider: 4})},
	}}
	want := "time of 3 attempts: models 10.0s, tools 3.00s, worlds and staging 2.00s, judging 2.00s, waiting 30.0s, " +
		"else in the loop 1.00s; the run took 20.0s"
	if got := whereTime(r); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r.Seconds = math.NaN() // interrupted
	if got := whereTime(r); got != want[:len(want)-len("; the run took 20.0s")] {
		t.Error(got)
	}
	if got := whereTime(&report.Report{}); got != "" {
		t.Error(got)
	}
}
