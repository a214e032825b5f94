// Package budget keeps what a run spends below a limit, so that trials end.
package budget

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"cookoff/contestant"
	"cookoff/model"
	"cookoff/model/baseline"
	"cookoff/report/stat"
	"cookoff/trial"
)

// Error says that a run has no money left for the next request, or trial. Limit and
// Spent are in USD; Spent counts in full what nobody told the cost of.
// Next is what the next trial probably costs, 0 where nobody knows; Enough is the limit
// under which it begins, with room for its last request.
type Error struct{ Limit, Spent, Next, Enough float64 }

func (e *Error) Error() string {
	if e.Next > 0 {
		return fmt.Sprintf("the budget of $%v is too small for another trial, which probably costs $%.4f: "+
			"up to $%.4f is spent", e.Limit, e.Next, e.Spent)
	}
	return fmt.Sprintf("the budget of $%v has no room for the next request: up to $%.4f is spent", e.Limit, e.Spent)
}

// Budget is what all trials of a run may spend together. The most that a request
// can cost is held back before it is made, so that the limit can't be overshot. A
// trial begins only where the money for it is probably there, and those under way
// come before new ones, the oldest first: so trials end. The nil Budget has no limit.
type Budget struct {
	limit  float64
	expect func(model string) (usd float64, ok bool)

	mu          sync.Mutex
	held, spent float64
	costs       map[string][]float64 // of trials that ended, by model
	ended       int                  // trials, since this began
	above       float64              // the most that a request held back above its cost
	next        float64              // what the trials cost, probably, that could not begin
	enough      float64              // the limit under which they could
	under       []*Claim             // trials under way, oldest first
	promised    map[string]float64   // for trials that are to begin, by id
	waiting     []string             // trials that may begin later, by id
	changed     chan struct{}        // is closed when something of this changes
}

// SpentBefore is what a run has spent that goes on, in USD.
type SpentBefore struct {
	Spent float64
	Costs map[string][]float64 // of trials that ended, by model
	Above float64              // the most that a request was held to cost above what it did
}

// New makes a budget of so many USD. expect gives what a trial of a model costs
// before any is known; nil: nobody knows.
func New(limit float64, expect func(model string) (usd float64, ok bool), before SpentBefore) *Budget {
	b := &Budget{limit: limit, expect: expect, spent: before.Spent, above: before.Above, costs: map[string][]float64{},
		promised: map[string]float64{}, changed: make(chan struct{})}
	for id, costs := range before.Costs {
		b.costs[id] = slices.Clone(costs)
	}
	return b
}

// Spend counts what was spent beside the trials, in USD.
func (b *Budget) Spend(usd float64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent += usd
}

// Claim is what a trial under way may count on. The nil Claim has no limit.
type Claim struct {
	of          *Budget
	model       string
	probably    float64 // USD that it costs
	spent, held float64
	most        float64 // of its last request
}

// rest is what the trial may still need beside what is held for it: what is left
// of what it probably costs, and the more the more it has cost.
func (c *Claim) rest() float64 {
	return max(max(c.probably-c.spent, 2*c.spent, c.most)-c.held, 0)
}

