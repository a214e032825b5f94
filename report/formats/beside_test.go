package formats

import (
	"strings"
	"testing"

	"cookoff/report"
	"cookoff/report/reporttest"
	"cookoff/trial"
)

// What a trial that passed left beside its repair is said in every format for
// people, with a column where there is any; that of one that failed is not.
func TestSideEffects(t *testing.T) {
	aside := &trial.SideEffects{Count: 2, Paths: []string{"notes.txt", "~/x"}}
	run := trial.Run{Models: []string{"m"}, Tasks: []string{"a"}, Confidence: 0.95}
	r := reporttest.Script(t, run, 1, func(trial.Trial) *trial.Outcome {
		o := reporttest.Outcome(trial.Pass)
		o.SideEffects = aside
		return o
	}).Report()
	for _, format := range []string{"table", "junit", "markdown", "json", "csv"} {
		var b strings.Builder
		if err := Write(&b, format, r, Options{}); err != nil {
			t.Fatal(err)
		}
		want := "notes.txt"
		if format == "csv" {
			want = ",2,m,\n"
		}
		if text := strings.ReplaceAll(b.String(), `\`, ""); !strings.Contains(text, want) {
			t.Errorf("%s does not say it:\n%s", format, b.String())
		}
	}
	if !strings.Contains(headsOf(r), headBeside) {
		t.Errorf("no column %q in %q", headBeside, headsOf(r))
	}
	r.Trials[0].Outcome.Status = trial.Fail
	if strings.Contains(headsOf(r), headBeside) {
		t.Error("a column for a trial that fixed nothing")
	}
}

func headsOf(r *report.Report) string {
	var heads []string
	for _, c := range columns(r) {
		heads = append(heads, c.head)
	}
	return strings.Join(heads, " ")
}
