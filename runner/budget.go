package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"cookoff/model"
)

// BudgetError says that a run has no money left for the next request. Limit and
// Spent are in USD; Spent counts in full what nobody told the cost of.
type BudgetError struct{ Limit, Spent float64 }

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget of $%v has no room for the next request: up to $%.4f is spent", e.Limit, e.Spent)
}

// budget is what all trials of a run may spend together. The most that a request
// can cost is held back before it is made, so that the limit can't be overshot.
// The nil budget has no limit.
type budget struct {
	mu          sync.Mutex
	limit       float64
	held, spent float64
}

// hold keeps back what a request may cost, or says that there is no room for it.
func (b *budget) hold(usd float64) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if usd > 0 && b.spent+b.held+usd > b.limit {
		return &BudgetError{b.limit, b.spent + b.held}
	}
	b.held += usd
	return nil
}

// settle puts what a request did cost in the place of what was held back for it.
func (b *budget) settle(held, usd float64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= held
	b.spent += usd
}

// spentUp says where the budget stands once it had no room.
func (b *budget) spentUp() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &BudgetError{b.limit, b.spent}
}

// limited gives the run its budget, and refuses models of which nobody could say
// in advance what a request costs at most.
func (r *Runner) limited() error {
	if r.env.MaxCost == 0 {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(r.models)) {
		if _, ok := r.cost(id, model.Usage{Known: true}); !ok {
			return fmt.Errorf("the price of %q is not known, so a limit of what the run costs can't be kept\n  hint: [prices.%q] in cookoff.toml sets it; cookoff prices lists those that are known", id, id)
		}
		if r.models[id].baseline == "" && r.recipe.ModelParams.MaxTokens == nil {
			return fmt.Errorf("nobody knows how long a reply of %q may get, so a limit of what the run costs can't be kept\n  hint: set max_tokens under Model Parameters in the recipe", id)
		}
	}
	r.budget = &budget{limit: r.env.MaxCost}
	if r.env.Past != nil {
		r.budget.spent = r.env.Past.spent
	}
	return nil
}

// most is what a request can cost at most: no token is shorter than a byte.
func (l *loop) most(req *model.Request) float64 {
	if l.r.budget == nil || req.Params.MaxTokens == nil {
		return 0
	}
	text, err := json.Marshal(req)
	if err != nil {
		return l.r.budget.limit + 1 // no such request can be made
	}
	u := model.Usage{Input: len(text), Output: *req.Params.MaxTokens, Known: true}
	plain, _ := l.r.cost(l.id, u)
	u.Reasoning = u.Output
	thought, _ := l.r.cost(l.id, u)
	return max(plain, thought)
}

// took is what a request did cost. What nobody tells counts in full; a request
// that the provider turned away costs nothing.
func (l *loop) took(held float64, reply *model.Reply, err error) float64 {
	var usage model.Usage
	var retry *model.RetryError
	var tooLong *model.ContextError
	var auth *model.AuthError
	var missing *model.NotFoundError
	var refused *model.RefusedError
	var without *model.UnsupportedError
	switch {
	case err == nil:
		usage = reply.Usage
	case errors.As(err, &refused):
		usage = refused.Usage
	case errors.As(err, &retry) && retry.Busy, errors.As(err, &tooLong), errors.As(err, &auth), errors.As(err, &missing), errors.As(err, &without):
		return 0
	}
	if usd, ok := l.r.cost(l.id, usage); ok {
		return usd
	}
	return held
}
