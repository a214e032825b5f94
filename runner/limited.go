package runner

import (
	"fmt"
	"maps"
	"slices"

	"cookoff/model"
	"cookoff/model/baseline"
	"cookoff/runner/budget"
)

// limited gives the run its budget, and refuses models of which nobody could say
// in advance what a request costs at most.
func (r *Runner) limited() error {
	if r.env.MaxCost == 0 {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(r.models)) {
		if _, ok := budget.Cost(r.env.Prices, id, model.Usage{Known: true}); !ok {
			return fmt.Errorf("the price of %q is not known, so a limit of what the run costs can't be kept\n  hint: [prices.%q] in cookoff.toml sets it; cookoff prices lists those that are known", id, id)
		}
		if !baseline.Is(id) && r.recipe.ModelParams.MaxTokens == nil && r.env.Past == nil {
			return fmt.Errorf("nobody knows how long a reply of %q may get, so a limit of what the run costs can't be kept\n  hint: set max_tokens under Model Parameters in the recipe", id)
		}
	}
	var before budget.Behind
	if p := r.env.Past; p != nil {
		before = budget.Behind{Spent: p.spent + p.Unsettled().USD, Costs: p.costs}
	}
	r.budget = budget.New(r.env.MaxCost, r.env.Expect, before)
	return nil
}