// stir tells all who wait that something changed. The lock is held.
func (b *Budget) stir() {
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
func (b *Budget) await(ctx context.Context, ask func() answer) (bool, error) {
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

// Lone gives the claim of a trial that is no part of a run.
func (b *Budget) Lone() *Claim {
	if b == nil {
		return nil
	}
	return &Claim{of: b}
}

// Begin waits until a trial may begin, with the others of its group: those of all
// models at the same task, so that all have tried the same when the money ends. It
// reports whether it may.
func (b *Budget) Begin(ctx context.Context, t trial.Trial, group []trial.Trial) (c *Claim, ok bool, err error) {
	if b == nil || baseline.Is(t.Model) {
		return nil, true, nil
	}
	b.mu.Lock()
	b.queue(t.ID)
	b.mu.Unlock()
	ok, err = b.await(ctx, func() answer {
		got := b.admit(t, group)
		if got == yes {
			usd, _ := b.probably(t.Model)
			c = &Claim{of: b, model: t.Model, probably: usd}
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
func (b *Budget) queue(id string) {
	b.waiting = append(b.waiting, id)
	slices.SortFunc(b.waiting, func(x, y string) int { return cmp.Or(len(x)-len(y), strings.Compare(x, y)) })
}

// admit says whether a trial may begin. The lock is held.
func (b *Budget) admit(t trial.Trial, group []trial.Trial) answer {
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
	case sum+b.margin(sum) <= b.room(len(b.under)):
		maps.Copy(b.promised, promises)
		return yes
	case !alone:
		return later
	case b.ended == 0 && b.spent < b.limit && b.covers(t.Model): // one trial at least
		return yes
	}
	b.next, b.enough = sum, b.spent+sum+b.margin(sum)
	return no
}

// covers reports whether what is left lets a trial of a model end that costs no more than those before
// it did; where none did, nobody knows that it does not. The lock is held.
func (b *Budget) covers(name string) bool {
	costs := b.costs[name]
	if len(costs) == 0 {
		return true
	}
	mean, _ := stat.MeanVariance(costs)
	return mean+b.above <= b.limit-b.spent
}

// margin is what has to be there beside what a group of trials probably costs: what a
// request holds back above its cost, which the last one needs, and beside trials under way
// the money for two more such groups. Costs differ, and a trial that costs a lot would
// take what those beside it need to end. The lock is held.
func (b *Budget) margin(group float64) float64 {
	if len(b.under) == 0 {
		return b.above
	}
	return b.above + 2*group
}

// room is what is neither spent nor counted on by a trial that is to begin or one
// of the first n under way. The lock is held.
func (b *Budget) room(n int) float64 {
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
func (b *Budget) probably(name string) (usd float64, ok bool) {
	if baseline.Is(name) {
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
	mean, variance := stat.MeanVariance(costs)
	deviation := math.Sqrt(variance)
	if len(costs) == 1 {
		deviation = mean
	}
	return mean + 2*deviation, true
}

// Cost is what a usage of a model costs in USD, if that is known. Baselines cost
// nothing; without prices nobody knows.
func Cost(prices *model.Prices, id string, u model.Usage) (float64, bool) {
	switch {
	case baseline.Is(id):
		return 0, true
	case prices == nil:
		return 0, false
	}
	return prices.Cost(contestant.Model(id), u)
}

// known is of how many trials the cost is known. The lock is held.
func (b *Budget) known() (n int) {
	for _, costs := range b.costs {
		n += len(costs)
	}
	return n
}

// End says that a trial is no longer under way, and whether it was judged.
func (c *Claim) End(judged bool) {
	if c == nil {
		return
	}
	b := c.of
	b.mu.Lock()
	defer b.mu.Unlock()
	b.under = slices.DeleteFunc(b.under, func(o *Claim) bool { return o == c })
	if judged && !baseline.Is(c.model) {
		b.costs[c.model] = append(b.costs[c.model], c.spent)
		b.ended++
	}
	b.stir()
}

// Hold keeps back what a request may cost, once those that began before have what
// they need, or says that there is no room for it.
func (c *Claim) Hold(ctx context.Context, usd float64) error {
	if c == nil {
		return nil
	}
	b := c.of
	ok, err := b.await(ctx, func() answer { return b.keep(c, usd) })
	if err != nil || ok {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return &Error{Limit: b.limit, Spent: b.spent + b.held}
}

// Try holds back what a request may cost where that needs no waiting, and reports whether
// it did.
func (c *Claim) Try(usd float64) bool {
	if c == nil {
		return true
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	return c.of.keep(c, usd) == yes
}

// keep holds money back for a request, where there is enough. The lock is held.
func (b *Budget) keep(c *Claim, usd float64) answer {
	older := slices.Index(b.under, c) // -1: it is not among them
	c.most = usd
	switch {
	case usd <= 0, usd <= b.room(max(older, 0)):
	case older > 0 || b.held > 0:
		return later
	case usd > b.limit-b.spent-b.held:
		return no
	}
	b.held += usd
	c.held += usd
	return yes
}

// Settle puts what a request did cost in the place of what was held back for it.
func (c *Claim) Settle(held, usd float64) {
	if c == nil {
		return
	}
	b := c.of
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= held
	b.spent += usd
	b.above = max(b.above, held-usd)
	c.held -= held
	c.spent += usd
	b.stir()
}

// SpentUp says where the budget stands once it had no room.
func (b *Budget) SpentUp() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &Error{b.limit, b.spent, b.next, b.enough}
}
