package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/stat"

	"cookoff/model"
	"cookoff/trial"
)

// BudgetError says that a run has no money left for the next request, or trial. Limit and
// Spent are in USD; Spent counts in full what nobody told the cost of.
// Next is what the next trial probably costs, 0 where nobody knows.
type BudgetError struct{ Limit, Spent, Next float64 }

func (e *BudgetError) Error() string {
	if e.Next > 0 {
		return fmt.Sprintf("the budget of $%v is too small for another trial, which probably costs $%.4f: up to $%.4f is spent", e.Limit, e.Next, e.Spent)
	}
	return fmt.Sprintf("the budget of $%v has no room for the next request: up to $%.4f is spent", e.Limit, e.Spent)
}

// budget is what all trials of a run may spend together. The most that a request
// can cost is held back before it is made, so that the limit can't be overshot. A
// trial begins only where the money for it is probably there, and those under way
// come before new ones, the oldest first: so trials end. The nil budget has no limit.
type budget struct {
	mu          sync.Mutex
	limit       float64
	held, spent float64
	expect      func(model string) (usd float64, ok bool) // of a trial, before any is known; nil: nobody knows
	costs       map[string][]float64                      // of trials that ended, by model
	ended       int                                       // trials, since this began
	next        float64                                   // what the trials cost, probably, that could not begin
	under       []*claim                                  // trials under way, oldest first
	promised    map[string]float64                        // for trials that are to begin, by id
	waiting     []string                                  // trials that may begin later, by id
	changed     chan struct{}                             // is closed when something of this changes
}

func newBudget(limit float64) *budget {
	return &budget{limit: limit, costs: map[string][]float64{}, promised: map[string]float64{}, changed: make(chan struct{})}
}

// claim is what a trial under way may count on.
type claim struct {
	model       string
	probably    float64 // USD that it costs
	spent, held float64
	most        float64 // of its last request
}

// rest is what the trial may still need beside what is held for it: what is left
// of what it probably costs, and the more the more it has cost.
func (c *claim) rest() float64 {
	return max(max(c.probably-c.spent, 2*c.spent, c.most)-c.held, 0)
}

// stir tells all who wait that something changed. The lock is held.
func (b *budget) stir() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// answer is what comes of asking for money.
type answer int

const (
	yes answer = iota
	later
	no
)

