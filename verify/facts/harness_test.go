package facts

import (
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/verify/verifytest"
)

// TestHarnessFacts runs contracts that fooled the system they come from.
func TestHarnessFacts(t *testing.T) {
	type row struct {
		Name           string
		Setup, Command string
		Before         string `json:"before_check"`
		After          string `json:"after_check"`
		Desired        string `json:"desired_verdict"`
	}
	// Where our phases are named otherwise than desired_verdict says.
	dev := deviations{
		"before '|| true' is vacuous": "before exits 0; what shows that nothing is broken is after, " +
			"which holds already",
		"fix fails on left of && (set -e blind)": "after is vacuous: found on the broken state, before the fix runs",
		"setup contains exit 0 -> nothing runs": "a process of its own: exit 0 is a setup that worked, and before " +
			"says that nothing is broken",
		"collateral damage unnoticed": "collateral damage is what guard and protect say it is: see " +
			"TestHarnessCollateral",
	}
	for _, r := range facts[row](t, "envdoctor-harness-cases.jsonl") {
		task := recipe.Task{Title: r.Name, Setup: r.Setup, Before: r.Before, After: verifytest.One(r.After),
			Solution: r.Command}
		got := "pass"
		if why := verifytest.Admitted(t, recipe.Recipe{}, task); why != "" {
			phase, _, _ := strings.Cut(why, ":")
			got = map[string]string{"setup": "error:setup", "before": "fail:precondition", "solution": "fail:fix",
				"after": "fail:after", "again": "fail:idempotence"}[phase]
		}
		want := r.Desired
		switch want {
		case "fail", "fail (state not persistent)": // no phase is asked for
			if got != "pass" {
				want = got
			}
		}
		if r.Desired != "pass" && got == "pass" && r.Name != "collateral damage unnoticed" {
			t.Errorf("%s: admitted", r.Name)
		}
		dev.check(t, r.Name, got == want, got+", want "+want)
	}
	dev.done(t)
}

func TestHarnessCollateral(t *testing.T) {
	task := recipe.Task{Title: "collateral", Setup: "echo keep>keep; rm -f f", Before: "! test -f f",
		After: verifytest.One("test -f f"), Solution: "rm -f keep; touch f", Protect: []string{"keep"}}
	if got := verifytest.Admitted(t, recipe.Recipe{},
		task); got != `protect: after the solution: protect: protected, but changed: "keep" (removed)` {
		t.Errorf("got %q", got)
	}
	task.Protect, task.Guard = nil, verifytest.One("test -f keep")
	if got := verifytest.Admitted(t, recipe.Recipe{}, task); got != "guard: after the solution: guard: exit status 1" {
		t.Errorf("got %q", got)
	}

}
