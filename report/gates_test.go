package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/trial"
)

func TestExitCodes(t *testing.T) {
	run := trial.Run{Models: []string{"good", "bad"}, Tasks: tasks(4)}
	mostly := func(tr trial.Trial) *trial.Outcome {
		switch {
		case tr.Task == "d":
			return outcome(trial.Void)
		case tr.Model == "good":
			return outcome(trial.Pass)
		}
		return outcome(trial.Fail)
	}
	r := script(t, run, 1, mostly).Report()
	check := func(what string, r *Report, g Gates, want int) {
		t.Helper()
		if got := ExitCode(r, g); got != want {
			t.Errorf("%s: exit %d, want %d", what, got, want)
		}
	}
	all := func(s trial.Status) *Report {
		return script(t, run, 1, func(trial.Trial) *trial.Outcome { return outcome(s) }).Report()
	}
	check("no gates", r, Gates{}, 0)
	check("a fail is a result", all(trial.Fail), Gates{}, 0)
	check("good holds", r, Gates{FailUnder: []FailUnder{{1, "good"}}}, 0)
	check("every model", r, Gates{FailUnder: []FailUnder{{0.5, ""}}}, 1)
	check("unknown model", r, Gates{FailUnder: []FailUnder{{0, "godo"}}}, 1)
	check("voids allowed", r, Gates{MaxVoid: new(2)}, 0)
	check("too many voids", r, Gates{MaxVoid: new(1)}, 3)
	check("voids weigh more than a rate", r, Gates{FailUnder: []FailUnder{{0.5, "bad"}}, MaxVoid: new(0)}, 3)
	check("all void", all(trial.Void), Gates{}, 3)
	check("all void, all allowed", all(trial.Void), Gates{MaxVoid: new(99)}, 3)
	check("a rate of 0 is not met by nothing", all(trial.Void), Gates{FailUnder: []FailUnder{{0, ""}}}, 3)
	check("interrupted", fold(t, "interrupted"), Gates{}, 130)
	check("not ended", New().Report(), Gates{}, 130)
	b := script(t, run, 1, mostly)
	emit(t, b, trial.Event{Kind: trial.RunFinished, End: &trial.End{Error: "the disk is full"}})
	check("could not go on", b.Report(), Gates{}, 3)
	empty := New()
	emit(t, empty, trial.Event{Kind: trial.RunStarted, Run: &trial.Run{}})
	emit(t, empty, trial.Event{Kind: trial.RunFinished, End: &trial.End{}})
	check("zero trials", empty.Report(), Gates{}, 3)
}

