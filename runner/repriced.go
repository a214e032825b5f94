package runner

import (
	"math"
	"slices"

	"cookoff/model"
	"cookoff/runner/budget"
	"cookoff/trial"
)

// bill is what a reply took, and what it was said to cost, in USD.
type bill struct {
	usage model.Usage
	usd   float64
}

// billed keeps one bill of each contestant's own replies, the latest that cost something.
func (p *Past) billed(e trial.Event) {
	b := bill{}
	switch {
	case e.Agent != "": // a sub-agent's model may be another one
		return
	case e.Kind == trial.ModelReplied && e.Replied != nil && e.Replied.CostUSD != nil && !p.metered[e.Trial]:
		b = bill{e.Replied.Reply.Usage, *e.Replied.CostUSD}
	case e.Kind == trial.GatewayServed && e.Request != nil && e.Request.CostUSD != nil && !e.Request.Guessed:
		b = bill{e.Request.Usage, *e.Request.CostUSD}
	}
	if name := p.model[e.Trial]; name != "" && b.usd > 0 && b.usage.Known {
		p.bills[name] = b
	}
}

// repriced names the contestants whose model had another price when the run began, in the
// recipe's order.
func (r *Runner) repriced() (names []string) {
	if r.env.Past == nil {
		return nil
	}
	for _, name := range r.Recipe.Names() {
		b, paid := r.env.Past.bills[name]
		m, known := r.Models[name]
		if !paid || !known || slices.Contains(names, name) {
			continue
		}
		usd, priced := budget.Cost(r.env.Prices, m.ID, b.usage)
		if !priced || math.Abs(usd-b.usd) > 1e-6*b.usd {
			names = append(names, name)
		}
	}
	return names
}
