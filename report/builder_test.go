package report_test

import (
	"bytes"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/report"
	"cookoff/report/formats"
	"cookoff/report/gates"
	"cookoff/report/reporttest"
	"cookoff/trial"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

func TestVoidNeverEntersTheDenominator(t *testing.T) {
	r := reporttest.Script(t, trial.Run{Models: []string{"m"}, Tasks: reporttest.Tasks(4)}, 1,
		func(tr trial.Trial) *trial.Outcome {
			return reporttest.Outcome(map[string]trial.Status{"a": trial.Pass, "b": trial.Pass, "c": trial.Fail,
				"d": trial.Void}[tr.Task])
		}).Report()
	m := r.Models[0]
	if m.Pass != 2 || m.Fail != 1 || m.Void != 1 || m.Rate != 2.0/3 {
		t.Errorf("%+v", m)
	}
	if m.VoidRates.Lo != 0.5 || m.VoidRates.Hi != 0.75 || !reporttest.Warns(r, "lies between 50% and 75%") {
		t.Errorf("the void leaves %v open; warnings %q", m.VoidRates, r.Warnings)
	}
	if *m.CostUSD != 1.5 || *m.CostPerFixUSD != 0.75 || *m.SpentUSD != 2 || m.Steps != 6 {
		t.Errorf("cost %v, a fix %v, spent %v, steps %d", *m.CostUSD, *m.CostPerFixUSD, *m.SpentUSD, m.Steps)
	}
}

func TestUnknownIsNotZero(t *testing.T) {
	r := reporttest.Script(t, trial.Run{Models: []string{"m", "nothing"}, Tasks: reporttest.Tasks(2)}, 1,
		func(tr trial.Trial) *trial.Outcome {
			o := reporttest.Outcome(trial.Pass)
			if tr.Model == "nothing" {
				return reporttest.Outcome(trial.Void)
			}
			if tr.Task == "b" {
				o.CostUSD, o.Usage = nil, model.Usage{}
			}
			return o
		}).Report()
	m, none := r.Models[0], r.Models[1]
	if m.CostUSD != nil || m.CostPerFixUSD != nil || m.SpentUSD != nil || m.Usage.Known {
		t.Errorf("one trial's cost and tokens are unknown, so the sums are: %+v", m)
	}
	if !math.IsNaN(none.Rate) || none.Interval.Defined() || none.CostUSD != nil || none.Usage.Known ||
		!math.IsNaN(none.Seconds.Median) {
		t.Errorf("nothing was judged: %+v", none)
	}
	if d := none.Delta; d == nil || d.Significant || !math.IsNaN(d.P) {
		t.Errorf("nothing to compare: %+v", d)
	}
}

// A refusal is no reply: what it cost is unknown where no price is known, though its tokens are.
func TestRefusedAtNoKnownPrice(t *testing.T) {
	r := reporttest.Script(t, trial.Run{Models: []string{"m"}, Tasks: reporttest.Tasks(1)}, 1,
		func(trial.Trial) *trial.Outcome {
			o := reporttest.Outcome(trial.Fail)
			o.Steps, o.CostUSD, o.Usage = 1, nil, model.Usage{Input: 100, Output: 10, Known: true}
			return o
		}).Report()
	if m := r.Models[0]; m.CostUSD != nil || m.SpentUSD != nil || r.SpentDiffers() {
		t.Errorf("cost %v, spent %v: both are unknown", m.CostUSD, m.SpentUSD)
	}
}

// The last attempt counts, whatever order the lines are in; earlier ones stay.
func TestTheLastAttemptCounts(t *testing.T) {
	b := report.New()
	tr := trial.Trial{ID: "t1", Model: "m", Task: "a", N: 1}
	reporttest.Emit(t, b, trial.Event{Kind: trial.RunStarted,
		Run: &trial.Run{Models: []string{"m"}, Tasks: []string{"a"}, Trials: []trial.Trial{tr}}})
	done := func(attempt int, s trial.Status, c trial.Cause) {
		reporttest.Emit(t, b, trial.Event{Kind: trial.TrialFinished, Trial: "t1", Attempt: attempt,
			Outcome: &trial.Outcome{Status: s, Cause: c, CostUSD: new(1.0)}})
	}
	done(1, trial.Void, trial.CauseProvider)
	if m := b.Report().Models[0]; m.Void != 1 || m.Pending != 0 {
		t.Errorf("after one attempt: %+v", m)
	}
	reporttest.Emit(t, b, trial.Event{Kind: trial.TrialStarted, Trial: "t1", Attempt: 2, Start: &tr})
	if m := b.Report().Models[0]; m.Void != 0 || m.Pending != 1 {
		t.Errorf("while the second goes on: %+v", m)
	}
	done(3, trial.Pass, "")
	done(2, trial.Void, trial.CauseSandbox)
	r := b.Report()
	if m := r.Models[0]; m.Pass != 1 || m.Void != 0 || *m.SpentUSD != 3 || *m.CostUSD != 1 {
		t.Errorf("after three: %+v", m)
	}
	if e := r.Trials[0].Earlier; len(e) != 2 || e[0].N != 1 || e[1].Outcome.Cause != trial.CauseSandbox {
		t.Errorf("earlier attempts: %+v", e)
	}
}

func TestCancelledIsStillToBeDone(t *testing.T) {
	r := reporttest.Fold(t, "interrupted")
	if r.State != report.Interrupted || len(r.Trials) != 2 || len(r.Pending) != 4 || r.Models[0].Void != 0 {
		t.Errorf("%s: %d finished, %d pending, %d void", r.State, len(r.Trials), len(r.Pending), r.Models[0].Void)
	}
	for _, f := range []string{"table", "markdown"} {
		if out := written(t, f, r, formats.Options{Width: 80}); !strings.Contains(out,
			"interrupted: 2 of 6 trials finished") {
			t.Errorf("%s does not say so:\n%s", f, out)
		}
	}
}

func TestParetoFront(t *testing.T) {
	cost := map[string]*float64{"cheap": new(0.1), "dear": new(1.0), "worse": new(1.0), "unknown": nil}
	r := reporttest.Script(t, trial.Run{Models: []string{"cheap", "dear", "worse", "unknown"},
		Tasks: reporttest.Tasks(4)}, 1, func(tr trial.Trial) *trial.Outcome {
		o := reporttest.Outcome(trial.Fail)
		if n := int(tr.Task[0] - 'a'); n < map[string]int{"cheap": 1, "dear": 3, "worse": 2, "unknown": 4}[tr.Model] {
			o = reporttest.Outcome(trial.Pass)
		}
		o.CostUSD = cost[tr.Model]
		return o
	}).Report()
	for i, want := range []*bool{new(true), new(true), new(false), nil} {
		if got := r.Models[i].Pareto; (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %v", r.Models[i].Name, got)
		}
	}
}

// Trials of a task that was not admitted are void, and no error of a test.
func TestTasksNotAdmitted(t *testing.T) {
	run := trial.Run{Models: []string{"a", "b"}, Tasks: reporttest.Tasks(7),
		Excluded: []trial.Exclude{{Task: "g", Phase: "solution", Why: "exit status 1"}}}
	r := reporttest.Script(t, run, 1, func(tr trial.Trial) *trial.Outcome {
		if tr.Task == "g" {
			return &trial.Outcome{Status: trial.Void, Cause: trial.CauseAdmission, Stop: trial.StopBroken,
				Detail: "not admitted"}
		}
		return reporttest.Outcome(trial.Pass)
	}).Report()
	if m := r.Models[0]; m.Pass != 6 || m.Void != 1 || m.SpentUSD == nil || *m.SpentUSD != 3 {
		t.Errorf("%+v", m)
	}
	if !reporttest.Warns(r, `task "g" was not admitted, at solution: exit status 1`) || !near(r.Smallest.Diff, 1) ||
		reporttest.Warns(r, "that both were judged on") {
		t.Errorf("smallest difference %v of 6 tasks, warnings %q", r.Smallest, r.Warnings)
	}
	if doc := written(t, "junit", r, formats.Options{}); strings.Count(doc, "<skipped") != 2 ||
		strings.Contains(doc, "<error") {
		t.Error(doc)
	}
}

// A second run.started is the same run, resumed: its end is open again.
func TestResume(t *testing.T) {
	b := report.New()
	if _, err := trial.ReadFile(reporttest.Journal(t, "interrupted"), b.Emit); err != nil {
		t.Fatal(err)
	}
	before := b.Report().Seconds
	reporttest.Emit(t, b, trial.Event{Kind: trial.RunStarted, Run: new(b.Report().Run)})
	if r := b.Report(); r.State != report.Unended || len(r.Trials) != 2 {
		t.Errorf("resumed: %s with %d trials", r.State, len(r.Trials))
	}
	for _, p := range b.Report().Pending {
		reporttest.Emit(t, b, trial.Event{Kind: trial.TrialFinished, Trial: p.ID, Attempt: 2,
			Outcome: reporttest.Outcome(trial.Pass)})
	}
	reporttest.Emit(t, b, trial.Event{Kind: trial.RunFinished, End: &trial.End{Seconds: 2}})
	if r := b.Report(); r.Seconds != before+2 {
		t.Errorf("%v seconds, want %v and 2", r.Seconds, before)
	}
	if r := b.Report(); r.State != report.Finished || len(r.Trials) != 6 || len(r.Pending) != 0 ||
		reporttest.Warns(r, "different recipes") {
		t.Errorf("finished: %s with %d trials, %q", r.State, len(r.Trials), r.Warnings)
	}
	other := b.Report().Run
	other.Digest = "sha256:other"
	reporttest.Emit(t, b, trial.Event{Kind: trial.RunStarted, Run: &other})
	if !reporttest.Warns(b.Report(), "different recipes") {
		t.Error("mixing recipes must be said")
	}
}

func TestNobodyIsCalledBetterOnNoise(t *testing.T) {
	pass := func(n int) func(trial.Trial) *trial.Outcome {
		return func(tr trial.Trial) *trial.Outcome {
			if tr.Model == "b" && int(tr.Task[0]-'a') < n {
				return reporttest.Outcome(trial.Pass)
			}
			return reporttest.Outcome(trial.Fail)
		}
	}
	run := trial.Run{Models: []string{"a", "b"}, Tasks: reporttest.Tasks(12), Seed: 3}
	five, six := reporttest.Script(t, run, 1, pass(5)).Report(), reporttest.Script(t, run, 1, pass(6)).Report()
	if d := five.Models[1].Delta; d.Significant || !near(d.P, 0.0625) || d.Test != "mcnemar_exact" ||
		!strings.Contains(written(t, "table", five, formats.Options{}), "~ p=.06") {
		t.Errorf("five of twelve one way is noise: %+v", d)
	}
	if d := six.Models[1].Delta; !d.Significant || !near(d.P, 0.03125) || d.Diff != 0.5 ||
		!strings.Contains(written(t, "table", six, formats.Options{}), "+50 p=.03") {
		t.Errorf("six of twelve one way is not: %+v", d)
	}
	if six.Smallest.Needed != 6 || six.Smallest.Diff != 0.5 {
		t.Errorf("smallest difference %+v", six.Smallest)
	}
	run.Models = []string{"a", "b", "c"}
	if d := reporttest.Script(t, run, 1, pass(6)).Report().Models[1].Delta; d.Significant || !near(d.P, 0.0625) {
		t.Errorf("with two models compared the same six are noise: %+v", d)
	}
	if r := reporttest.Script(t, trial.Run{Models: []string{"a", "b"}, Tasks: reporttest.Tasks(3)}, 1,
		pass(3)).Report(); !reporttest.Warns(r, "too few tasks: no difference could be significant with fewer than 6") {
		t.Errorf("%q", r.Warnings)
	}
}

// TestAModelThatWasNeverJudgedIsNotCompared: a misspelt name makes nothing
// harder to see for the others.
func TestAModelThatWasNeverJudgedIsNotCompared(t *testing.T) {
	run := trial.Run{Models: []string{"a", "b", "misspelt"}, Tasks: reporttest.Tasks(6)}
	r := reporttest.Script(t, run, 1, func(tr trial.Trial) *trial.Outcome {
		return reporttest.Outcome(map[string]trial.Status{"a": trial.Fail, "b": trial.Pass,
			"misspelt": trial.Void}[tr.Model])
	}).Report()
	if d := r.Models[1].Delta; !d.Significant || !near(d.P, 0.03125) || r.Smallest.Needed != 6 || reporttest.Warns(r,
		"too few tasks") {
		t.Errorf("%+v, %+v, %q", d, r.Smallest, r.Warnings)
	}
	run.Models = []string{"a", "misspelt"}
	r = reporttest.Script(t, run, 1, func(tr trial.Trial) *trial.Outcome {
		return reporttest.Outcome(map[string]trial.Status{"a": trial.Fail, "misspelt": trial.Void}[tr.Model])
	}).Report()
	if reporttest.Warns(r, "too few tasks") || reporttest.Warns(r, "not told apart") {
		t.Errorf("nothing is compared: %q", r.Warnings)
	}
}

func TestRepeatsArePairedByTask(t *testing.T) {
	r := reporttest.Fold(t, "repeats")
	b := r.Models[1]
	if b.Delta.Test != "sign_flip" || b.Delta.Tasks != 8 || !b.Delta.Significant ||
		math.Abs(b.Delta.Diff-14.0/24) > 1e-12 {
		t.Errorf("%+v", b.Delta)
	}
	if len(b.PassHatK) != 3 || math.Abs(b.PassHatK[2]-6.0/8) > 1e-12 || math.Abs(b.PassAtK[0]-b.Rate) > 1e-12 ||
		b.PassAtK[2] != 1 {
		t.Errorf("pass^k %v, pass@k %v", b.PassHatK, b.PassAtK)
	}
	if i := b.Delta.Interval; !(0 < i.Lo && i.Lo < b.Delta.Diff && b.Delta.Diff < i.Hi && i.Hi < 1) {
		t.Errorf("a significant difference of %v in %v", b.Delta.Diff, i)
	}
}

// TestOneTaskIsAboutItself: nothing says how other tasks would differ.
func TestOneTaskIsAboutItself(t *testing.T) {
	for tasks, want := range map[int]string{1: "(Wilson, of this one task)", 2: "(clustered by task)"} {
		r := reporttest.Script(t, trial.Run{Models: []string{"m"}, Tasks: []string{"a", "b"}[:tasks]}, 3,
			func(tr trial.Trial) *trial.Outcome {
				return reporttest.Outcome([]trial.Status{trial.Pass, trial.Fail}[tr.N%2])
			}).Report()
		if l := strings.Join(report.Legend(r), "\n"); !strings.Contains(l, want) {
			t.Errorf("%d tasks: %q", tasks, l)
		}
	}
}

// TestUnequalTrialsAreNotSigns: a model that was tried more often than the
// baseline, and is mostly void otherwise.
func TestUnequalTrialsAreNotSigns(t *testing.T) {
	r := reporttest.Script(t, trial.Run{Models: []string{"base", "m"}, Tasks: reporttest.Tasks(12)}, 9,
		func(tr trial.Trial) *trial.Outcome {
			switch {
			case tr.Model == "m" && tr.N > 1:
				return reporttest.Outcome(trial.Void)
			case tr.Model == "base" && tr.N == 9 || tr.Task == "a":
				return reporttest.Outcome(trial.Pass)
			}
			return reporttest.Outcome(trial.Fail)
		}).Report()
	if d := r.Models[1].Delta; d.Test != "sign_flip" || d.Tasks != 12 || d.Significant {
		t.Errorf("a ninth less on eleven tasks, of one trial each: %+v", d)
	}
}

// TestLeadersAreToldApartAsTheTableSays: the warning rests on the paired test, as
// the mark in the table does, not on intervals that happen to overlap.
func TestLeadersAreToldApartAsTheTableSays(t *testing.T) {
	first := func(n map[string]int) func(trial.Trial) *trial.Outcome {
		return func(tr trial.Trial) *trial.Outcome {
			if int(tr.Task[0]-'a') < n[tr.Model] {
				return reporttest.Outcome(trial.Pass)
			}
			return reporttest.Outcome(trial.Fail)
		}
	}
	run := trial.Run{Models: []string{"a", "b"}, Tasks: reporttest.Tasks(14)}
	r := reporttest.Script(t, run, 1, first(map[string]int{"b": 6})).Report()
	if a, b := r.Models[0], r.Models[1]; !b.Delta.Significant || a.Interval.Hi < b.Interval.Lo || reporttest.Warns(r,
		"not told apart") {
		t.Errorf("%+v, %v and %v: %q", b.Delta, a.Interval, b.Interval, r.Warnings)
	}
	if r := reporttest.Script(t, run, 1, first(map[string]int{"b": 5})).Report(); !reporttest.Warns(r,
		"b and a, are not told apart: paired by task, p=.06") {
		t.Errorf("five of 14 are noise: %q", r.Warnings)
	}
	// Neither is the baseline: six tasks would do for a pair that was chosen
	// beforehand, three pairs ask for more.
	run.Models = []string{"none", "b", "c"}
	if r := reporttest.Script(t, run, 1, first(map[string]int{"b": 7, "c": 13})).Report(); !reporttest.Warns(r,
		"c and b, are not told apart: paired by task, p=.09") {
		t.Errorf("%q", r.Warnings)
	}
	if r := reporttest.Script(t, run, 1, first(map[string]int{"b": 6, "c": 14})).Report(); reporttest.Warns(r,
		"not told apart") {
		t.Errorf("%q", r.Warnings)
	}
}

// TestNothingJudges: trials of a task without a check broke nothing, as in a shoot-out, whose user is the judge.
func TestNothingJudges(t *testing.T) {
	r := reporttest.Script(t, trial.Run{Models: []string{"m"}, Tasks: reporttest.Tasks(1)}, 1,
		func(trial.Trial) *trial.Outcome {
			o := reporttest.Outcome(trial.Void)
			o.Cause, o.Detail = trial.CauseVerifier, trial.NothingJudges
			return o
		}).Report()
	const want = "Nothing can be said of any model: no check, verify block or success criterion judges what they did."
	if r.Answer != want {
		t.Errorf("%q", r.Answer)
	}
}

// TestAVoidSaysWhy: who misspells a model reads so under the table; what a void
// used is in no cost, so nothing is missing from it either.
func TestAVoidSaysWhy(t *testing.T) {
	r := reporttest.Script(t, trial.Run{Models: []string{"m"}, Tasks: reporttest.Tasks(4)}, 1,
		func(tr trial.Trial) *trial.Outcome {
			o := reporttest.Outcome(trial.Void)
			o.Cause, o.Counters.Lost = trial.CauseProvider, 6
			o.Detail = "asking m: status 404: no such model\nhint: check the model's name"
			switch tr.Task {
			case "a":
				o.Detail = "asking m: status 500"
			case "d":
				return reporttest.Outcome(trial.Pass)
			}
			return o
		}).Report()
	if !reporttest.Warns(r,
		"3 of 4 trials void (provider 3): its rate lies between 25% and 100%, however they would have ended; most "+
			"often: asking m: status 404: no such model") || reporttest.Warns(r, "hint") ||
		reporttest.Warns(r, "broke off") {
		t.Errorf("%q", r.Warnings)
	}
}

// TestWhatBrokeOffMayBePaidFor: what is known of it is a bound for a cost that
// is known, and no bound for a number.Dash.
func TestWhatBrokeOffMayBePaidFor(t *testing.T) {
	r := reporttest.Script(t, trial.Run{Models: []string{"known", "unknown"}, Tasks: reporttest.Tasks(1)}, 1,
		func(tr trial.Trial) *trial.Outcome {
			o := reporttest.Outcome(trial.Pass)
			o.Counters.Lost, o.LostUSD = 2, 0.5
			if tr.Model == "unknown" {
				o.CostUSD = nil
			}
			return o
		}).Report()
	if !reporttest.Warns(r, "known: replies that broke off: 2; its cost is a lower bound, by $0.5000 or more") ||
		!reporttest.Warns(r, "unknown: replies that broke off: 2; what they used is not in its tokens and cost") {
		t.Errorf("%q", r.Warnings)
	}
}

func TestWarnings(t *testing.T) {
	r := reporttest.Fold(t, "mixed")
	for _, part := range []string{"not admitted", "1 of 7 trials void (provider 1)", "rest on a weak check",
		"other-model-7b answered", "cannot fail", "not told apart"} {
		if !reporttest.Warns(r, part) {
			t.Errorf("no warning says %q: %q", part, r.Warnings)
		}
	}
	if reporttest.Warns(r, "gpt-5-mini-2026-08-07") {
		t.Error("a dated name of the same model is no mismatch")
	}
}

func TestWhatAFixRestsOn(t *testing.T) {
	held := func(check string, s trial.Strength) trial.Verdict {
		return trial.Verdict{Check: check, Status: trial.Held, Strength: s}
	}
	asked := func(v trial.Verdict, by ...trial.Witness) trial.Verdict {
		for _, w := range by {
			v.Witnesses = append(v.Witnesses, trial.Testimony{Witness: w, Status: trial.Held})
		}
		return v
	}
	check := func(want report.Strength, vs ...trial.Verdict) {
		t.Helper()
		if got := (report.Trial{Outcome: trial.Outcome{Status: trial.Pass, Verdicts: vs}}).Strength(); got != want {
			t.Errorf("%v: %s, not %s", vs, got, want)
		}
	}
	check(report.Weak, held("guard", ""), held("verify[0]", trial.StrengthRuns), held("verify[1]", trial.StrengthLive))
	check(report.Output, held("verify[0]", trial.StrengthRuns), held("verify[1]", trial.StrengthVersion))
	check(report.Output, held("verify[0]", trial.StrengthOutput), held("after", trial.StrengthLive))
	check(report.Behaviour, held("verify[0]", trial.StrengthOutput), held("recipe.verify[0]", trial.StrengthFunctional))
	check(report.Behaviour, held("after", ""), held("verify[0]", trial.StrengthRuns))
	check(report.Behaviour, asked(held("after[1]", ""), trial.Stranger, trial.Referee))
	check(report.Weak, asked(held("after[1]", ""), trial.Stranger))
	check(report.Behaviour, held("after", ""), held("after control", ""))
	check(report.Weak, held("after", ""), held("after names", trial.StrengthNames))
	check(report.Behaviour, held("after[0]", ""), held("after[1]", ""), held("after[1] names", trial.StrengthNames))
	check(report.Weak, held("criterion[0] run", ""), held("criterion[0] run names", trial.StrengthNames))
	check(report.Behaviour, held("criterion[0] run", ""))
	check(report.Output, held("criterion[0] file_contains", ""))
	check(report.Weak, held("guard[0]", ""), held("protect", ""), held("criterion[2] contains", ""))
	check(report.Weak, held("verify[0]", trial.StrengthLive),
		trial.Verdict{Check: "verify[1]", Status: trial.NotHeld, Strength: trial.StrengthFunctional})
	check(report.Weak)
	if got := (report.Trial{Outcome: trial.Outcome{Status: trial.Fail,
		Verdicts: []trial.Verdict{held("after", "")}}}).Strength(); got != "" {
		t.Errorf("a fail rests on %s", got)
	}
}

// TestControlLeftOut: a task whose tests have no control is named once, with why.
func TestControlLeftOut(t *testing.T) {
	r := reporttest.Script(t, trial.Run{Models: []string{"m", "n"}, Tasks: reporttest.Tasks(1)}, 2,
		func(trial.Trial) *trial.Outcome {
			o := reporttest.Outcome(trial.Pass)
			o.Verdicts = []trial.Verdict{{Check: "after", Status: trial.Held},
				{Check: "after names", Status: trial.Held, Strength: trial.StrengthNames, Detail: "because"}}
			return o
		}).Report()
	n := 0
	for _, w := range r.Warnings {
		if strings.Contains(w, "after: the control was left out, tests are known by name alone: because") {
			n++
		}
	}
	if n != 1 || !reporttest.Warns(r, "m: 2 of 2 fixed rest on a weak check only") {
		t.Errorf("%q", r.Warnings)
	}
}

// Events may come from many goroutines, and a report may be asked for meanwhile.
func TestConcurrentUse(t *testing.T) {
	b := report.New()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			id := string(rune('a' + i))
			_ = b.Emit(trial.Event{Kind: trial.TrialStarted, Trial: id, Start: &trial.Trial{Model: "m", Task: id}})
			_ = b.Report()
			_ = b.Emit(trial.Event{Kind: trial.TrialFinished, Trial: id, Outcome: reporttest.Outcome(trial.Pass)})
		})
	}
	wg.Wait()
	if m := b.Report().Models[0]; m.Pass != 8 {
		t.Errorf("%d of 8", m.Pass)
	}
}

