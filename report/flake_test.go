package report

import (
	"fmt"
	"strings"
	"testing"

	"cookoff/trial"
)

// A task that one contestant fixes now and then is named; so is one whose own
// solution is not always taken.
func TestFlakes(t *testing.T) {
	r := &Report{Tasks: []string{"steady", "coin", "bare"},
		Models: []Model{{Name: oracle}, {Name: "lab/a"}}, State: Finished}
	try := func(model, task string, outcomes ...trial.Status) {
		for i, s := range outcomes {
			r.Trials = append(r.Trials, Trial{Trial: trial.Trial{Model: model, Task: task, N: i + 1},
				Outcome: trial.Outcome{Status: s}})
			if task == "bare" {
				r.Trials[len(r.Trials)-1].Outcome.Cause = trial.CauseGaveUp
			}
		}
	}
	try("lab/a", "steady", trial.Pass, trial.Pass, trial.Pass, trial.Pass)
	try("lab/a", "coin", trial.Pass, trial.Fail, trial.Fail, trial.Void)
	try(oracle, "coin", trial.Pass, trial.Fail)
	try(oracle, "steady", trial.Pass)
	try(oracle, "bare", trial.Fail)
	got := Flakes(r)
	if len(got) != 2 || got[0] != (Flake{"coin", 0.75, 4}) || got[1] != (Flake{"steady", 0, 6}) {
		t.Errorf("%+v", got)
	}
	var said []string
	unsteady(r, func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) })
	want := []string{
		`task "coin": its own solution was judged not fixed in 1 of 2 trials: what others failed there says little`,
		`task "bare" has no solution for baseline/oracle to play: that it failed there says nothing`,
		`two trials of one contestant often end differently at: "coin" (75%)`}
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", said)
	}
}
