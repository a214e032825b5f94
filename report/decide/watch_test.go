package decide

import (
	"fmt"
	"strings"
	"testing"

	"cookoff/trial"
)

// A run is followed by its events: a void that is tried again counts as what it
// ends as, and nothing is wanted once the question is decided.
func TestWatch(t *testing.T) {
	models := Contenders([]string{"baseline/noop", "lab/a", "lab/b"})
	q, err := Parse("best", "baseline/noop", models)
	if err != nil {
		t.Fatal(err)
	}
	p := Plan{Models: models, Trials: 1}
	for i := range 50 {
		p.Tasks = append(p.Tasks, fmt.Sprint("task ", i))
	}
	w := NewWatch("best", q, p)
	play := func(n int, model, task string, status trial.Status) {
		id := fmt.Sprintf("t%03d", n)
		for _, e := range []trial.Event{
			{Kind: trial.TrialStarted, Trial: id, Start: &trial.Trial{ID: id, Model: model, Task: task, N: 1}},
			{Kind: trial.TrialFinished, Trial: id, Outcome: &trial.Outcome{Status: status}},
		} {
			if err := w.Emit(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	n := 0
	for _, task := range p.Tasks {
		for _, m := range models {
			if !w.Wanted(trial.Trial{Model: m, Task: task, N: 1}) {
				continue
			}
			n++
			status := trial.Fail
			if m == "lab/a" {
				play(n, m, task, trial.Void)
				status = trial.Pass
			}
			play(n, m, task, status)
		}
	}
	d := w.Decision()
	if d.State != "decided" || !strings.Contains(d.Text, "lab/a is better") || n > 20 {
		t.Errorf("%+v after %d trials", d, n)
	}
	if w.Wanted(trial.Trial{Model: "lab/a", Task: "task 49", N: 1}) || w.Question().Ask != "best" {
		t.Error("trials are wanted though all is decided")
	}
}
