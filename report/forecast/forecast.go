package forecast

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cookoff/contestant"
	"cookoff/model"
	"cookoff/report/stat"
	"cookoff/trial"
)

// Plan is what is going to be run.
type Plan struct {
	Recipe   string // its name
	Trials   []trial.Trial
	MaxSteps map[string]int // by task; 0 or missing: no limit
	Prices   *model.Prices
	Behind   func(name string) string // what stands behind a contestant's name, as in Models; nil: the name says it
	Parallel int
	// TrialMost and RunMost are limits in USD of an attempt at a trial and of the
	// whole run, 0: none. A void trial is attempted Attempts times at most.
	TrialMost, RunMost float64
	Attempts           int
}

// Forecast is what a run will probably take. Amounts are USD.
type Forecast struct {
	Models  []Model
	USD     *float64 // nil: the cost of a model is not known
	Lo, Hi  float64  // of USD, in 95 of 100 runs of such as the earlier ones
	Most    *float64 // what limits leave; nil: there is no limit
	Seconds *float64 // of the whole run; nil: there are no trials
	// Soonest and Latest are where Seconds lies, where it is assumed; else Seconds itself.
	Soonest, Latest float64
	Assumed         []string // what was assumed, for people
}

// Model is what one model will probably cost.
type Model struct {
	Name   string
	Trials int
	USD    *float64 // nil: not known
	Lo, Hi float64
	From   string // what it is known from, for people
	wall   wall
}

// The assumptions about a trial that nothing is known of. Real ones begin with
// some 3,500 tokens of instructions, tools and task.
const (
	firstInput  = 3500
	agentInput  = 12_000 // of an agent: its own instructions and tools, 44 KB of them
	stepOutput  = 250
	stepAdds    = 900 // what a step adds to the next request: the reply and what its calls gave
	fewSteps    = 2
	someSteps   = 5
	manySteps   = 40
	otherFactor = 3 // how much more or less another model may say than the ones known
	confidence  = 0.95
)

// Of says what the plan will probably take, from this history.
func (h *History) Of(p Plan) Forecast {
	var f Forecast
	total, known := 0.0, true
	var all wall
	for _, name := range models(p.Trials) {
		m := h.model(p, name, &f)
		f.Models = append(f.Models, m)
		if m.USD == nil {
			known = false
		} else {
			total, f.Lo, f.Hi = total+*m.USD, f.Lo+m.Lo, f.Hi+m.Hi
		}
		all.add(m.wall)
	}
	f.Most = p.most()
	if !known {
		f.Lo, f.Hi = 0, 0
	} else {
		f.USD = &total
		if f.Most != nil {
			total, f.Lo, f.Hi = min(total, *f.Most), min(f.Lo, *f.Most), min(f.Hi, *f.Most)
		}
	}
	if len(f.Models) > 0 {
		f.last(all, min(p.Parallel, len(p.Trials)))
	}
	return f
}

// most is what the limits leave to be spent.
func (p Plan) most() *float64 {
	paid := 0
	for _, t := range p.Trials {
		if !free(p.behind(t.Model)) {
			paid++
		}
	}
	var most *float64
	if p.TrialMost > 0 {
		most = new(p.TrialMost * float64(paid*max(p.Attempts, 1)))
	}
	if p.RunMost > 0 && (most == nil || p.RunMost < *most) {
		most = new(p.RunMost)
	}
	return most
}

// behind gives the model behind a name.
func (p Plan) behind(name string) string {
	_, model := p.split(name)
	return model
}

// split gives the agent behind a name, "" for none, and its model.
func (p Plan) split(name string) (agent, model string) {
	if p.Behind != nil {
		name = p.Behind(name)
	}
	return contestant.Split(name)
}

func free(name string) bool { return strings.HasPrefix(name, "baseline/") }

func models(trials []trial.Trial) []string {
	var out []string
	for _, t := range trials {
		if !slices.Contains(out, t.Model) {
			out = append(out, t.Model)
		}
	}
	return out
}

// model says what one model will probably cost.
func (h *History) model(p Plan, name string, f *Forecast) Model {
	var mine []trial.Trial
	for _, t := range p.Trials {
		if t.Model == name {
			mine = append(mine, t)
		}
	}
	m := Model{Name: name, Trials: len(mine), wall: h.time(p, name, mine)}
	pool, from, other := h.pool(p, name, tasks(mine))
	if free(p.behind(name)) {
		m.USD, m.From = new(0.0), "no provider is asked"
		return m
	}
	if _, ok := p.Prices.Cost(p.behind(name), model.Usage{Known: true}); !ok {
		m.From = "no price is known"
		return m
	}
	var costs []float64
	for _, t := range pool {
		if c, ok := t.cost(p.Prices, p.behind(name)); ok {
			costs = append(costs, c)
		}
	}
	if len(costs) == 0 {
		f.assume(m.assume(p, mine))
		return m
	}
	m.learn(costs)
	m.From = fmt.Sprintf("%d %s", len(costs), from)
	if len(costs) == 1 {
		m.From = strings.Replace(m.From, "trials", "trial", 1)
	}
	if other {
		m.Lo, m.Hi = min(m.Lo, *m.USD/otherFactor), max(m.Hi, *m.USD*otherFactor)
	}
	return m
}

