package report_test

import (
	"strings"
	"testing"

	"cookoff/report/reporttest"
	"cookoff/trial"
)

// TestModelsAreToldApartBeforeControls: where a model was run, the warning is about
// models, or about the only one and the baseline, whatever controls come to.
func TestModelsAreToldApartBeforeControls(t *testing.T) {
	check := func(models []string, fixes map[string]int, want string) {
		t.Helper()
		run := trial.Run{Models: models, Tasks: reporttest.Tasks(4), Baseline: "baseline/noop"}
		r := reporttest.Script(t, run, 1, func(tr trial.Trial) *trial.Outcome {
			n, judged := fixes[tr.Model]
			switch {
			case !judged:
				return &trial.Outcome{Status: trial.Void, Cause: trial.CauseProvider}
			case int(tr.Task[0]-'a') < n:
				return reporttest.Outcome(trial.Pass)
			}
			return reporttest.Outcome(trial.Fail)
		}).Report()
		got := ""
		for _, w := range r.Warnings {
			if head, _, told := strings.Cut(w, " are not told apart"); told {
				got += head
			}
		}
		if got != want {
			t.Errorf("%q fixed %v: %q, want %q; all: %q", models, fixes, got, want, r.Warnings)
		}
	}
	const noop, oracle = "baseline/noop", "baseline/oracle"
	check([]string{noop, oracle, "lab/a", "lab/b"}, map[string]int{noop: 0, oracle: 4, "lab/a": 2, "lab/b": 1},
		"the two highest rates of models, lab/a and lab/b,")
	check([]string{noop, "lab/a", "lab/b"}, map[string]int{noop: 0, "lab/a": 2, "lab/b": 1},
		"the two highest rates, lab/a and lab/b,")
	check([]string{noop, oracle, "lab/a"}, map[string]int{noop: 0, oracle: 4, "lab/a": 1}, "lab/a and baseline/noop")
	check([]string{noop, "lab/a"}, map[string]int{noop: 0, "lab/a": 1},
		"the two highest rates, lab/a and baseline/noop,")
	check([]string{noop, oracle, "lab/a"}, map[string]int{noop: 0, oracle: 4}, "")
	check([]string{noop, oracle}, map[string]int{noop: 0, oracle: 4},
		"the two highest rates, baseline/oracle and baseline/noop,")
}
