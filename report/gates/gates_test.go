package gates_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/report"
	"cookoff/report/compare"
	"cookoff/report/formats"
	"cookoff/report/gates"
	"cookoff/report/reporttest"
	"cookoff/trial"
)

func TestExitCodes(t *testing.T) {
	run := trial.Run{Models: []string{"good", "bad"}, Tasks: reporttest.Tasks(4)}
	mostly := func(tr trial.Trial) *trial.Outcome {
		switch {
		case tr.Task == "d":
			return reporttest.Outcome(trial.Void)
		case tr.Model == "good":
			return reporttest.Outcome(trial.Pass)
		}
		return reporttest.Outcome(trial.Fail)
	}
	r := reporttest.Script(t, run, 1, mostly).Report()
	check := func(what string, r *report.Report, g gates.Set, want int) {
		t.Helper()
		if got := gates.ExitCode(r, g); got != want {
			t.Errorf("%s: exit %d, want %d", what, got, want)
		}
	}
	all := func(s trial.Status) *report.Report {
		return reporttest.Script(t, run, 1, func(trial.Trial) *trial.Outcome { return reporttest.Outcome(s) }).Report()
	}
	check("no gates", r, gates.Set{}, 0)
	check("a fail is a result", all(trial.Fail), gates.Set{}, 0)
	check("good holds", r, gates.Set{FailUnder: []gates.MinRate{{Rate: 1, Model: "good"}}}, 0)
	check("every model", r, gates.Set{FailUnder: []gates.MinRate{{Rate: 0.5}}}, 1)
	check("unknown model", r, gates.Set{FailUnder: []gates.MinRate{{Rate: 0, Model: "godo"}}}, 1)
	check("voids allowed", r, gates.Set{MaxVoid: new(2)}, 0)
	check("too many voids", r, gates.Set{MaxVoid: new(1)}, 3)
	check("voids weigh more than a rate", r,
		gates.Set{FailUnder: []gates.MinRate{{Rate: 0.5, Model: "bad"}}, MaxVoid: new(0)}, 3)
	voids := func(other string) *report.Report {
		run := trial.Run{Models: []string{other, "bad"}, Tasks: reporttest.Tasks(4)}
		return reporttest.Script(t, run, 1, func(tr trial.Trial) *trial.Outcome {
			if tr.Model == "bad" {
				return reporttest.Outcome(trial.Void)
			}
			return reporttest.Outcome(trial.Pass)
		}).Report()
	}
	check("one model was judged", voids("good"), gates.Set{}, 0)
	check("baselines alone were judged", voids("baseline/oracle"), gates.Set{}, 3)
	check("baselines alone were judged, which is allowed", voids("baseline/oracle"), gates.Set{MaxVoid: new(4)}, 0)
	check("all void", all(trial.Void), gates.Set{}, 3)
	check("all void, all allowed", all(trial.Void), gates.Set{MaxVoid: new(99)}, 3)
	check("a rate of 0 is not met by nothing", all(trial.Void), gates.Set{FailUnder: []gates.MinRate{{Rate: 0}}},
		3)
	check("interrupted", reporttest.Fold(t, "interrupted"), gates.Set{}, 130)
	check("not ended", report.New().Report(), gates.Set{}, 130)
	b := reporttest.Script(t, run, 1, mostly)
	reporttest.Emit(t, b, trial.Event{Kind: trial.RunFinished, End: &trial.End{Error: "the disk is full"}})
	check("could not go on", b.Report(), gates.Set{}, 3)
	empty := report.New()
	reporttest.Emit(t, empty, trial.Event{Kind: trial.RunStarted, Run: &trial.Run{}})
	reporttest.Emit(t, empty, trial.Event{Kind: trial.RunFinished, End: &trial.End{}})
	check("zero trials", empty.Report(), gates.Set{}, 3)
}

