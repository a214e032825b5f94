// Package resumed holds what a resumed run has behind it, read from its journal, and says
// what was changed since it was begun.
package resumed

import (
	"slices"

	"cookoff/trial"
)

// Journal is the journal of a resumed run, summed up event by event: which trials are done,
// what was spent, and the events that trials which are left go on from.
type Journal struct {
	Run trial.Run // as it was begun

	attempts  map[string]int           // attempts by trial, those without an end too
	ended     map[string]bool          // trials that need no other attempt
	outcomes  map[string]trial.Outcome // of the last attempts that have an end
	paid      map[string]float64       // USD, by trial: for replies of the last attempt
	spent     float64                  // USD, as far as is known
	unsettled trial.Unsettled

	events  map[string][]trial.Event // of the last attempts of trials that are left
	learned []*trial.Failure         // of models

	metered map[string]bool      // trials of agents: what their requests cost is told one by one
	model   map[string]string    // of each trial
	cost    map[string]float64   // USD of each trial's present attempt
	costs   map[string][]float64 // of attempts that were judged, by model
	bills   map[string]Bill      // one reply of each model
	longest int                  // reply, in tokens

	most  map[string]map[int]float64 // USD that requests under way cost at most, by trial and number
	above float64                    // USD: by how much that was more than one has cost
}

// New gives the sum of no events yet; Emit adds one.
func New() *Journal {
	return &Journal{attempts: map[string]int{}, ended: map[string]bool{}, outcomes: map[string]trial.Outcome{},
		paid: map[string]float64{}, metered: map[string]bool{},
		model: map[string]string{}, cost: map[string]float64{}, costs: map[string][]float64{},
		bills: map[string]Bill{}, most: map[string]map[int]float64{}}
}

// Emit takes an event of the run. It never fails.
func (p *Journal) Emit(e trial.Event) error {
	_ = p.unsettled.Emit(e) // never fails
	p.priced(e)
	p.billed(e)
	switch {
	case e.Kind == trial.RunStarted && e.Run != nil:
		first := p.Run
		if p.Run = *e.Run; first.ID != "" {
			p.Run.ProjectFiles, p.Run.ProjectSum = first.ProjectFiles, first.ProjectSum
		}
	case e.Kind == trial.TrialStarted, e.Kind == trial.TrialResumed:
		p.attempts[e.Trial] = max(p.attempts[e.Trial], e.Attempt, 1)
		p.ended[e.Trial] = false
		if o, ok := p.outcomes[e.Trial]; ok && e.Kind == trial.TrialResumed {
			p.spent -= o.LostUSD // the attempt's next end has it, too
		}
		delete(p.outcomes, e.Trial)
		if e.Kind == trial.TrialStarted {
			p.paid[e.Trial] = 0
		}
	case p.cents(e) != nil:
		p.spent += *p.cents(e)
		p.paid[e.Trial] += *p.cents(e)
	case e.Kind == trial.TrialFinished && e.Outcome != nil:
		o := e.Outcome
		p.outcomes[e.Trial] = *o
		p.ended[e.Trial] = o.Status != trial.Void || o.Cause != trial.CauseCancelled && !Passing(o.Cause)
		p.spent += o.LostUSD
	}
	return nil
}

// cents is what an event says that a request has cost, in USD; nil: nothing. The reply
// of an agent's model sums up requests that were told before it, as far as it is told.
func (p *Journal) cents(e trial.Event) *float64 {
	switch {
	case e.Kind == trial.GatewayServed && e.Request != nil:
		p.metered[e.Trial] = true
		return e.Request.CostUSD
	case e.Kind == trial.ModelReplied && e.Replied != nil && !p.metered[e.Trial]:
		return e.Replied.CostUSD
	}
	return nil
}

// priced keeps what trials cost, and how long replies get.
func (p *Journal) priced(e trial.Event) {
	switch {
	case e.Kind == trial.TrialStarted && e.Start != nil:
		p.model[e.Trial], p.cost[e.Trial] = e.Start.Model, 0
		p.most[e.Trial] = map[int]float64{}
	case e.Kind == trial.ModelCalled && e.Called != nil && e.Called.MostUSD != nil && p.most[e.Trial] != nil:
		p.most[e.Trial][e.Called.Request] = *e.Called.MostUSD
	case e.Kind == trial.ModelReplied && e.Replied != nil, e.Kind == trial.GatewayServed:
		if e.Replied != nil {
			p.longest = max(p.longest, e.Replied.Reply.Usage.Output)
		}
		if usd := p.cents(e); usd != nil {
			p.cost[e.Trial] += *usd
			p.compared(e, *usd)
		}
	case e.Kind == trial.TrialFinished && e.Outcome != nil && (e.Outcome.Status == trial.Pass ||
		e.Outcome.Status == trial.Fail):
		m := p.model[e.Trial]
		p.costs[m] = append(p.costs[m], p.cost[e.Trial])
	}
}

// compared keeps by how much a request was held to cost more than it did.
func (p *Journal) compared(e trial.Event, usd float64) {
	n := 0
	if e.Request != nil {
		n = e.Request.N
	}
	if most, ok := p.most[e.Trial][n]; ok {
		p.above = max(p.above, most-usd)
		delete(p.most[e.Trial], n)
	}
}

// Attempts gives how many attempts at a trial were begun.
func (p *Journal) Attempts(t trial.Trial) int {
	if p == nil {
		return 0
	}
	return p.attempts[t.ID]
}

// Unsettled is what requests may have cost that were under way when the run was cut
// off. Nothing of it goes on once it is asked.
func (p *Journal) Unsettled() trial.Bound {
	p.unsettled.End()
	return p.unsettled.All()
}

// Finished reports whether no trial is left.
func (p *Journal) Finished() bool { return p.Done(p.Run.Trials) }

// Done reports whether no trial of these is left.
func (p *Journal) Done(chain []trial.Trial) bool {
	return p != nil && !slices.ContainsFunc(chain, func(t trial.Trial) bool { return !p.ended[t.ID] })
}

// Passing says whether a void for this cause may not happen again.
func Passing(c trial.Cause) bool {
	return slices.Contains([]trial.Cause{trial.CauseProvider, trial.CauseSandbox, trial.CauseInternal}, c)
}
