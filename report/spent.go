package report

import (
	"fmt"

	"cookoff/report/number"
	"cookoff/trial"
)

// CostUSD is what the trials that count cost; nil: unknown. SpentUSD is what the
// whole run cost.
func (r *Report) CostUSD() *float64 {
	return sum(r.Models, func(m Model) *float64 {
		if m.Judged() == 0 {
			return new(0.0)
		}
		return m.CostUSD
	})
}

// SpentUSD is what the whole run cost; nil: unknown.
func (r *Report) SpentUSD() *float64 {
	return sum(r.Models, func(m Model) *float64 { return m.SpentUSD })
}

// Unsettled is what the requests of all models may have cost whose end nobody heard
// of. It is not in SpentUSD.
func (r *Report) Unsettled() (b trial.Bound) {
	for _, m := range r.Models {
		b = b.Add(m.Unsettled)
	}
	return b
}

// sum adds up what of each model is known; nil where one's is not.
func sum(ms []Model, of func(Model) *float64) *float64 {
	total := 0.0
	for _, m := range ms {
		x := of(m)
		if x == nil {
			return nil
		}
		total += *x
	}
	return &total
}

// SpentDiffers reports whether the run cost more than its trials that count, of
// any model, as far as the formats show.
func (r *Report) SpentDiffers() bool {
	for _, m := range r.Models {
		cost := m.CostUSD
		if m.Judged() == 0 {
			cost = new(0.0)
		}
		if number.Money(cost) != number.Money(m.SpentUSD) {
			return true
		}
	}
	return false
}

// SpentNote says how what was spent differs from the cost, "" where it does not.
func SpentNote(r *Report) string {
	if !r.SpentDiffers() {
		return ""
	}
	inAll := func(x *float64) string {
		if x == nil {
			return ""
		}
		return ", " + number.Money(x) + " in all"
	}
	return fmt.Sprintf("cost: of the trials that count%s; "+
		"spent: on the whole run%s, with void and open trials, earlier attempts and what was cut off",
		inAll(r.CostUSD()), inAll(r.SpentUSD()))
}

// SideEffects counts what the trials of a model ("": of all) that passed left
// beside the repair.
func SideEffects(r *Report, model string) int {
	n := 0
	for _, t := range r.Trials {
		if s := t.Outcome.SideEffects; s != nil && t.Outcome.Status == trial.Pass && (model == "" || t.Model == model) {
			n += s.Count
		}
	}
	return n
}
