package history

import (
	"fmt"
	"testing"

	"cookoff/report"
	"cookoff/trial"
)

// run is a report of one model that fixes the first pass of ten tasks.
func run(id, recipe, model string, pass int) *report.Report {
	r := &report.Report{Run: trial.Run{ID: id, Recipe: recipe, Version: "v" + id}}
	for i := range 10 {
		status := trial.Fail
		if i < pass {
			status = trial.Pass
		}
		r.Trials = append(r.Trials, report.Trial{Trial: trial.Trial{Model: model, Task: fmt.Sprint("task ", i), N: 1},
			Outcome: trial.Outcome{Status: status}})
	}
	r.Models = []report.Model{{Name: model, Pass: pass, Fail: 10 - pass, Rate: float64(pass) / 10}}
	return r
}

func TestChange(t *testing.T) {
	var reports []*report.Report
	for i, pass := range []int{9, 10, 9, 1, 0, 1} {
		reports = append(reports, run(fmt.Sprint(i), "x", "lab/a", pass), run(fmt.Sprint(i), "x", "lab/b", 5))
	}
	all := Of(reports, 0.05)
	if len(all) != 2 || len(all[0].Runs) != 6 {
		t.Fatalf("%+v", all)
	}
	c := all[0].Changed
	if c == nil || c.Run != "3" || c.Tasks != 10 || c.Diff > -0.8 {
		t.Errorf("lab/a, which got worse with run 3: %+v", c)
	}
	if all[1].Changed != nil {
		t.Errorf("lab/b, which never changed: %+v", all[1].Changed)
	}
}

// Runs of another recipe are no earlier state of the same thing.
func TestOtherRecipes(t *testing.T) {
	reports := []*report.Report{run("0", "easy", "lab/a", 10), run("1", "easy", "lab/a", 10),
		run("2", "hard", "lab/a", 0), run("3", "hard", "lab/a", 0)}
	if c := Of(reports, 0.05)[0].Changed; c != nil {
		t.Errorf("a harder recipe is called a change: %+v", c)
	}
	if got := Of(nil, 0.05); len(got) != 0 {
		t.Errorf("of no runs: %+v", got)
	}
}
