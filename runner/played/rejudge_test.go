package played_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cookoff/runner"
	"cookoff/runner/remake"
	"cookoff/trial"
	"cookoff/trial/final"
)

// askedAgain is which part of what contestants left is judged again: it costs as
// much as a trial, and tells of storing and making files, not of single cheats.
const askedAgain = 3

// judgedAgain makes what every third contestant left anew from what was stored of
// it, and wants each to be judged as it was.
func judgedAgain(t *testing.T, r *runner.Runner, log *record) {
	t.Helper()
	journal := filepath.Join(log.dir, trial.JournalFile)
	if err := os.WriteFile(journal, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var run trial.Run
	var list []remake.Recorded
	started := map[string]trial.Trial{}
	for _, e := range log.events {
		switch {
		case e.Run != nil:
			run = *e.Run
		case e.Start != nil:
			started[e.Trial] = *e.Start
		case e.Outcome != nil:
			list = append(list, remake.Recorded{Trial: started[e.Trial], Outcome: *e.Outcome,
				State: func() (*final.State, error) { return final.Open(journal, e.Outcome.State) }})
		}
	}
	var some []remake.Recorded
	for i, g := range list {
		if i%askedAgain == 0 || ofProcesses(g.Outcome) {
			some = append(some, g)
		}
	}
	got, other, err := remake.Rejudge(t.Context(), &r.Staging, run, some, nil)
	if err != nil || other {
		t.Fatalf("judging again: another project: %v, %v", other, err)
	}
	for _, g := range got {
		switch {
		case g.Why != "":
			t.Logf("%s is not judged again: %s", g.Trial.Model, g.Why)
		// its own world is gone, and cannot disagree
		case g.Is.Status == trial.Fail && g.Was.Cause == trial.CauseDefeatDevice:
		case g.Is.Status != g.Was.Status || g.Is.Cause != g.Was.Cause:
			t.Errorf("%s is %s %s when judged again (%s), was %s %s", g.Trial.Model, g.Is.Status,
				g.Is.Cause, g.Is.Detail, g.Was.Status, g.Was.Cause)
		}
	}
}

// ofProcesses reports whether what failed was a process, which nobody who judges again sees.
func ofProcesses(o trial.Outcome) bool {
	return slices.ContainsFunc(o.Verdicts, func(v trial.Verdict) bool {
		return v.Status == trial.NotHeld && v.Strength == trial.StrengthLive
	})
}
