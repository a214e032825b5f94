package decide

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cookoff/trial"
)

// paid is a run that pays for its trials: contestants differ in how often they fix a task,
// and in what a trial costs.
type paid struct {
	question string
	tasks    int
	trials   int
	chances  []float64
	dear     []float64 // USD a trial, in the mean; costs are skewed
	limit    float64   // USD, that the run may spend
	blind    bool      // nobody looks at the money
}

// ends is how such a run ended.
type ends struct {
	verdict Verdict
	spent   float64
	tried   []int // trials, by contestant
}

// play begins trials in the order of the plan, until the question is answered or no money is
// left.
func (p paid) play(rng *rand.Rand) (end ends) {
	plan := Plan{Trials: p.trials, MaxUSD: p.limit}
	if p.blind {
		plan.MaxUSD = 0
	}
	for i := range p.chances {
		plan.Models = append(plan.Models, fmt.Sprintf("lab/%c", 'a'+i))
	}
	for i := range p.tasks {
		plan.Tasks = append(plan.Tasks, fmt.Sprint(i))
	}
	q, err := Parse(p.question, plan.Models[0], plan.Models)
	if err != nil {
		panic(err)
	}
	e := New(q, plan)
	end.tried = make([]int, len(p.chances))
	hard := make([]float64, p.tasks)
	for i := range hard {
		hard[i] = 0.4 * (rng.Float64() - 0.5)
	}
	for n := 1; n <= p.trials; n++ {
		for t, task := range plan.Tasks {
			for m, name := range plan.Models {
				if slices.Contains(end.verdict.Dropped, name) {
					continue
				}
				usd := p.dear[m] * math.Exp(0.6*rng.NormFloat64()-0.18)
				if end.spent+usd > p.limit {
					return end
				}
				end.spent += usd
				end.tried[m]++
				if rng.Float64() < p.chances[m]+hard[t] {
					e.Passed(name, task, n)
				} else {
					e.Failed(name, task, n)
				}
				e.Cost(name, &usd, true)
				if end.verdict = e.Look(); end.verdict.State != Open {
					return end
				}
			}
		}
	}
	return end
}

// A run whose money can't bring an answer any more ends, and says so; one contestant that is
// too dear to be told from the others is left, and they are told apart.
func TestMoneyThatBringsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	poor := paid{question: "best", tasks: 200, trials: 1, chances: []float64{0.6, 0.5}, dear: []float64{1, 1},
		limit: 12}
	end := poor.play(rng)
	if end.verdict.State != Futile || end.spent > 10 || !strings.Contains(end.verdict.Text,
		"not decided: what is left of $12 can't tell lab/a from lab/b, even if trials are cheaper from now on") {
		t.Errorf("%s for $%.2f: %s", end.verdict.State, end.spent, end.verdict.Text)
	}
	blind := poor
	blind.blind = true
	if end := blind.play(rng); end.verdict.State != Open || end.spent < 9 {
		t.Errorf("without a look at the money it is %s for $%.2f", end.verdict.State, end.spent)
	}
	dear := paid{question: "baseline", tasks: 300, trials: 1, chances: []float64{0.3, 0.75, 0.5},
		dear: []float64{0.05, 0.05, 20}, limit: 100}
	end = dear.play(rng)
	if end.verdict.State != Futile || end.tried[2] > 6 || end.tried[1] < 15 || end.spent > 100 {
		t.Errorf("%s for $%.2f, tried %v: %s", end.verdict.State, end.spent, end.tried, end.verdict.Text)
	}
	for _, want := range []string{"can't tell lab/a from lab/c", "; lab/b is better than lab/a"} {
		if !strings.Contains(end.verdict.Text, want) {
			t.Errorf("%q does not say %q", end.verdict.Text, want)
		}
	}
	if why := end.verdict.Why["lab/c"]; why != string(noMoney) {
		t.Errorf("lab/c is dropped since %q", why)
	}
}

