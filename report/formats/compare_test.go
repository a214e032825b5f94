package formats

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/compare"
	"cookoff/report/reporttest"
	"cookoff/trial"
)

func compared(t *testing.T, rs ...*report.Report) *compare.Result {
	t.Helper()
	var sides []compare.Side
	for _, r := range rs {
		sides = append(sides, compare.Side{Name: r.Run.ID, Report: r})
	}
	c, err := compare.Runs(sides, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompareTellsALossFromChance(t *testing.T) {
	a := reporttest.RunOf(t, "x", 12, map[string]int{"m": 12, "other": 6})
	b := reporttest.RunOf(t, "x", 12, map[string]int{"m": 2, "other": 5})
	c := compared(t, a, b)
	m, other := c.Changes[0], c.Changes[1]
	if !m.Regression() || m.Delta.Tasks != 12 ||
		m.Was.Pass != 12 || m.Now.Pass != 2 || math.Abs(m.Delta.Diff+10./12) > 1e-12 {
		t.Errorf("ten of twelve lost: %+v", m)
	}
	if want := 2. * 2 / 1024; math.Abs(m.Delta.P-want) > 1e-12 { // exact McNemar 2^-9, Holm for two
		t.Errorf("p %v, want %v", m.Delta.P, want)
	}
	if other.Regression() || other.Delta.P != 1 {
		t.Errorf("one of twelve lost: %+v", other)
	}
	if len(c.Tasks) != 11 || len(c.Notes) != 0 {
		t.Errorf("%d changed tasks, notes %q", len(c.Tasks), c.Notes)
	}
	if back := compared(t, b, a).Changes[0]; back.Regression() || !back.Delta.Significant {
		t.Errorf("a gain is no regression: %+v", back)
	}
}

// A trial that is void, or that one run lacks, is paired with nothing.
func TestComparePairsOnlyWhatBothJudged(t *testing.T) {
	a := reporttest.RunOf(t, "x", 4, map[string]int{"m": 4})
	run := trial.Run{ID: "b", Digest: "y", Models: []string{"m", "new"},
		Tasks: append(reporttest.Tasks(3), "z"), Confidence: 0.95}
	b := reporttest.Script(t, run, 2, func(tr trial.Trial) *trial.Outcome {
		return reporttest.Outcome(map[string]trial.Status{"a": trial.Pass,
			"b": trial.Void, "c": trial.Fail, "z": trial.Fail}[tr.Task])
	}).Report()
	c := compared(t, a, b)
	if len(c.Changes) != 1 || c.Changes[0].Delta.Tasks != 2 || c.Changes[0].Now.Judged != 4 ||
		c.Changes[0].Delta.Test != "sign_flip" {
		t.Fatalf("%+v", c.Changes)
	}
	if len(c.Tasks) != 1 || c.Tasks[0].Task != "c" {
		t.Errorf("changed: %+v", c.Tasks)
	}
	for _, part := range []string{"another recipe than A (y, not x)", "B has 4 void trials",
		"only in A, and left out: other", "only in B, and left out: new", "1 task (z)", "too few tasks: "} {
		if !strings.Contains(strings.Join(c.Notes, "\n"), part) {
			t.Errorf("no note with %q in %q", part, c.Notes)
		}
	}
}

func TestCompareNothing(t *testing.T) {
	a := reporttest.RunOf(t, "x", 2, nil)
	for _, sides := range [][]compare.Side{nil, {{Name: "a", Report: a}},
		{{Name: "a", Report: a}, {Name: "b", Report: report.New().Report()}}} {
		if c, err := compare.Runs(sides, 0); err == nil {
			t.Errorf("%d runs: %+v", len(sides), c)
		}
	}
}

// The same comparison comes from journals and from the JSON reports of them, and
// hostile names do no harm in any format.
func TestCompareFormats(t *testing.T) {
	read := func(r *report.Report) *report.Report {
		var b bytes.Buffer
		if err := JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		got, ok, err := ReadJSON(b.Bytes())
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		return got
	}
	a, b := reporttest.Fold(t, "mixed"), reporttest.Fold(t, "mixed")
	for i := range b.Trials { // what noop did not fix, it does now
		if b.Trials[i].Model == b.Models[0].Name && b.Trials[i].Outcome.Status == trial.Fail {
			b.Trials[i].Outcome.Status = trial.Pass
		}
	}
	for _, format := range ComparisonFormats() {
		var x, y bytes.Buffer
		if err := WriteComparison(&x, format, compared(t, a, b), Options{Width: 80}); err != nil {
			t.Fatal(err)
		}
		if err := WriteComparison(&y, format, compared(t, read(a), read(b)), Options{Width: 80}); err != nil {
			t.Fatal(err)
		}
		if x.String() != y.String() {
			t.Errorf("%s from JSON reports differs:\n%s\n%s", format, x.String(), y.String())
		}
		if strings.ContainsAny(x.String(), "\x1b\x07\u202e") {
			t.Errorf("%s holds what a terminal acts on: %q", format, x.String())
		}
		if format == "json" && !json.Valid(x.Bytes()) {
			t.Error("no JSON")
		}
		if format == "table" {
			for line := range strings.Lines(x.String()) {
				if w := text.Width(strings.TrimSuffix(line, "\n")); w > 80 {
					t.Errorf("%d columns: %s", w, line)
				}
			}
		}
		golden(t, "compare."+format, x.Bytes())
	}
}

// However many runs and however narrow the terminal: no row is wrapped.
func TestACompareTableFits(t *testing.T) {
	a, b := reporttest.Fold(t, "mixed"), reporttest.Fold(t, "mixed")
	for i := range b.Trials {
		if o := &b.Trials[i].Outcome; o.Status == trial.Fail {
			o.Status = trial.Pass
		} else {
			o.Status, o.Cause = trial.Fail, trial.CauseCollateral
		}
	}
	for _, sides := range [][]*report.Report{{a, b}, {a, b, b, a, b}, {b, a, b, a, a, b, a, b, b}} {
		for _, columns := range []int{120, 80, 60} {
			var x bytes.Buffer
			if err := WriteComparison(&x, "table", compared(t, sides...), Options{Width: columns}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(x.String()) {
				if w := text.Width(strings.TrimSuffix(line, "\n")); w > columns {
					t.Errorf("%d runs: %d columns where there are %d: %s", len(sides), w, columns, line)
				}
			}
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(`{"schema":"cookoff.report/1","confidence":0.9,"trials":[{"model":"m","task":"t","status":"pass"}]}`))
	f.Add([]byte(`{"schema":"cookoff.report/2"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, ok, err := ReadJSON(b)
		if (r != nil) != (ok && err == nil) {
			t.Errorf("%v, %v, %v", r, ok, err)
		}
		if r != nil {
			if c, err := compare.Runs([]compare.Side{{Name: "a", Report: r}, {Name: "b", Report: r}}, 0); err == nil {
				WriteComparison(&bytes.Buffer{}, "table", c, Options{Width: 40})
			}
		}
	})
}
