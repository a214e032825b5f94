package runner

import (
	"context"
	"fmt"
	"time"

	"cookoff/model"
	"cookoff/runner/budget"
	"cookoff/tools"
	"cookoff/trial"
)

// account is what a trial has used of its limits. A sub-agent's loop has its
// parent's: what it uses, they use.
type account struct {
	used     time.Duration // of the loop's time
	timeout  time.Duration
	maxSteps int
	calls    map[string]int // by tool
	failed   int            // calls
	wrote    int            // calls that may have changed files
	spent    float64        // USD, as far as it is known
	guessed  float64        // USD, for replies whose cost nobody knows
	longest  int            // reply, in tokens
	charged  bool           // a usage was added
	unpriced bool           // the cost of some usage is not known
	claim    *budget.Claim  // on the run's budget
	granted  []string       // classes of repairs that a person allowed in this trial
}

// cost is what the trial has cost, if that is known.
func (a *account) cost() (float64, bool) {
	return a.spent, a.charged && !a.unpriced
}

// affordable ends the loop before a request that could break max_cost: what
// was spent, what the request's input will cost and what its reply may cost
// must fit. Without max_tokens nobody knows the last: the longest reply so far
// stands for it.
func (l *loop) affordable(input int) error {
	limit := l.r.recipe.Constraints.MaxCost
	if limit == 0 {
		return nil
	}
	output := l.longest
	if n := l.r.recipe.ModelParams.MaxTokens; n != nil {
		output = *n
	}
	next, _ := l.r.cost(l.id, model.Usage{Input: input, Output: output, Known: true})
	if spent := l.spent + l.guessed; spent+next > limit {
		return &errStop{trial.StopMaxCost, fmt.Sprintf("$%.4f spent, about $%.4f for the next request, limit $%.4f", spent, next, limit)}
	}
	return nil
}

// charge adds a usage to the outcome's, and gives its cost, nil when unknown.
func (l *loop) charge(u model.Usage) *float64 {
	if !l.charged {
		l.out.Usage, l.charged = u, true
	} else {
		l.out.Usage = l.out.Usage.Add(u)
	}
	l.longest = max(l.longest, u.Output)
	l.r.habits.at(l.id, func(h *habit) { h.longest = max(h.longest, u.Output) })
	usd, ok := l.r.cost(l.id, u)
	if !ok {
		l.unpriced = true
		l.guess(u)
		return nil
	}
	l.spent += usd
	return &usd
}

// guess counts a reply that read from a cache whose price is not known as if
// it had read nothing from there: a limit of cost has to hold for it too.
func (l *loop) guess(u model.Usage) {
	cached := u.Cached
	u.Cached = 0
	if usd, ok := l.r.cost(l.id, u); ok && cached > 0 {
		l.guessed += usd
		l.caveat("read from a cache, whose price is not known, and so is its cost: cached = … under [prices.%q] in cookoff.toml", l.id)
	}
}

// cost is what a usage of a model costs, if that is known.
func (r *Runner) cost(id string, u model.Usage) (float64, bool) {
	if r.models[id].baseline != "" {
		return 0, true
	}
	if r.env.Prices == nil {
		return 0, false
	}
	return r.env.Prices.Cost(id, u)
}

// clocked gives how the time of a tool is charged. A sub-agent charges its own.
func (l *loop) clocked(t tools.Tool) func(context.Context, func(context.Context) error) (time.Duration, error) {
	if _, agent := t.(*spawner); agent {
		return func(ctx context.Context, f func(context.Context) error) (time.Duration, error) {
			start := l.r.env.Clock.Now()
			err := f(ctx)
			return l.r.env.Clock.Now().Sub(start), err
		}
	}
	return func(ctx context.Context, f func(context.Context) error) (time.Duration, error) {
		d, err := l.timed(ctx, f)
		l.out.Seconds.Tools += d.Seconds()
		return d, err
	}
}

// timed runs f with what is left of the loop's time, and charges it.
func (l *loop) timed(ctx context.Context, f func(context.Context) error) (time.Duration, error) {
	if l.used >= l.timeout {
		return 0, &errStop{trial.StopTimeout, fmt.Sprintf("the loop took its %s", l.timeout)}
	}
	start := l.r.env.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, l.timeout-l.used)
	defer cancel()
	err := f(ctx)
	d := l.r.env.Clock.Now().Sub(start)
	l.used += d
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		l.used = max(l.used, l.timeout)
		err = context.DeadlineExceeded
	}
	return d, err
}