// await asks until the answer is yes or no. The error is ctx's.
func (b *budget) await(ctx context.Context, ask func() answer) (bool, error) {
	for {
		b.mu.Lock()
		got, changed := ask(), b.changed
		b.mu.Unlock()
		if got != later {
			return got == yes, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// begin waits until a trial may begin, with the others of its group: those of all
// models at the same task, so that all have tried the same when the money ends. It
// reports whether it may.
func (b *budget) begin(ctx context.Context, t trial.Trial, group []trial.Trial) (c *claim, ok bool, err error) {
	if b == nil || free(t.Model) {
		return nil, true, nil
	}
	b.mu.Lock()
	b.queue(t.ID)
	b.mu.Unlock()
	ok, err = b.await(ctx, func() answer {
		got := b.admit(t, group)
		if got == yes {
			usd, _ := b.probably(t.Model)
			c = &claim{model: t.Model, probably: usd}
			b.under = append(b.under, c)
			delete(b.promised, t.ID)
		}
		return got
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = slices.DeleteFunc(b.waiting, func(id string) bool { return id == t.ID })
	b.stir()
	return c, ok, err
}

// queue adds a trial to those that wait to begin, in plan order. The lock is held.
func (b *budget) queue(id string) {
	b.waiting = append(b.waiting, id)
	slices.SortFunc(b.waiting, func(x, y string) int { return cmp.Or(len(x)-len(y), strings.Compare(x, y)) })
}

// admit says whether a trial may begin. The lock is held.
func (b *budget) admit(t trial.Trial, group []trial.Trial) answer {
	if _, ok := b.promised[t.ID]; ok {
		return yes
	}
	alone := len(b.under) == 0
	if len(b.under) > b.known() { // what trials cost is to be seen first
		return later
	}
	if _, known := b.probably(t.Model); b.waiting[0] != t.ID || !known && !alone {
		return later
	}
	promises, sum := map[string]float64{}, 0.0
	for _, g := range group {
		usd, _ := b.probably(g.Model)
		promises[g.ID], sum = usd, sum+usd
	}
	switch {
	case sum <= b.room(len(b.under)):
		maps.Copy(b.promised, promises)
		return yes
	case !alone:
		return later
	case b.ended == 0 && b.spent < b.limit: // one trial at least
		return yes
	}
	b.next = sum
	return no
}

// room is what is neither spent nor counted on by a trial that is to begin or one
// of the first n under way. The lock is held.
func (b *budget) room(n int) float64 {
	left := b.limit - b.spent - b.held
	for _, c := range b.under[:n] {
		left -= c.rest()
	}
	if n < len(b.under) { // a trial under way comes before new ones
		return left
	}
	for _, usd := range b.promised {
		left -= usd
	}
	return left
}

// probably is what a trial of a model costs: as those that ended did, with some
// room above, else as expected. The lock is held.
func (b *budget) probably(name string) (usd float64, ok bool) {
	if free(name) {
		return 0, true
	}
	costs := b.costs[name]
	if b.expect != nil {
		usd, ok = b.expect(name)
	}
	if len(costs) == 0 {
		return usd, ok
	}
	if ok && len(costs) < 3 { // so few may all have been cheap
		costs = append(slices.Clone(costs), usd)
	}
	mean, deviation := stat.MeanStdDev(costs, nil)
	if len(costs) == 1 {
		deviation = mean
	}
	return mean + 2*deviation, true
}

func free(name string) bool { return strings.HasPrefix(name, "baseline/") }

// known is of how many trials the cost is known. The lock is held.
func (b *budget) known() (n int) {
	for _, costs := range b.costs {
		n += len(costs)
	}
	return n
}

// end says that a trial is no longer under way, and whether it was judged.
func (b *budget) end(c *claim, judged bool) {
	if b == nil || c == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.under = slices.DeleteFunc(b.under, func(o *claim) bool { return o == c })
	if judged && !free(c.model) {
		b.costs[c.model] = append(b.costs[c.model], c.spent)
		b.ended++
	}
	b.stir()
}

// hold keeps back what a request may cost, once those that began before have what
// they need, or says that there is no room for it.
func (b *budget) hold(ctx context.Context, c *claim, usd float64) error {
	if b == nil {
		return nil
	}
	ok, err := b.await(ctx, func() answer { return b.keep(c, usd) })
	if err != nil || ok {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return &BudgetError{Limit: b.limit, Spent: b.spent + b.held}
}

// keep holds money back for a request, where there is enough. The lock is held.
func (b *budget) keep(c *claim, usd float64) answer {
	older := slices.Index(b.under, c) // -1: it is not among them
	if c != nil {
		c.most = usd
	}
	switch {
	case usd <= 0, usd <= b.room(max(older, 0)):
	case older > 0 || b.held > 0:
		return later
	case usd > b.limit-b.spent-b.held:
		return no
	}
	b.held += usd
	if c != nil {
		c.held += usd
	}
	return yes
}

// settle puts what a request did cost in the place of what was held back for it.
func (b *budget) settle(c *claim, held, usd float64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= held
	b.spent += usd
	if c != nil {
		c.held -= held
		c.spent += usd
	}
	b.stir()
}

// spentUp says where the budget stands once it had no room.
func (b *budget) spentUp() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &BudgetError{b.limit, b.spent, b.next}
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
		if r.models[id].baseline == "" && r.recipe.ModelParams.MaxTokens == nil && r.env.Past == nil {
			return fmt.Errorf("nobody knows how long a reply of %q may get, so a limit of what the run costs can't be kept\n  hint: set max_tokens under Model Parameters in the recipe", id)
		}
	}
	r.budget = newBudget(r.env.MaxCost)
	r.budget.expect = r.env.Expect
	if p := r.env.Past; p != nil {
		r.budget.spent = p.spent + p.Unsettled().USD
		for id, costs := range p.costs {
			r.budget.costs[id] = slices.Clone(costs)
		}
	}
	return nil
}

// assumedReply is how many tokens a reply has at most where nobody limits it and
// none has been seen.
const assumedReply = 16_384

// longestReply is how many tokens the next reply may have: max_tokens, as far as the
// provider keeps to it. Where it does not, and where there is no limit, twice the
// longest that was seen.
func (l *loop) longestReply(limit *int) int {
	seen := 0
	l.r.habits.at(l.id, func(h *habit) { seen = h.longest })
	if p := l.r.env.Past; p != nil {
		seen = max(seen, p.longest)
	}
	switch {
	case limit != nil && seen <= *limit:
		return *limit
	case limit == nil && seen == 0:
		return assumedReply
	}
	return 2 * seen
}

// most is what a request can cost at most: no token is shorter than a byte.
func (l *loop) most(req *model.Request) float64 {
	if l.r.budget == nil || l.r.models[l.id].baseline != "" {
		return 0
	}
	text, err := json.Marshal(req)
	if err != nil {
		return l.r.budget.limit + 1 // no such request can be made
	}
	u := model.Usage{Input: len(text), Output: l.longestReply(req.Params.MaxTokens), Known: true}
	plain, _ := l.r.cost(l.id, u)
	u.Reasoning = u.Output
	thought, _ := l.r.cost(l.id, u)
	return max(plain, thought)
}

// atMost is what a request costs at most, for the journal; nil: nobody knows.
func (l *loop) atMost(a asking) *float64 {
	params := a.req.Params
	if l.r.models[l.id].baseline == "" && params.MaxTokens == nil {
		return nil
	}
	u := model.Usage{Input: l.inputAtMost(a), Known: true}
	if params.MaxTokens != nil {
		u.Output = *params.MaxTokens
	}
	plain, known := l.r.cost(l.id, u)
	u.Reasoning = u.Output
	thought, _ := l.r.cost(l.id, u)
	if !known {
		return nil
	}
	return new(max(plain, thought))
}

// inputAtMost is how many tokens a request sends at most: what the provider
// counted before, and no token of what came since is shorter than a byte.
func (l *loop) inputAtMost(a asking) int {
	const frame = 16                                       // bytes that a message has around it
	if len(a.req.Tools) == 0 && len(a.req.Messages) == 1 { // a summary: another conversation
		return size(a.req.Messages[0]) + frame
	}
	if l.exact > 0 {
		return l.exact + max(l.size-l.at, 0) + frame*len(a.req.Messages)
	}
	return l.size + l.specs + frame*len(a.req.Messages)
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