// pool gives the earlier trials that tell most of a model's: of the same model
// in the recipe, in others, and else of other models, for an agent of other agents: they send more. Of
// those, the ones of the tasks that are planned are taken, where there are any.
func (h *History) pool(p Plan, name string, planned []string) (pool []*earlierTrial, from string, other bool) {
	pick := func(fits func(*earlierTrial) bool) []*earlierTrial {
		var all, same []*earlierTrial
		for _, t := range h.judged {
			if fits(t) {
				all = append(all, t)
				if slices.Contains(planned, t.task) {
					same = append(same, t)
				}
			}
		}
		if len(same) > 0 {
			return same
		}
		return all
	}
	if pool = pick(func(t *earlierTrial) bool { return t.model == name && t.recipe == p.Recipe }); len(pool) > 0 {
		return pool, "trials of it with this recipe", false
	}
	if pool = pick(func(t *earlierTrial) bool { return t.model == name }); len(pool) > 0 {
		return pool, "trials of it with other recipes", false
	}
	agent, behind := p.split(name)
	kind := "models"
	if agent != "" {
		kind = "agents"
	}
	paid := func(t *earlierTrial) bool { return !t.free && !free(behind) && t.agent == (agent != "") }
	if pool = pick(func(t *earlierTrial) bool { return paid(t) && t.recipe == p.Recipe }); len(pool) > 0 {
		return pool, fmt.Sprintf("trials of other %s with this recipe", kind), true
	}
	return pick(paid), fmt.Sprintf("trials of other %s and recipes", kind), true
}

func wallOf(pool []*earlierTrial, n int) *float64 {
	if len(pool) == 0 {
		return nil
	}
	sum := 0.0
	for _, t := range pool {
		sum += t.seconds
	}
	return new(sum / float64(len(pool)) * float64(n))
}

// learn takes what earlier trials cost. The interval is the one in which the sum
// of the trials to come lies: it holds their chance and that of the earlier ones.
// So that one or two trials are not taken for certain, it is as if two more
// were known that had differed by as much as a trial costs.
func (m *Model) learn(costs []float64) {
	const imagined = 2
	mean, variance := costs[0], 0.0
	if len(costs) > 1 {
		mean, variance = stat.MeanVariance(costs)
	}
	k, n := float64(len(costs)), float64(m.Trials)
	degrees := k - 1 + imagined
	sd := math.Sqrt(((k-1)*variance + imagined*mean*mean) / degrees)
	t := stat.CriticalT(degrees, confidence)
	half := t * sd * math.Sqrt(n+n*n/k)
	usd := n * mean
	m.USD, m.Lo, m.Hi = &usd, max(usd-half, n*slices.Min(costs)/otherFactor), usd+half
}

// assume takes what is usual of trials that nothing is known of, and says so.
func (m *Model) assume(p Plan, mine []trial.Trial) (said string) {
	agent, name := p.split(m.Name)
	first := firstInput
	if agent != "" {
		first = agentInput
	}
	usd := 0.0
	for _, t := range mine {
		limit := p.steps(t.Task)
		usd += assumed(p.Prices, name, first, min(someSteps, limit/2+limit%2))
		m.Lo += assumed(p.Prices, name, first, min(fewSteps, limit))
		m.Hi += assumed(p.Prices, name, first, min(manySteps, limit))
	}
	m.USD, m.From = &usd, "assumed"
	if agent != "" {
		return fmt.Sprintf("assumed of agents: %d tokens in the first request, else the same", first)
	}
	return ""
}

// assume says once what was assumed of all, and what of some.
func (f *Forecast) assume(said string) {
	all := fmt.Sprintf("assumed: %d steps a trial and at most half of max_steps (%d to %d, and at most max_steps), "+
		"%d tokens in the first request, %d more in each, %d in a reply, nothing cached",
		someSteps, fewSteps, manySteps, firstInput, stepAdds, stepOutput)
	for _, text := range []string{all, said} {
		if text != "" && !slices.Contains(f.Assumed, text) {
			f.Assumed = append(f.Assumed, text)
		}
	}
}

// assumed is what a trial of so many steps costs by the assumptions.
func assumed(prices *model.Prices, name string, first, steps int) (usd float64) {
	for i := range steps {
		c, _ := prices.Cost(name, model.Usage{Input: first + i*stepAdds, Output: stepOutput,
			Known: true}) // the price is known
		usd += c
	}
	return usd
}