// What gates print must agree with the exit code.
func TestGatesSayWhy(t *testing.T) {
	r := reporttest.Fold(t, "mixed")
	r.Gates = gates.Set{FailUnder: []gates.MinRate{{0.5, "baseline/noop"},
		{0.5, "lab/模型-大"}, {0.5, "openai/gpt-6"}},
		MaxVoid: new(1)}.Check(r)
	var b strings.Builder
	if err := formats.Write(&b, "table", r, formats.Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	for _, part := range []string{
		"✗ --fail-under for baseline/noop does not hold: 0 of 7 fixed, at least 50% asked for",
		"✓ --fail-under for lab/模型-大 holds",
		`no model "openai/gpt-6" in this run`, "✓ --max-void holds: 1 trial void, at most 1 allowed",
	} {
		if !strings.Contains(strings.ReplaceAll(out, "\n  ", " "), part) {
			t.Errorf("%q is not in\n%s", part, out)
		}
	}
}

func TestParseMinRate(t *testing.T) {
	good := func(s string, want gates.MinRate) {
		t.Helper()
		if got, err := gates.ParseMinRate(s); err != nil || got != want {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
	}
	good("0.8", gates.MinRate{Rate: 0.8})
	good("80%", gates.MinRate{Rate: 0.8})
	good("1:local/llama3:8b", gates.MinRate{1, "local/llama3:8b"})
	for _, s := range []string{"", "80", "-0.1", "NaN", "x", "0.5:", "200%", "inf"} {
		if got, err := gates.ParseMinRate(s); err == nil || !strings.Contains(err.Error(), "hint:") {
			t.Errorf("%q is taken for %+v (%v)", s, got, err)
		}
	}
}

func FuzzParseMinRate(f *testing.F) {
	f.Add("0.8:openai/gpt-5")
	f.Add("80%")
	f.Fuzz(func(t *testing.T, s string) {
		if g, err := gates.ParseMinRate(s); err == nil && !(g.Rate >= 0 && g.Rate <= 1) {
			t.Errorf("%q gives %v", s, g.Rate)
		}
	})
}

func TestLowerBoundIsStricterThanTheRate(t *testing.T) {
	r := reporttest.Fold(t, "mixed")
	check := func(model string, rate float64, held bool, why string) {
		t.Helper()
		res := gates.Set{MinLower: []gates.MinRate{{rate, model}}}.Check(r)
		if len(res) != 1 || res[0].Gate != "min-lower-bound" || res[0].Held != held ||
			!strings.Contains(res[0].Why, why) {
			t.Errorf("%+v", res)
		}
	}
	check("lab/模型-大", 0.6, true, "100% is [65-100]")
	check("lab/模型-大", 0.7, false, "lower end is to be 70% at least")
	check("openai/gpt-6", 0, false, "no model")
	if code := gates.ExitCode(r, gates.Set{MinLower: []gates.MinRate{{Rate: 0.7}}}); code != 1 {
		t.Errorf("exit %d", code)
	}
}

// Only what is worse by more than chance explains fails.
func TestAgainst(t *testing.T) {
	was := reporttest.RunOf(t, "x", 12, map[string]int{"m": 12, "other": 6})
	check := func(what string, now *report.Report, alpha float64, want int) {
		t.Helper()
		g := gates.Set{Against: &gates.Against{compare.Side{Name: "main.json", Report: was}, alpha}}
		res := g.Check(now)
		if got := gates.ExitCode(now, g); got != want {
			t.Errorf("%s: exit %d, want %d: %+v", what, got, want, res)
		}
	}
	check("the same", was, 0, 0)
	check("a little worse", reporttest.RunOf(t, "x", 12, map[string]int{"m": 9, "other": 6}), 0, 0)
	check("much worse", reporttest.RunOf(t, "x", 12, map[string]int{"m": 2, "other": 6}), 0, 1)
	check("much worse, at a level that nothing meets",
		reporttest.RunOf(t, "x", 12, map[string]int{"m": 2, "other": 6}), 1e-6, 0)
	check("much better", reporttest.RunOf(t, "x", 12, map[string]int{"m": 12, "other": 12}), 0, 0)
	other := reporttest.Script(t, trial.Run{Models: []string{"new"}, Tasks: reporttest.Tasks(3)}, 1,
		func(trial.Trial) *trial.Outcome { return reporttest.Outcome(trial.Pass) }).Report()
	check("nothing to compare", other, 0, 1)

	run := func(digest, model string) *report.Report {
		return reporttest.Script(t, trial.Run{Models: []string{"m", model}, Tasks: reporttest.Tasks(3), Digest: digest},
			1, func(trial.Trial) *trial.Outcome { return reporttest.Outcome(trial.Pass) }).Report()
	}
	var said []string
	for _, res := range (gates.Set{Against: &gates.Against{compare.Side{Name: "main.json", Report: run("x", "old")},
		0.05}}).Check(run("y", "new")) {
		said = append(said, fmt.Sprint(res.Model, " ", res.Held, " ", res.Why))
	}
	want := []string{"m true 3 of 3 fixed, 3 of 3 in main.json, of another recipe (p=1; it fails at 0.05)",
		"new true not compared: no task was judged with it in both runs",
		"old true not compared: no task was judged with it in both runs"}
	if d := cmp.Diff(want, said); d != "" {
		t.Error(d)
	}
}

func TestSpentBudgetHasItsOwnExitCode(t *testing.T) {
	b := reporttest.Script(t, trial.Run{Models: []string{"m"}, Tasks: reporttest.Tasks(2)}, 1,
		func(trial.Trial) *trial.Outcome { return reporttest.Outcome(trial.Pass) })
	reporttest.Emit(t, b, trial.Event{Kind: trial.RunFinished, End: &trial.End{Error: "no money", Budget: true}})
	if r := b.Report(); r.State != report.Spent || gates.ExitCode(r, gates.Set{}) != 4 || !reporttest.Warns(r,
		"stopped after 2 of 2 trials: no money") {
		t.Errorf("%s, exit %d, %q", r.State, gates.ExitCode(r, gates.Set{}), r.Warnings)
	}
}

// TestMinStrength: a pass that rests on less fails the gate, and one does not
// where nothing was fixed.
func TestMinStrength(t *testing.T) {
	r := reporttest.Script(t, trial.Run{Models: []string{"m", "none"}, Tasks: reporttest.Tasks(2)}, 1,
		func(tr trial.Trial) *trial.Outcome {
			if tr.Model == "none" {
				return reporttest.Outcome(trial.Fail)
			}
			o := reporttest.Outcome(trial.Pass)
			o.Verdicts = []trial.Verdict{{Check: "verify[0]", Status: trial.Held, Strength: trial.StrengthVersion}}
			return o
		}).Report()
	for strength, want := range map[report.Strength]int{report.Output: 0, report.Behaviour: 1} {
		if code := gates.ExitCode(r, gates.Set{Strength: strength}); code != want {
			t.Errorf("%s: exit code %d, not %d", strength, code, want)
		}
	}
	res := gates.Set{Strength: report.Behaviour}.Check(r)
	if len(res) != 2 || res[0].Held || !strings.Contains(res[0].Why, "2 of 2 fixed rest on less than behaviour") ||
		!strings.Contains(res[0].Why, "output") || !res[1].Held {
		t.Errorf("%+v", res)
	}
	for _, s := range []string{"weak", "", "Behaviour"} {
		if _, err := report.ParseStrength(s); err == nil || !strings.Contains(err.Error(), "hint:") {
			t.Errorf("%q: %v", s, err)
		}
	}
}
