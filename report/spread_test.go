package report

import (
	"slices"
	"testing"

	"cookoff/report/stat"
	"cookoff/trial"
)

// How far trials of one task reach is told by task, and by contestant as a share of the
// mean; what limits and few repeats make of it is said. Void trials and those of cookoff's
// own baselines say nothing, nor does a cost that is unknown.
func TestSpreads(t *testing.T) {
	r := &Report{Tasks: []string{"a", "b", "once"}, Models: []Model{{Name: "lab/x"}, {Name: "lab/y"}, {Name: oracle}}}
	try := func(model, task string, steps int, usd float64, status trial.Status, stop trial.Stop) {
		o := trial.Outcome{Status: status, Stop: stop, Steps: steps, Seconds: trial.Seconds{Agent: float64(10 * steps)}}
		if usd > 0 {
			o.CostUSD = &usd
		}
		r.Trials = append(r.Trials, Trial{Trial: trial.Trial{Model: model, Task: task}, Outcome: o})
	}
	for _, steps := range []int{8, 10, 12} {
		try("lab/x", "a", steps, 1, trial.Pass, trial.StopDone)
		try("lab/x", "b", 10*steps, float64(steps), trial.Fail, trial.StopMaxSteps)
		try(oracle, "a", steps, 0, trial.Pass, trial.StopDone)
	}
	try("lab/x", "a", 99, 9, trial.Void, trial.StopBroken)
	try("lab/x", "once", 3, 1, trial.Pass, trial.StopDone)
	for range 12 {
		try("lab/y", "a", 5, 0, trial.Pass, trial.StopDone)
	}
	got := Spreads(r)
	if len(got) != 4 || got[0].Task != "a" ||
		got[0].Trials != 3 || got[0].Steps != (stat.Range{Min: 8, Median: 10, Max: 12}) ||
		got[1].Seconds != (stat.Range{Min: 800, Median: 1000, Max: 1200}) ||
		*got[1].USD != (stat.Range{Min: 8, Median: 10, Max: 12}) ||
		got[2].USD != nil {
		t.Errorf("%+v", got)
	}
	want := []string{
		"lab/x: its trials of one task vary by 20% in steps, 14% in cost and 20% in time; roughly, by 4 repeats; by " +
			"more without limits, at which 3 ended",
		"lab/y: its trials of one task vary by 0% in steps and 0% in time",
	}
	if lines := spreadLegend(r); !slices.Equal(lines, want) {
		t.Errorf("%q", lines)
	}
}
