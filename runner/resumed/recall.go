package resumed

import (
	"cookoff/runner/budget"
	"cookoff/runner/loop"
	"cookoff/runner/record"
	"cookoff/trial"
)

// Recall gives a sink for the events of the run, once more: it keeps what was said
// and done in the trials that are left, as Left gives them, so that they go on
// from there. Without it they begin anew.
func (p *Journal) Recall(left []trial.Trial) trial.Sink {
	p.events = map[string][]trial.Event{}
	for _, t := range left {
		p.events[t.ID] = nil
	}
	return trial.SinkFunc(func(e trial.Event) error {
		if e.Kind == trial.Note && e.Note != nil && e.Note.Kind == "adapted" && e.Note.Failure != nil {
			p.learned = append(p.learned, e.Note.Failure)
		}
		if _, wanted := p.events[e.Trial]; !wanted {
			return nil
		}
		if e.Kind == trial.TrialStarted {
			p.events[e.Trial] = nil
		}
		p.events[e.Trial] = append(p.events[e.Trial], e)
		return nil
	})
}

// Reused gives how many trials go on from where they were, and how many replies
// they have that are not asked for again. It comes after Recall.
func (p *Journal) Reused() (trials, replies int) {
	for _, events := range p.events {
		n, _ := record.NewRedo(events, "").Count()
		if n > 0 {
			trials, replies = trials+1, replies+n
		}
	}
	return trials, replies
}

// Teach passes on what was learned of models.
func (p *Journal) Teach(h *loop.Habits) {
	if p != nil {
		h.Seen(p.longest)
		for _, f := range p.learned {
			h.Learned(f)
		}
	}
}

// IsOver reports whether a trial was void for good: in a sequence such a one is left
// where another is, and passes nothing on.
func (p *Journal) IsOver(t trial.Trial) bool {
	return p != nil && p.ended[t.ID] && p.outcomes[t.ID].Status == trial.Void
}

// Outcome gives how the last attempt at a trial ended; ended is false where it did not.
func (p *Journal) Outcome(t trial.Trial) (out trial.Outcome, ended bool) {
	out, ended = p.outcomes[t.ID]
	return out, ended
}

// Events gives those of the last attempt at a trial that is left, after Recall.
func (p *Journal) Events(t trial.Trial) []trial.Event { return p.events[t.ID] }

// Paid gives what the replies of the last attempt at a trial have cost, in USD.
func (p *Journal) Paid(t trial.Trial) float64 { return p.paid[t.ID] }

// UnsettledOf gives what requests of a trial may have cost that were under way when the
// run was cut off.
func (p *Journal) UnsettledOf(t trial.Trial) trial.Bound { return p.unsettled.Of(t.ID) }

// Budget gives what the run has spent, in USD, as far as is known, and at most; what the
// attempts that were judged have cost, by contestant; and by how much a request was held to
// cost more than it did, at most.
func (p *Journal) Budget() budget.SpentBefore {
	return budget.SpentBefore{Spent: p.spent + p.Unsettled().USD, Costs: p.costs, Above: p.above}
}
