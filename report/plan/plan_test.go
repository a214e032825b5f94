package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"cookoff/report"
	"cookoff/report/stat"
	"cookoff/trial"
)

// draw plays one run of two models as Assumed says: the chance of the second on a
// task, and by how much the first is better there.
func draw(rng *rand.Rand, v stat.Variation, delta float64, tasks, trials int) (a, b []stat.Cluster) {
	try := func(p float64) stat.Cluster {
		c := stat.Cluster{N: trials}
		for range trials {
			if rng.Float64() < p {
				c.Pass++
			}
		}
		return c
	}
	for range tasks {
		sign := 1.0
		if rng.Float64() < 0.5 {
			sign = -1
		}
		d := delta + sign*v.Apart
		// Chances of 15 and 85 % have the variance within tasks of half of a fair coin's.
		mid := 0.5 + math.Sqrt(0.125)
		if rng.Float64() < 0.5 {
			mid = 0.5 - math.Sqrt(0.125)
		}
		clip := func(p float64) float64 { return min(max(p, 0), 1) }
		a, b = append(a, try(clip(mid+d/2))), append(b, try(clip(mid-d/2)))
	}
	return a, b
}

// Who plans so sees the difference about as often as was asked.
func TestPlannedRunsSeeTheDifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	aim := stat.Aim{Delta: 0.15, Power: 0.8, Level: 0.05}
	for _, trials := range []int{1, 3} {
		tasks := int(stat.Assumed().Tasks(aim, trials))
		seen, runs := 0, 300
		for range runs {
			a, b := draw(rng, stat.Assumed(), aim.Delta, tasks, trials)
			if p := stat.PairedTest(a, b, 1); p <= aim.Level {
				seen++
			}
		}
		if got := float64(seen) / float64(runs); got < 0.68 || got > 0.95 {
			t.Errorf("%d tasks of %d trials: seen in %.0f %% of runs", tasks, trials, 100*got)
		}
	}
}

func TestTasksAndSmallestAgree(t *testing.T) {
	for _, trials := range []int{1, 3, 10} {
		aim := stat.Aim{Delta: 0.2, Power: 0.8, Level: 0.05}
		tasks := int(stat.Assumed().Tasks(aim, trials))
		d, ok := stat.Assumed().Smallest(aim, tasks, trials)
		if !ok || d > aim.Delta || d < aim.Delta-0.02 {
			t.Errorf("%d tasks of %d trials show %.3f (%v), planned for %.3f", tasks, trials, d, ok, aim.Delta)
		}
	}
	if _, ok := stat.Assumed().Smallest(stat.Aim{Power: 0.8, Level: 0.05}, 4, 1); ok {
		t.Error("four tasks show something")
	}
	if n := stat.Assumed().Tasks(stat.Aim{Delta: 0, Power: 0.8, Level: 0.05}, 1); !math.IsInf(n, 1) {
		t.Errorf("no difference is seen on %v tasks", n)
	}
}

// The variation of a run is found again in its report.
func TestSeen(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	r := &report.Report{Models: []report.Model{{Name: "baseline/noop"}, {Name: "lab/a"}, {Name: "lab/b"}}}
	a, b := draw(rng, stat.Assumed(), 0.1, 400, 4)
	for i := range a {
		task := fmt.Sprint(i)
		r.Tasks = append(r.Tasks, task)
		for name, c := range map[string]stat.Cluster{"lab/a": a[i], "lab/b": b[i], "baseline/noop": {N: 4}} {
			for n := range c.N {
				status := trial.Fail
				if n < c.Pass {
					status = trial.Pass
				}
				r.Trials = append(r.Trials, report.Trial{Trial: trial.Trial{Model: name, Task: task, N: n + 1},
					Outcome: trial.Outcome{Status: status}})
			}
		}
	}
	v, err := Seen(r)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(v.Rate-0.5) > 0.05 || math.Abs(v.Correlation-0.5) > 0.1 || math.Abs(v.Apart-0.15) > 0.06 {
		t.Errorf("%+v", v)
	}
	r.Models = r.Models[:2]
	if _, err := Seen(r); err == nil {
		t.Error("one model shows how two differ")
	}
}

// Tasks that are tried once differ wholly or not at all: a difference of 20 points is one of
// every fifth task at least, however alike models are, and the exact test needs six.
func TestFewDifferences(t *testing.T) {
	aim := stat.Aim{Delta: 0.2, Power: 0.8, Level: 0.05}
	if got := (stat.Variation{Rate: 1, Correlation: 0.5}).Tasks(aim, 1); got < 30 ||
		got > 40 {
		t.Errorf("%v tasks", got)
	}
	if got := stat.Assumed().Tasks(stat.Aim{Delta: 0.2, Power: 0.8, Level: 0.05}, 1); got != 54 {
		t.Errorf("where nothing is known: %v tasks", got)
	}
}

// What a run can't tell of the next one's variation is said.
func TestDoubts(t *testing.T) {
	r := &report.Report{Models: []report.Model{{Name: "lab/a"}, {Name: "lab/b"}}}
	try := func(task string, n int) {
		for _, m := range r.Models {
			r.Trials = append(r.Trials, report.Trial{Trial: trial.Trial{Model: m.Name, Task: task, N: n},
				Outcome: trial.Outcome{Status: trial.Pass}})
		}
	}
	for i := range 20 {
		r.Tasks = append(r.Tasks, fmt.Sprint(i))
		if i < 8 {
			try(fmt.Sprint(i), 1)
		}
	}
	v, err := Seen(r)
	if err != nil {
		t.Fatal(err)
	}
	if got := Doubts(r, v); len(got) != 3 {
		t.Errorf("8 tasks, all fixed at once: %q", got)
	}
	for i := range 20 {
		try(fmt.Sprint(i), 2)
	}
	v.Rate = 0.5
	if got := Doubts(r, v); got != nil {
		t.Errorf("20 tasks, tried again: %q", got)
	}
}
