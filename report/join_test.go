package report_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"cookoff/report"
	"cookoff/report/reporttest"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// One run of three trials each is the same as three runs of one: the numbers are
// equal to the last figure.
func TestJoinedRunsAreOneWithMoreTrials(t *testing.T) {
	run := trial.Run{ID: "x", Digest: "d", Models: []string{"m", "o"},
		Tasks: reporttest.Tasks(5), Baseline: "m", Confidence: 0.95,
		Seed: 3}
	became := func(tr trial.Trial) *trial.Outcome {
		if (len(tr.Model)+int(tr.Task[0])*tr.N)%3 == 0 {
			return reporttest.Outcome(trial.Pass)
		}
		return reporttest.Outcome(trial.Fail)
	}
	whole := reporttest.Script(t, run, 3, became).Report()

	b := report.New()
	j := &report.Join{To: b}
	for n := 1; n <= 3; n++ {
		part := run
		part.ID = string(rune('x' + n - 1))
		j.Next()
		for _, task := range run.Tasks {
			for _, m := range run.Models {
				part.Trials = append(part.Trials, trial.Trial{ID: m + task, Model: m, Task: task, N: 1})
			}
		}
		reporttest.Emit(t, j, trial.Event{Kind: trial.RunStarted, Run: &part})
		for _, tr := range part.Trials {
			reporttest.Emit(t, j, trial.Event{Kind: trial.TrialStarted, Trial: tr.ID, Attempt: 1, Start: &tr})
			tr.N = n
			reporttest.Emit(t, j, trial.Event{Kind: trial.TrialFinished, Trial: tr.ID, Attempt: 1, Outcome: became(tr)})
		}
		reporttest.Emit(t, j, trial.Event{Kind: trial.RunFinished, End: &trial.End{Seconds: 2}})
	}
	r := b.Report()
	if r.Run.ID != "x + y + z" || r.Seconds != 6 || j.Mixed() || len(r.Trials) != 30 || r.Repeats() != 3 {
		t.Errorf("run %q of %v s, mixed %v, %d trials, %d each", r.Run.ID, r.Seconds, j.Mixed(),
			len(r.Trials), r.Repeats())
	}
	for i, m := range r.Models {
		w := whole.Models[i]
		if m.Pass != w.Pass || m.Interval != w.Interval || m.PassHatK[2] != w.PassHatK[2] ||
			*m.SpentUSD != *w.SpentUSD {
			t.Errorf("%s: %+v, want %+v", m.Name, m, w)
		}
		if m.Delta != nil && *m.Delta != *w.Delta {
			t.Errorf("%s: %+v, want %+v", m.Name, *m.Delta, *w.Delta)
		}
	}
}

func TestJoinSaysWhatItMixes(t *testing.T) {
	b := report.New()
	j := &report.Join{To: b}
	for _, d := range []string{"d1", "d2"} {
		j.Next()
		reporttest.Emit(t, j, trial.Event{Kind: trial.RunStarted, Run: &trial.Run{ID: "run-" + d, Digest: d}})
	}
	if !j.Mixed() || !reporttest.Warns(b.Report(), "different recipes") {
		t.Errorf("mixed %v, warnings %q", j.Mixed(), b.Report().Warnings)
	}
}

// A run in parts, whatever they are, has the numbers of the run as a whole, its
// tasks in the same order.
func TestPartsMakeTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		run := trial.Run{ID: "x", Digest: "d", Models: []string{"m", "o", "p"},
			Tasks: reporttest.Tasks(2 + rng.IntN(9)), Baseline: "o",
			Confidence: 0.9, Seed: 3}
		status := map[trial.Trial]trial.Status{}
		became := func(tr trial.Trial) *trial.Outcome {
			tr.ID = ""
			if status[tr] == "" {
				status[tr] = []trial.Status{trial.Pass, trial.Fail, trial.Void}[rng.IntN(3)]
			}
			return reporttest.Outcome(status[tr])
		}
		trials := 1 + rng.IntN(3)
		whole := reporttest.Script(t, run, trials, became).Report()

		b := report.New()
		j := &report.Join{To: b}
		parts := 1 + rng.IntN(len(run.Tasks))
		for i := range parts {
			part := run
			part.ID, part.Tasks = string(rune('a'+i)), run.Tasks[len(run.Tasks)*i/parts:len(run.Tasks)*(i+1)/parts]
			j.Next()
			for n := 1; n <= trials; n++ {
				for _, task := range part.Tasks {
					for _, m := range run.Models {
						part.Trials = append(part.Trials, trial.Trial{ID: m + task + string(rune('0'+n)), Model: m,
							Task: task, N: n})
					}
				}
			}
			reporttest.Emit(t, j, trial.Event{Kind: trial.RunStarted, Run: &part})
			for _, tr := range part.Trials {
				reporttest.Emit(t, j, trial.Event{Kind: trial.TrialFinished, Trial: tr.ID, Attempt: 1,
					Outcome: became(tr)})
			}
			reporttest.Emit(t, j, trial.Event{Kind: trial.RunFinished, End: &trial.End{}})
		}
		got := b.Report()
		if d := cmp.Diff(whole.Models, got.Models, cmpopts.EquateNaNs()); d != "" {
			t.Fatal(d)
		}
		if !slices.Equal(got.Tasks, run.Tasks) || len(got.Trials) != len(whole.Trials) || j.Mixed() {
			t.Errorf("tasks %q, %d trials", got.Tasks, len(got.Trials))
		}
	}
}