// A report of a report asked for earlier must not change with later events.
func TestReportIsAValue(t *testing.T) {
	b := report.New()
	data, err := os.ReadFile(reporttest.Journal(t, "mixed"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	half := bytes.Join(lines[:len(lines)/2], nil)
	if _, err := trial.Read(bytes.NewReader(half), b.Emit); err != nil {
		t.Fatal(err)
	}
	r := b.Report()
	before := written(t, "json", r, formats.Options{})
	if _, err := trial.Read(bytes.NewReader(bytes.Join(lines[len(lines)/2:], nil)), b.Emit); err != nil {
		t.Fatal(err)
	}
	if written(t, "json", r, formats.Options{}) != before {
		t.Error("later events changed an earlier report")
	}
	if written(t, "json", b.Report(), formats.Options{}) != written(t, "json", reporttest.Fold(t, "mixed"),
		formats.Options{}) {
		t.Error("a fold in two halves is not the fold of the whole")
	}
}

// FuzzFold: no journal, however strange, may make the fold or a format panic.
func FuzzFold(f *testing.F) {
	for _, name := range []string{"mixed", "repeats", "interrupted"} {
		data, err := os.ReadFile(reporttest.Journal(f, name))
		if err != nil {
			f.Fatal(err)
		}
		lines := bytes.SplitAfter(data, []byte("\n"))
		f.Add(bytes.Join(append(lines[:1:1], lines[len(lines)-4:]...), nil))
	}
	f.Add([]byte(oneline.Of(`{"kind":"run.started","run":{
		"trials":[{"id":"x","n":2000000000,"model":"m","task":"t"}],"confidence":-1}}`) + "\n" +
		oneline.Of(`{"kind":"trial.finished","trial":"x","attempt":-3,
			"outcome":{"status":"pass","seconds":{"agent":1e308},"cost_usd":1e308}}`)))
	f.Add([]byte(`{"kind":"run.started"}` + "\n" + `{"kind":"trial.started","trial":"x"}` + "\n" +
		`{"kind":"trial.finished","trial":"y","outcome":{"status":"odd"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := report.New()
		_, _ = trial.Read(bytes.NewReader(data), b.Emit)
		r := b.Report()
		for _, format := range formats.Formats() {
			var out bytes.Buffer
			if err := formats.Write(&out, format, r, formats.Options{Width: 80}); err != nil {
				t.Fatalf("%s: %v", format, err)
			}
		}
		gates.ExitCode(r, gates.Set{FailUnder: []gates.MinRate{{Rate: 0.5}}, MaxVoid: new(1)})
	})
}

func written(t *testing.T, format string, r *report.Report, o formats.Options) string {
	t.Helper()
	var b strings.Builder
	if err := formats.Write(&b, format, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
