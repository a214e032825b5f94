package report

import (
	"testing"

	"cookoff/trial"
)

// One run of three trials each is the same as three runs of one: the numbers are
// equal to the last figure.
func TestJoinedRunsAreOneWithMoreTrials(t *testing.T) {
	run := trial.Run{ID: "x", Digest: "d", Models: []string{"m", "o"}, Tasks: tasks(5), Baseline: "m", Confidence: 0.95, Seed: 3}
	became := func(tr trial.Trial) *trial.Outcome {
		if (len(tr.Model)+int(tr.Task[0])*tr.N)%3 == 0 {
			return outcome(trial.Pass)
		}
		return outcome(trial.Fail)
	}
	whole := script(t, run, 3, became).Report()

	b := New()
	j := &Join{To: b}
	for n := 1; n <= 3; n++ {
		part := run
		part.ID = string(rune('x' + n - 1))
		j.Next()
		for _, task := range run.Tasks {
			for _, m := range run.Models {
				part.Trials = append(part.Trials, trial.Trial{ID: m + task, Model: m, Task: task, N: 1})
			}
		}
		emit(t, j, trial.Event{Kind: trial.RunStarted, Run: &part})
		for _, tr := range part.Trials {
			emit(t, j, trial.Event{Kind: trial.TrialStarted, Trial: tr.ID, Attempt: 1, Start: &tr})
			tr.N = n
			emit(t, j, trial.Event{Kind: trial.TrialFinished, Trial: tr.ID, Attempt: 1, Outcome: became(tr)})
		}
		emit(t, j, trial.Event{Kind: trial.RunFinished, End: &trial.End{Seconds: 2}})
	}
	r := b.Report()
	if r.Run.ID != "x + y + z" || r.Seconds != 6 || j.Mixed() || len(r.Trials) != 30 || r.Repeats() != 3 {
		t.Errorf("run %q of %v s, mixed %v, %d trials, %d each", r.Run.ID, r.Seconds, j.Mixed(), len(r.Trials), r.Repeats())
	}
	for i, m := range r.Models {
		w := whole.Models[i]
		if m.Pass != w.Pass || m.Interval != w.Interval || m.PassHatK[2] != w.PassHatK[2] || *m.SpentUSD != *w.SpentUSD {
			t.Errorf("%s: %+v, want %+v", m.Name, m, w)
		}
		if m.Delta != nil && *m.Delta != *w.Delta {
			t.Errorf("%s: %+v, want %+v", m.Name, *m.Delta, *w.Delta)
		}
	}
}

func TestJoinSaysWhatItMixes(t *testing.T) {
	b := New()
	j := &Join{To: b}
	for _, d := range []string{"d1", "d2"} {
		j.Next()
		emit(t, j, trial.Event{Kind: trial.RunStarted, Run: &trial.Run{ID: "run-" + d, Digest: d}})
	}
	if !j.Mixed() || !warns(b.Report(), "different recipes") {
		t.Errorf("mixed %v, warnings %q", j.Mixed(), b.Report().Warnings)
	}
}
