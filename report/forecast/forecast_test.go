package forecast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/trial"
)

func prices(t *testing.T) *model.Prices {
	t.Helper()
	p, err := model.LoadPrices([]byte(`
[prices."lab/big"]
input = 1000
output = 1000
[prices."lab/small"]
input = 100
output = 100
tiers = [{above = 5000, input = 200, output = 200}]
`))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tried adds a judged trial of some requests, of tokens in each.
func tried(h *History, id, name, task string, requests ...int) {
	h.Emit(trial.Event{Trial: id, Kind: trial.TrialStarted, Start: &trial.Trial{ID: id, Model: name, Task: task, N: 1}})
	for _, n := range requests {
		h.Emit(trial.Event{Trial: id, Kind: trial.ModelReplied,
			Replied: &trial.Replied{Reply: model.Reply{Usage: model.Usage{Input: n, Known: true}}}})
	}
	h.Emit(trial.Event{Trial: id, Kind: trial.TrialFinished,
		Outcome: &trial.Outcome{Status: trial.Fail, Seconds: trial.Seconds{Agent: 8, Judge: 2}}})
}

func begin(h *History, recipe string) {
	h.Next()
	h.Emit(trial.Event{Kind: trial.RunStarted, Run: &trial.Run{Recipe: recipe}})
}

func plan(t *testing.T, names ...string) Plan {
	p := Plan{Recipe: "r", Prices: prices(t), Parallel: 2, Attempts: 3, MaxSteps: map[string]int{}}
	for _, task := range []string{"one", "two"} {
		for _, m := range names {
			p.Trials = append(p.Trials, trial.Trial{ID: m + task, Model: m, Task: task, N: 1})
		}
	}
	return p
}

func TestWhatIsKnownIsTakenFirst(t *testing.T) {
	check := func(h *History, name string, usd float64, from string) {
		t.Helper()
		m := h.Of(plan(t, name)).Models[0]
		if m.USD == nil || math.Abs(*m.USD-usd) > 1e-9 || m.From != from || !(m.Lo < *m.USD && *m.USD < m.Hi) {
			t.Errorf("%s: %+v, want %v %q", name, m, usd, from)
		}
	}
	h := &History{}
	begin(h, "elsewhere")
	tried(h, "t1", "lab/big", "one", 500, 500)
	check(h, "lab/big", 2*1.0, "1 trial of it with other recipes")
	check(h, "lab/small", 2*0.1, "1 trial of other models and recipes")
	begin(h, "r")
	tried(h, "t1", "lab/big", "three", 1000, 1000)
	tried(h, "t2", "lab/big", "three", 2000, 2000)
	check(h, "lab/big", 2*3.0, "2 trials of it with this recipe")
	check(h, "lab/small", 2*0.3, "2 trials of other models with this recipe")
	tried(h, "t3", "lab/big", "one", 10000)
	check(h, "lab/big", 2*10.0, "1 trial of it with this recipe") // of a task that is planned
	check(h, "lab/small", 2*2.0, "1 trial of other models with this recipe")
}

// TestAgentsLearnFromAgents: an agent sends more than a model in our own loop is sent.
func TestAgentsLearnFromAgents(t *testing.T) {
	h := &History{}
	begin(h, "r")
	tried(h, "t1", "lab/big", "one", 500)
	name := "fake: lab/big"
	f := h.Of(plan(t, name, "lab/small"))
	// two tasks of five requests: 12,000 tokens, 900 more in each, 250 in each reply
	if m := f.Models[0]; m.USD == nil || math.Abs(*m.USD-2*70.25) > 1e-9 || m.From != "assumed" {
		t.Errorf("%+v", m)
	}
	if m := f.Models[1]; m.From != "1 trial of other models with this recipe" {
		t.Errorf("%+v", m)
	}
	if said := strings.Join(f.Assumed, "\n"); !strings.Contains(said,
		"assumed of agents: 12000 tokens in the first request") {
		t.Error(said)
	}
	tried(h, "t2", "other: lab/small", "one", 9000)
	if m := h.Of(plan(t, name)).Models[0]; math.Abs(*m.USD-2*9) > 1e-9 ||
		m.From != "1 trial of other agents with this recipe" {
		t.Errorf("%+v", m)
	}
	p := plan(t, "named")
	p.Behind = func(string) string { return name }
	if m := h.Of(p).Models[0]; m.From != "1 trial of other agents with this recipe" {
		t.Errorf("%+v", m)
	}
}

func TestAVoidAttemptCostsAndATrialWithoutOutcomeTellsNothing(t *testing.T) {
	h := &History{}
	begin(h, "r")
	h.Emit(trial.Event{Trial: "t1", Start: &trial.Trial{Model: "lab/big", Task: "one"}})
	h.Emit(trial.Event{Trial: "t1", Replied: &trial.Replied{Reply: model.Reply{Usage: model.Usage{Input: 1000,
		Known: true}}}})
	h.Emit(trial.Event{Trial: "t1", Outcome: &trial.Outcome{Status: trial.Void, Cause: trial.CauseProvider}})
	if m := h.Of(plan(t, "lab/big")).Models[0]; m.From != "assumed" {
		t.Errorf("%+v", m)
	}
	tried(h, "t1", "lab/big", "one", 1000)
	if m := h.Of(plan(t, "lab/big")).Models[0]; *m.USD != 4 {
		t.Errorf("%+v", m)
	}
}

func TestASubAgentCostsWhatItDid(t *testing.T) {
	h := &History{}
	begin(h, "r")
	sub := func(cost *float64) {
		h.Emit(trial.Event{Trial: "t1", Agent: "1",
			Replied: &trial.Replied{CostUSD: cost, Reply: model.Reply{Usage: model.Usage{Input: 1e6, Known: true}}}})
	}
	sub(new(0.5))
	tried(h, "t1", "lab/big", "one", 1000)
	if m := h.Of(plan(t, "lab/big")).Models[0]; *m.USD != 3 {
		t.Errorf("%+v", m)
	}
	sub(nil)
	if m := h.Of(plan(t, "lab/big")).Models[0]; m.From != "assumed" {
		t.Errorf("a trial of unknown cost is no help: %+v", m)
	}
}

func TestUnknownIsNotZero(t *testing.T) {
	f := (&History{}).Of(plan(t, "lab/big", "else/unheard-of", "baseline/oracle"))
	if f.USD != nil || f.Models[1].USD != nil || f.Models[1].From != "no price is known" || *f.Models[2].USD != 0 ||
		f.Seconds == nil {
		t.Errorf("%+v", f)
	}
}

func TestAssumptionsAreStatedAndKeepToTheStepsAllowed(t *testing.T) {
	p := plan(t, "lab/big")
	f := (&History{}).Of(p)
	if len(f.Assumed) != 2 || !strings.Contains(f.Assumed[0], "5 steps a trial") || !(f.Lo < *f.USD && *f.USD < f.Hi) {
		t.Errorf("%+v", f)
	}
	p.MaxSteps = map[string]int{"one": 4, "two": 4}
	if f := (&History{}).Of(p); !(f.Lo <= *f.USD && *f.USD < f.Hi) {
		t.Errorf("what is likely is the most that it can be: %+v", f)
	}
	p.MaxSteps = map[string]int{"one": 1, "two": 1}
	if f := (&History{}).Of(p); math.Abs(*f.USD-2*3.75) > 1e-9 || f.Lo != *f.USD || f.Hi != *f.USD {
		t.Errorf("one step each: %+v", f)
	}
}

func TestLimitsBoundTheForecast(t *testing.T) {
	p := plan(t, "lab/big", "baseline/noop")
	p.TrialMost = 2
	if f := (&History{}).Of(p); *f.Most != 2*2*3 || f.Hi != 12 {
		t.Errorf("two trials of $2, attempted three times: %+v", f)
	}
	p.RunMost = 1
	if f := (&History{}).Of(p); *f.Most != 1 || *f.USD != 1 || f.Hi != 1 {
		t.Errorf("%+v", f)
	}
}

func TestTimeIsThatOfTrialsAtOnce(t *testing.T) {
	h := &History{}
	begin(h, "r")
	tried(h, "t1", "lab/big", "one", 10)
	f := h.Of(plan(t, "lab/big"))
	if *f.Seconds != 2*10/2 {
		t.Errorf("%v", *f.Seconds)
	}
	if f.Soonest != 10 || f.Latest != 10 || strings.Contains(fmt.Sprint(f.Assumed), "time") {
		t.Errorf("nothing is assumed: %+v", f)
	}
	f = h.Of(plan(t, "lab/big", "lab/small"))
	if *f.Seconds != 20 || !(f.Soonest < 20 && 20 < f.Latest) ||
		!strings.Contains(fmt.Sprint(f.Assumed), "of the time") {
		t.Errorf("another model is as fast, more or less: %v, %+v", *f.Seconds, f)
	}
}

// TestTimeWithoutHistory: a first run has an estimate, too: by the steps that are
// assumed, and what baselines of the recipe took.
func TestTimeWithoutHistory(t *testing.T) {
	check := func(h *History, p Plan, lo, likely, hi float64) {
		t.Helper()
		f := h.Of(p)
		if f.Soonest != lo || *f.Seconds != likely ||
			f.Latest != hi || !strings.Contains(fmt.Sprint(f.Assumed), "8 seconds a step") {
			t.Errorf("between %v and %v, %v: %q", f.Soonest, f.Latest, *f.Seconds, f.Assumed)
		}
	}
	p := plan(t, "lab/big") // two tasks, two at once
	check(&History{}, p, 5+2*8, 5+5*8, 5+40*8)
	p.MaxSteps = map[string]int{"one": 1, "two": 1}
	check(&History{}, p, 5+8, 5+8, 5+8)
	if f := (&History{}).Of(plan(t, "baseline/noop")); *f.Seconds != 5 || f.Latest != 5 || f.Assumed != nil {
		t.Errorf("no step of a baseline takes time: %+v", f)
	}
	p.Parallel = 64
	check(&History{}, p, 5+8, 5+8, 5+8) // two trials fill two places
	h := &History{}
	begin(h, "r")
	tried(h, "t1", "baseline/noop", "one")
	p.MaxSteps = nil
	check(h, p, 10+2*8, 10+5*8, 10+40*8)
	if f := (&History{}).Of(Plan{}); f.Seconds != nil {
		t.Errorf("no trials: %v", *f.Seconds)
	}
}

// Of runs whose trials cost as earlier ones did, the interval holds the sum in
// some 95 of 100, and never in far fewer.
func TestTheIntervalHoldsWhatRunsCost(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, known := range []int{1, 3, 10, 40} {
		held, runs := 0, 400
		for range runs {
			spend := func() float64 { return math.Exp(0.7 * rng.NormFloat64()) } // some trials take very long
			costs := make([]float64, known)
			for i := range costs {
				costs[i] = spend()
			}
			m := Model{Trials: 1 + rng.IntN(30)}
			m.learn(costs)
			sum := 0.0
			for range m.Trials {
				sum += spend()
			}
			if m.Lo <= sum && sum <= m.Hi {
				held++
			}
		}
		if share := float64(held) / float64(runs); share < 0.91 {
			t.Errorf("%d trials known: the interval holds %.0f %% of runs", known, 100*share)
		} else {
			t.Log(fmt.Sprint(known, " known: ", share))
		}
	}
}
