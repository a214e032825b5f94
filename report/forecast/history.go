// Package forecast says what a run will probably cost and how long it will
// take: from what earlier runs recorded where there are any, else from stated
// assumptions. It reads events and nothing else.
package forecast

import (
	"maps"
	"slices"

	"cookoff/contestant"
	"cookoff/model"
	"cookoff/trial"
)

// History is what earlier runs took. It is a sink for their events; begin each
// run with Next.
type History struct {
	run    trial.Run                // the present one, as far as it is needed
	trials map[string]*earlierTrial // of the present run, by id
	judged []*earlierTrial          // judged, of all runs
}

// earlierTrial is one trial of an earlier run.
type earlierTrial struct {
	recipe, model, task string
	requests            []request
	seconds             float64
	judged, counted     bool
	free                bool // no model was asked
	agent               bool // by an agent, and no model in our own loop
}

// request is one reply and what it took. A sub-agent may be of another model:
// what it cost then stands in cost.
type request struct {
	usage model.Usage
	sub   bool
	cost  *float64
}

// Next says that the events which follow are of another run.
func (h *History) Next() { h.run, h.trials = trial.Run{}, map[string]*earlierTrial{} }

// Emit takes one event. The error is always nil.
func (h *History) Emit(e trial.Event) error {
	switch {
	case e.Run != nil:
		h.run = trial.Run{Recipe: e.Run.Recipe, Contestants: e.Run.Contestants}
	case e.Start != nil:
		p := h.of(e.Trial)
		p.recipe, p.model, p.task = h.run.Recipe, e.Start.Model, e.Start.Task
		agent, model := contestant.Split(h.run.Behind(p.model))
		p.agent, p.free = agent != "", free(model)
	case e.Replied != nil:
		p := h.of(e.Trial)
		p.requests = append(p.requests, request{e.Replied.Reply.Usage, e.Agent != "", e.Replied.CostUSD})
	case e.Outcome != nil:
		h.finish(h.of(e.Trial), e.Outcome)
	}
	return nil
}

func (h *History) of(id string) *earlierTrial {
	if h.trials == nil {
		h.Next()
	}
	p := h.trials[id]
	if p == nil {
		p = &earlierTrial{}
		h.trials[id] = p
	}
	return p
}

// finish takes an attempt's end: every attempt takes time and money, and one
// that is judged makes the trial one to learn from.
func (h *History) finish(p *earlierTrial, o *trial.Outcome) {
	s := o.Seconds
	p.seconds += s.Agent + s.Wait + s.Judge
	p.judged = p.judged || o.Status == trial.Pass || o.Status == trial.Fail
	if p.judged && p.model != "" && !p.counted {
		p.counted = true
		h.judged = append(h.judged, p)
	}
}

// cost is what the trial would cost with a model at its present price; false
// where that can't be known.
func (p *earlierTrial) cost(prices *model.Prices, as string) (usd float64, ok bool) {
	for _, r := range p.requests {
		c, known := prices.Cost(as, r.usage)
		switch {
		case r.sub && r.cost != nil:
			c = *r.cost
		case r.sub || !known:
			return 0, false
		}
		usd += c
	}
	return usd, true
}

// tasks gives the names of tasks in trials.
func tasks(trials []trial.Trial) []string {
	seen := map[string]bool{}
	for _, t := range trials {
		seen[t.Task] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
