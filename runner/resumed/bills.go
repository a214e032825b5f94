package resumed

import (
	"cookoff/model"
	"cookoff/trial"
)

// Bill is what a reply took, and what it was said to cost, in USD.
type Bill struct {
	Usage model.Usage
	USD   float64
}

// billed keeps one bill of each contestant's own replies, the latest that cost something.
func (p *Journal) billed(e trial.Event) {
	b := Bill{}
	switch {
	case e.Agent != "": // a sub-agent's model may be another one
		return
	case e.Kind == trial.ModelReplied && e.Replied != nil && e.Replied.CostUSD != nil && !p.metered[e.Trial]:
		b = Bill{e.Replied.Reply.Usage, *e.Replied.CostUSD}
	case e.Kind == trial.GatewayServed && e.Request != nil && e.Request.CostUSD != nil && !e.Request.Guessed:
		b = Bill{e.Request.Usage, *e.Request.CostUSD}
	}
	if name := p.model[e.Trial]; name != "" && b.USD > 0 && b.Usage.Known {
		p.bills[name] = b
	}
}

// BillOf gives the bill of a contestant.
func (p *Journal) BillOf(name string) (b Bill, paid bool) {
	b, paid = p.bills[name]
	return b, paid
}