// Costs that nobody knows, and too few of them, are no reason to end anything.
func TestMoneyNobodyKnows(t *testing.T) {
	q := Question{Kind: Best, Level: 0.05}
	p := Plan{Models: []string{"a", "b"}, Trials: 1, MaxUSD: 3}
	for i := range 40 {
		p.Tasks = append(p.Tasks, fmt.Sprint(i))
	}
	check := func(want State, usd func(i int) *float64, trials int) {
		t.Helper()
		e := New(q, p)
		for i := range trials {
			for _, m := range p.Models {
				e.Passed(m, p.Tasks[i], 1)
				e.Cost(m, usd(i), true)
			}
		}
		if v := e.Look(); v.State != want {
			t.Errorf("%s after %d trials: %s", v.State, trials, v.Text)
		}
	}
	check(Futile, func(int) *float64 { return new(0.4) }, 3)
	check(Open, func(int) *float64 { return new(0.4) }, 2)
	check(Open, func(i int) *float64 {
		if i == 1 {
			return nil
		}
		return new(0.4)
	}, 3)
	check(Open, func(int) *float64 { return new(0.0) }, 3)
}

// A run's events say what its trials cost, and the journal keeps why one was dropped.
func TestWatchOfMoney(t *testing.T) {
	p := Plan{Models: []string{"lab/a", "lab/b", "lab/c"}, Trials: 1, MaxUSD: 30}
	for i := range 60 {
		p.Tasks = append(p.Tasks, fmt.Sprint(i))
	}
	w := NewWatch("baseline", Question{Kind: Baseline, A: "lab/a", Level: 0.05}, p)
	usd := map[string]float64{"lab/a": 0.01, "lab/b": 0.01, "lab/c": 5}
	n := 0
	for _, task := range p.Tasks {
		for _, m := range p.Models {
			tr := trial.Trial{ID: fmt.Sprint("t", n), Model: m, Task: task, N: 1}
			if !w.Wanted(tr) {
				continue
			}
			n++
			_ = w.Emit(trial.Event{Kind: trial.TrialStarted, Trial: tr.ID, Start: &tr}) // never fails
			out := &trial.Outcome{Status: trial.Fail, CostUSD: new(usd[m])}
			if m == "lab/b" {
				out.Status = trial.Pass
			}
			_ = w.Emit(trial.Event{Kind: trial.TrialFinished, Trial: tr.ID, Outcome: out})
		}
	}
	d := w.Decision()
	if d.State != "futile" || !strings.Contains(d.Text, "lab/b is better than lab/a") || n > 30 {
		t.Errorf("after %d trials: %+v", n, d)
	}
	if len(d.Dropped) == 0 || d.Dropped[0].Model != "lab/c" || d.Dropped[0].Why != string(noMoney) {
		t.Errorf("dropped: %+v", d.Dropped)
	}
}

// BenchmarkMoney measures, by simulation, what looking at the money saves and costs: of three
// contestants under budgets of all sizes, how often equals are told apart, how many answers
// are lost, and what share of the money is left.
func BenchmarkMoney(b *testing.B) {
	const runs = 1000
	for range b.N {
		count := func(p paid) (decided, spent float64, alarms int) {
			rng := rand.New(rand.NewPCG(5, 9))
			for range runs {
				p.limit = 3 * math.Pow(100, rng.Float64()) // $3 to $300
				end := p.play(rand.New(rand.NewPCG(rng.Uint64(), 1)))
				for _, q := range []string{"lab/b is better than lab/a", "lab/a is better than lab/b"} {
					if strings.Contains(end.verdict.Text, q) && end.verdict.State != Open {
						alarms++
					}
				}
				if end.verdict.State == Decided {
					decided++
				}
				spent += end.spent
			}
			return 100 * decided / runs, spent, alarms
		}
		p := paid{question: "ranking", tasks: 150, trials: 1, chances: []float64{0.5, 0.5, 0.2},
			dear: []float64{0.2, 0.5, 2}}
		_, with, alarms := count(p)
		p.blind = true
		_, without, _ := count(p)
		b.ReportMetric(100*float64(alarms)/runs, "%alarms/equals")
		b.ReportMetric(100*(1-with/without), "%saved/equals")
		p = paid{question: "best", tasks: 150, trials: 1, chances: []float64{0.75, 0.45, 0.3},
			dear: []float64{0.2, 0.5, 2}}
		decided, with, _ := count(p)
		p.blind = true
		would, without, _ := count(p)
		b.ReportMetric(decided, "%decided/better")
		b.ReportMetric(would, "%decided/blind")
		b.ReportMetric(100*(1-with/without), "%saved/better")
	}
}