// What gates print must agree with the exit code.
func TestGatesSayWhy(t *testing.T) {
	r := fold(t, "mixed")
	r.Gates = Gates{FailUnder: []FailUnder{{0.5, "baseline/noop"}, {0.5, "lab/模型-大"}, {0.5, "openai/gpt-6"}},
		MaxVoid: new(1)}.Check(r)
	out := write(t, "table", r, Options{Width: 80})
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

func TestParseFailUnder(t *testing.T) {
	good := func(s string, want FailUnder) {
		t.Helper()
		if got, err := ParseFailUnder(s); err != nil || got != want {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
	}
	good("0.8", FailUnder{0.8, ""})
	good("80%", FailUnder{0.8, ""})
	good("1:local/llama3:8b", FailUnder{1, "local/llama3:8b"})
	for _, s := range []string{"", "80", "-0.1", "NaN", "x", "0.5:", "200%", "inf"} {
		if got, err := ParseFailUnder(s); err == nil || !strings.Contains(err.Error(), "hint:") {
			t.Errorf("%q is taken for %+v (%v)", s, got, err)
		}
	}
}

func FuzzParseFailUnder(f *testing.F) {
	f.Add("0.8:openai/gpt-5")
	f.Add("80%")
	f.Fuzz(func(t *testing.T, s string) {
		if g, err := ParseFailUnder(s); err == nil && !(g.Rate >= 0 && g.Rate <= 1) {
			t.Errorf("%q gives %v", s, g.Rate)
		}
	})
}

func TestLowerBoundIsStricterThanTheRate(t *testing.T) {
	r := fold(t, "mixed")
	check := func(model string, rate float64, held bool, why string) {
		t.Helper()
		res := Gates{MinLower: []FailUnder{{rate, model}}}.Check(r)
		if len(res) != 1 || res[0].Gate != "min-lower-bound" || res[0].Held != held || !strings.Contains(res[0].Why, why) {
			t.Errorf("%+v", res)
		}
	}
	check("lab/模型-大", 0.6, true, "100% is [65-100]")
	check("lab/模型-大", 0.7, false, "lower end is to be 70% at least")
	check("openai/gpt-6", 0, false, "no model")
	if code := ExitCode(r, Gates{MinLower: []FailUnder{{0.7, ""}}}); code != 1 {
		t.Errorf("exit %d", code)
	}
}

// Only what is worse by more than chance explains fails.
func TestAgainst(t *testing.T) {
	was := runOf(t, "x", 12, map[string]int{"m": 12, "other": 6})
	check := func(what string, now *Report, alpha float64, want int) {
		t.Helper()
		g := Gates{Against: &Against{Side{"main.json", was}, alpha}}
		res := g.Check(now)
		if got := ExitCode(now, g); got != want {
			t.Errorf("%s: exit %d, want %d: %+v", what, got, want, res)
		}
	}
	check("the same", was, 0, 0)
	check("a little worse", runOf(t, "x", 12, map[string]int{"m": 9, "other": 6}), 0, 0)
	check("much worse", runOf(t, "x", 12, map[string]int{"m": 2, "other": 6}), 0, 1)
	check("much worse, at a level that nothing meets", runOf(t, "x", 12, map[string]int{"m": 2, "other": 6}), 1e-6, 0)
	check("much better", runOf(t, "x", 12, map[string]int{"m": 12, "other": 12}), 0, 0)
	other := script(t, trial.Run{Models: []string{"new"}, Tasks: tasks(3)}, 1,
		func(trial.Trial) *trial.Outcome { return outcome(trial.Pass) }).Report()
	check("nothing to compare", other, 0, 1)

	run := func(digest, model string) *Report {
		return script(t, trial.Run{Models: []string{"m", model}, Tasks: tasks(3), Digest: digest}, 1,
			func(trial.Trial) *trial.Outcome { return outcome(trial.Pass) }).Report()
	}
	var said []string
	for _, res := range (Gates{Against: &Against{Side{"main.json", run("x", "old")}, 0.05}}).Check(run("y", "new")) {
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
	b := script(t, trial.Run{Models: []string{"m"}, Tasks: tasks(2)}, 1,
		func(trial.Trial) *trial.Outcome { return outcome(trial.Pass) })
	emit(t, b, trial.Event{Kind: trial.RunFinished, End: &trial.End{Error: "no money", Budget: true}})
	if r := b.Report(); r.State != Spent || ExitCode(r, Gates{}) != 4 || !warns(r,
		"stopped after 2 of 2 trials: no money") {
		t.Errorf("%s, exit %d, %q", r.State, ExitCode(r, Gates{}), r.Warnings)
	}
}

func TestSummaryLeavesOutWholeSections(t *testing.T) {
	r := fold(t, "mixed")
	whole := write(t, "markdown", r, Options{})
	text, left := Summary(r, len(whole))
	if string(text) != whole || left != nil {
		t.Errorf("it fits, but %q was left out", left)
	}
	last := len(whole)
	for limit := len(whole) - 1; limit >= 0; limit -= 7 {
		text, left := Summary(r, limit)
		if len(text) > limit || len(text) > last || len(left) == 0 {
			t.Fatalf("limit %d: %d bytes, left out %q", limit, len(text), left)
		}
		if len(text) > 0 && !strings.Contains(string(text), "_Left out, for want of room: the trials") {
			t.Fatalf("limit %d: does not say what is missing:\n%s", limit, text)
		}
		last = len(text)
	}
}

// TestMinStrength: a pass that rests on less fails the gate, and one does not
// where nothing was fixed.
func TestMinStrength(t *testing.T) {
	r := script(t, trial.Run{Models: []string{"m", "none"}, Tasks: tasks(2)}, 1, func(tr trial.Trial) *trial.Outcome {
		if tr.Model == "none" {
			return outcome(trial.Fail)
		}
		o := outcome(trial.Pass)
		o.Verdicts = []trial.Verdict{{Check: "verify[0]", Status: trial.Held, Strength: trial.StrengthVersion}}
		return o
	}).Report()
	for strength, want := range map[Strength]int{Output: 0, Behaviour: 1} {
		if code := ExitCode(r, Gates{Strength: strength}); code != want {
			t.Errorf("%s: exit code %d, not %d", strength, code, want)
		}
	}
	res := Gates{Strength: Behaviour}.Check(r)
	if len(res) != 2 || res[0].Held || !strings.Contains(res[0].Why, "2 of 2 fixed rest on less than behaviour") ||
		!strings.Contains(res[0].Why, "output") || !res[1].Held {
		t.Errorf("%+v", res)
	}
	for _, s := range []string{"weak", "", "Behaviour"} {
		if _, err := ParseStrength(s); err == nil || !strings.Contains(err.Error(), "hint:") {
			t.Errorf("%q: %v", s, err)
		}
	}
}
