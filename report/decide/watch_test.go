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
	models := []string{"lab/a", "lab/b"}
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
	// What goes on after the machine died ends as any other.
	if err := w.Emit(trial.Event{Kind: trial.TrialResumed, Trial: "t999",
		Start: &trial.Trial{ID: "t999", Model: "lab/a", Task: "task 0", N: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Emit(trial.Event{Kind: trial.TrialFinished, Trial: "t999",
		Outcome: &trial.Outcome{Status: trial.Pass}}); err != nil {
		t.Fatal(err)
	}
	if w.evidence.results[w.evidence.models["lab/a"]][0][0] != passed {
		t.Error("the outcome of a trial that was resumed is lost")
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
	// A trial that was under way when it was decided ends afterwards.
	play(n+1, "baseline/noop", "task 49", trial.Fail)
	if d = w.Decision(); len(d.Dropped) > 0 {
		t.Errorf("dropped by the answer itself: %v", d.Dropped)
	}
	if d.State != "decided" || !strings.Contains(d.Text, "lab/a is better") || n > 20 {
		t.Errorf("%+v after %d trials", d, n)
	}
	if w.Wanted(trial.Trial{Model: "lab/a", Task: "task 49", N: 1}) || w.Question().Ask != "best" {
		t.Error("trials are wanted though all is decided")
	}
}
