package report

import (
	"strings"
	"testing"

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
	r.Gates = Gates{FailUnder: []FailUnder{{0.5, "baseline/noop"}, {0.5, "lab/模型-大"}, {0.5, "openai/gpt-6"}}, MaxVoid: new(1)}.Check(r)
	out := write(t, "table", r, Options{Width: 80})
	for _, part := range []string{
		"✗ --fail-under for baseline/noop does not hold: 0 of 7 fixed, at least 50% asked for", "✓ --fail-under for lab/模型-大 holds",
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
