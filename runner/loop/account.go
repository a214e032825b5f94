package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"cookoff/model"
	"cookoff/model/baseline"
	"cookoff/runner/budget"
	"cookoff/trial"
)

// account is what a trial has used of its limits. A sub-agent's loop has its
// parent's: what it uses, they use.
type account struct {
	used     time.Duration  // of the loop's time
	calls    map[string]int // by tool
	failed   int            // calls
	wrote    int            // calls that may have changed files
	spent    float64        // USD, as far as it is known
	guessed  float64        // USD, for replies whose cost nobody knows
	longest  int            // reply, in tokens
	charged  bool           // a usage was added
	unpriced bool           // the cost of some usage is not known
	granted  []string       // classes of repairs that a person allowed in this trial
}

// known is what the trial has cost, if that is known.
func (a *account) known() (float64, bool) {
	return a.spent, a.charged && !a.unpriced
}

// affordable ends the loop before a request that could break max_cost: what
// was spent, what the request's input will cost and what its reply may cost
// must fit. Without max_tokens nobody knows the last: the longest reply so far
// stands for it.
func (b *base) affordable(input int) error {
	limit := b.Recipe.Constraints.MaxCost
	if limit == 0 {
		return nil
	}
	output := b.longest
	if n := b.Recipe.ModelParams.MaxTokens; n != nil {
		output = *n
	}
	next, _ := b.cost(model.Usage{Input: input, Output: output, Known: true})
	if spent := b.spent + b.guessed; spent+next > limit {
		return &errStop{trial.StopMaxCost, fmt.Sprintf("$%.4f spent, about $%.4f for the next request, limit $%.4f",
			spent, next, limit)}
	}
	return nil
}

// charge adds a usage to the outcome's, and gives its cost, nil when unknown; paid, where it is
// not nil, is what it did cost.
func (b *base) charge(u model.Usage, paid *float64) *float64 {
	if !b.charged {
		b.Outcome.Usage, b.charged = u, true
	} else {
		b.Outcome.Usage = b.Outcome.Usage.Add(u)
	}
	b.longest = max(b.longest, u.Output)
	b.Habits.at(b.id, func(h *habit) { h.longest = max(h.longest, u.Output) })
	usd, ok := b.cost(u)
	if paid != nil { // prices may have been changed since
		usd, ok = *paid, true
	}
	if !ok {
		b.unpriced = true
		b.guess(u)
		return nil
	}
	b.spent += usd
	return &usd
}

// guess counts a reply that read from a cache whose price is not known as if
// it had read nothing from there, and what it wrote to one twice, which is the most
// that providers ask for it: a limit of cost has to hold for it too.
func (b *base) guess(u model.Usage) {
	wrote := u.CacheWrite5m + u.CacheWrite1h
	cached := u.Cached + wrote
	u.Cached, u.CacheWrite5m, u.CacheWrite1h = 0, 0, 0
	u.Input += wrote
	if usd, ok := b.cost(u); ok && cached > 0 {
		b.guessed += usd
		b.caveat("read from a cache, whose price is not known, and so is its cost: "+
			"cached = … under [prices.%q] in cookoff.toml", b.id)
	}
}

// cost is what a usage of the model costs, if that is known.
func (b *base) cost(u model.Usage) (float64, bool) { return budget.Cost(b.Prices, b.id, u) }

// timed runs f with what is left of the loop's time, and charges it.
func (b *base) timed(ctx context.Context, f func(context.Context) error) (time.Duration, error) {
	if b.used >= b.Timeout {
		return 0, &errStop{trial.StopTimeout, fmt.Sprintf("the loop took its %s", b.Timeout)}
	}
	start := b.Clock.Now()
	own, cancel := model.Limited(ctx, b.Timeout-b.used)
	defer cancel()
	err := f(own)
	d := b.Clock.Now().Sub(start)
	b.used += d
	left := errors.Is(ctx.Err(), context.Canceled)
	if err != nil && !left && own.Err() == context.DeadlineExceeded && !providersSilence(err) {
		b.used = max(b.used, b.Timeout)
		err = context.DeadlineExceeded
	}
	return d, err
}

// assumedReply is how many tokens a reply has at most where nobody limits it and
// none has been seen.
const assumedReply = 16_384

// longestReply is how many tokens the next reply may have: max_tokens, as far as the
// provider keeps to it. Where it does not, and where there is no limit, twice the
// longest that was seen.
func (b *base) longestReply(limit *int) int {
	seen := b.Habits.longestReply(b.id)
	switch {
	case limit != nil && seen <= *limit:
		return *limit
	case limit == nil && seen == 0:
		return assumedReply
	}
	return 2 * seen
}

// most is what a request can cost at most: no token is shorter than a byte.
func (r *requests) most(req *model.Request) float64 {
	if r.Claim == nil || baseline.Is(r.id) {
		return 0
	}
	text, err := json.Marshal(req)
	if err != nil {
		return math.MaxFloat64 // no such request can be made
	}
	u := model.Usage{Input: len(text), Output: r.longestReply(req.Params.MaxTokens), Known: true}
	plain, _ := r.cost(u)
	u.Reasoning = u.Output
	thought, _ := r.cost(u)
	return max(plain, thought) + r.written(u)
}

// written is what a request costs at most beside its other parts, where all that
// it sends is written to a cache.
func (r *requests) written(u model.Usage) float64 {
	plain, _ := r.cost(u)
	u.CacheWrite5m = u.Input
	usd, _ := r.cost(u)
	return max(usd-plain, 0)
}

// atMost is what a request costs at most, for the journal; nil: nobody knows.
func (r *requests) atMost(a asking) *float64 {
	params := a.req.Params
	if !baseline.Is(r.id) && params.MaxTokens == nil {
		return nil
	}
	u := model.Usage{Input: r.inputAtMost(a), Known: true}
	if params.MaxTokens != nil {
		u.Output = *params.MaxTokens
	}
	plain, known := r.cost(u)
	u.Reasoning = u.Output
	thought, _ := r.cost(u)
	if !known {
		return nil
	}
	return new(max(plain, thought) + r.written(u))
}

// inputAtMost is how many tokens a request sends at most: what the provider
// counted before, and no token of what came since is shorter than a byte.
func (r *requests) inputAtMost(a asking) int {
	const frame = 16                                       // bytes that a message has around it
	if len(a.req.Tools) == 0 && len(a.req.Messages) == 1 { // a summary: another conversation
		return size(a.req.Messages[0]) + frame
	}
	if r.exact > 0 {
		return r.exact + max(r.size-r.at, 0) + frame*len(a.req.Messages)
	}
	return r.size + r.specs + frame*len(a.req.Messages)
}

// took is what a request did cost. What nobody tells counts in full; a request
// that the provider turned away costs nothing.
func (b *base) took(held float64, reply *model.Reply, err error) float64 {
	var usage model.Usage
	var retry *model.RetryError
	var tooLong *model.ContextError
	var auth *model.AuthError
	var missing *model.NotFoundError
	var refused *model.RefusedError
	var without *model.UnsupportedError
	switch {
	case err == nil && reply != nil: // else a panic ended it
		usage = reply.Usage
	case errors.As(err, &refused):
		usage = refused.Usage
	case errors.As(err, &retry) && retry.Busy, errors.As(err, &tooLong), errors.As(err, &auth),
		errors.As(err, &missing), errors.As(err, &without):
		return 0
	}
	if usd, ok := b.cost(usage); ok {
		return usd
	}
	return held
}
