package agent

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"cookoff/contestant/gateway"
	"cookoff/model"
	"cookoff/runner/budget"
	"cookoff/runner/v1"
	"cookoff/trial"
)

// assumedReply is how many tokens a reply may have where its request does not say: so
// much is put in where money is limited. leastReply is what it is worth asking for, and
// leastThinking where the model is to think: providers take no less.
const (
	assumedReply  = 32_000
	leastReply    = 256
	leastThinking = 2048
)

// money holds the limits in money of the recipe and of the run.
type money struct {
	c       *Contestant
	longest int     // reply, in tokens
	largest float64 // USD that were held back for a request
	broke   error   // the run's budget had no room

	densest float64 // bytes a token, of what was sent up to now; 0: nothing is known

	spent    float64       // USD, at most where it is not known
	under    int           // calls under way
	reserved float64       // USD, for them, of max_cost
	changed  chan struct{} // is closed when one of them ends
}

// usualInput is a body, in bytes, that no agent's first request need be larger than.
const usualInput = 256 << 10

// usual reports whether a request is like those that agents make: where the run has no
// room for another one the agent asked for what no budget is made for.
func (m *money) usual(ask gateway.Ask, held float64) bool {
	return ask.Input <= usualInput || held <= 2*m.largest
}

// cost is what a usage costs, if that is known.
func (m *money) cost(u model.Usage) (float64, bool) { return budget.Cost(m.c.Prices, m.c.Model, u) }

// admit is asked before each call.
func (m *money) admit(ctx context.Context, ask gateway.Ask) (g gateway.Grant, err error) {
	var reserved float64
	if g.Output, reserved, err = m.reply(ctx, ask); err != nil {
		return g, err
	}
	if g.Output > 0 {
		ask.Output = g.Output
	}
	most, known := m.most(ask)
	if known {
		g.Most = &most
	}
	held := most
	if m.c.Claim == nil {
		held = 0
	}
	if err := m.hold(ctx, ask, held); err != nil {
		m.release(reserved)
		return g, err
	}
	if err := m.c.events.called(ctx, ask, g.Most); err != nil { // a request that no journal has is not made
		m.c.Claim.Settle(held, 0)
		m.release(reserved)
		return g, err
	}
	g.Settle = func(r trial.Request) {
		m.learn(ask, r)
		m.settle(held, most, r)
		m.release(reserved)
	}
	return g, nil
}

// hold keeps back what a call may cost of the run's budget.
func (m *money) hold(ctx context.Context, ask gateway.Ask, held float64) error {
	err := m.await(ctx, ask, held)
	if err != nil && ctx.Err() != nil {
		return err
	}
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	switch {
	case err == nil:
		m.largest = max(m.largest, held)
		return nil
	case !m.usual(ask, held):
		return fmt.Errorf("a request of %d bytes, larger than those before, could cost $%.4f: %w", ask.Input, held, err)
	}
	m.broke = err
	return err
}

// await waits for money. Who waits for it keeps no place among the trials that work: those
// that have the money may need it to end.
func (m *money) await(ctx context.Context, ask gateway.Ask, held float64) error {
	if ask.Helper { // any other call has left it already, see gateway.Options.Away
		if m.c.Claim.Try(held) {
			return nil
		}
		back := m.c.seat.away()
		defer back(ctx)
	}
	return m.c.Claim.Hold(ctx, held)
}

// settle puts what a call did cost in the place of what was held back for it.
func (m *money) settle(held, most float64, r trial.Request) {
	usd := m.charged(most, r)
	m.c.mu.Lock()
	if !r.Guessed {
		m.longest = max(m.longest, r.Usage.Output)
	}
	m.spent += usd
	m.c.mu.Unlock()
	m.c.Claim.Settle(held, usd)
}

// charged is what a call counts in limits, in USD: where its cost is not known, because
// nobody has the price of what a cache gave, as if there was none; else what it costs at most.
func (m *money) charged(most float64, r trial.Request) float64 {
	if r.CostUSD != nil {
		return *r.CostUSD
	}
	u := r.Usage
	if u == (model.Usage{}) && r.Outcome != trial.RequestOK && r.Outcome != trial.RequestLeft {
		return 0
	}
	u.Input += u.CacheWrite5m + u.CacheWrite1h // twice: the most that providers ask for that
	u.Cached, u.CacheWrite5m, u.CacheWrite1h = 0, 0, 0
	if usd, ok := m.cost(u); ok && u.Known && r.Outcome != trial.RequestLeft {
		return usd
	}
	return most
}

// release ends a call under way.
func (m *money) release(usd float64) {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	if m.c.MaxCost == 0 {
		return
	}
	m.under--
	if m.reserved -= usd; m.under == 0 {
		m.reserved = 0 // and no rest of rounding
	}
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// reply gives how many tokens a call's reply may have, 0: as its request says, and what
// it takes of max_cost until it is released. It waits until those under way leave room for
// it, and refuses what could break max_cost all the same.
func (m *money) reply(ctx context.Context, ask gateway.Ask) (tokens int, reserved float64, err error) {
	want := ask.Output
	if want == 0 && (m.c.Claim != nil || m.c.MaxCost > 0) {
		want = assumedReply
	}
	for m.c.MaxCost > 0 {
		r, err := m.room(ask, want)
		if err != nil {
			return 0, 0, err
		}
		if r.wait == nil {
			want, reserved = r.tokens, r.usd
			break
		}
		select {
		case <-r.wait:
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		}
	}
	if want == ask.Output {
		want = 0
	}
	return want, reserved, nil
}

// room is what max_cost leaves for a call.
type room struct {
	tokens int           // of its reply
	usd    float64       // that is reserved for it
	wait   chan struct{} // is closed when there may be more: others are under way. nil: it is there
}

// room looks whether there is room for a call, and reserves it.
func (m *money) room(ask gateway.Ask, want int) (r room, err error) {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	bare := m.input(ask)
	each, left := m.token(), m.c.MaxCost-m.spent-m.reserved
	next := bare + float64(m.longest)*each
	r.tokens = want
	if each > 0 {
		r.tokens = int(min(max((left-bare)/each, 0), float64(want)))
	}
	least := leastReply
	if ask.Thinks > 0 {
		least = leastThinking
	}
	fits := next <= left && r.tokens >= min(want, least)
	switch {
	case m.under > 0 && (!fits || r.tokens < want):
		if m.changed == nil {
			m.changed = make(chan struct{})
		}
		r.wait = m.changed
		return r, nil
	case !fits:
		return r, fmt.Errorf("$%.4f spent, about $%.4f for the next request, limit $%.4f", m.spent, max(next, bare),
			m.c.MaxCost)
	}
	r.usd = bare + float64(r.tokens)*each
	m.under++
	m.reserved += r.usd
	return r, nil
}

// How many bytes a token of a request has: at the start, and at most and at least whatever
// was seen. Pictures have many, and what the provider adds has none.
const (
	assumedBytes = 2.0
	mostBytes    = v1.TokenBytes
	leastBytes   = 1.0
)

// learn notes how dense the tokens of a request were.
func (m *money) learn(ask gateway.Ask, r trial.Request) {
	if r.Guessed || !r.Usage.Known || r.Usage.Input == 0 {
		return
	}
	seen := min(max(float64(ask.Input)/float64(r.Usage.Input), leastBytes), mostBytes)
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	if m.densest == 0 || seen < m.densest {
		m.densest = seen
	}
}

// input is what a request may cost without its reply, in USD: as dense as the densest up to
// now, and where it asks for a cache as dear as what is written there. The lock is held.
func (m *money) input(ask gateway.Ask) (usd float64) {
	tokens := int(math.Ceil(float64(ask.Input) / cmp.Or(m.densest, assumedBytes)))
	usd, _ = m.cost(model.Usage{Input: tokens, Known: true})
	if !ask.Caches {
		return usd
	}
	twice, _ := m.cost(model.Usage{Input: 2 * tokens, Known: true}) // as it is charged where nobody knows
	for _, u := range []model.Usage{{CacheWrite5m: tokens}, {CacheWrite1h: tokens}} {
		u.Input, u.Known = tokens, true
		written, ok := m.cost(u)
		if !ok {
			written = twice
		}
		usd = max(usd, written)
	}
	return usd
}

// token is what one of a reply costs at most, in USD; 0: nobody knows.
func (m *money) token() float64 {
	const many = 1 << 20
	plain, _ := m.cost(model.Usage{Output: many, Known: true})
	thought, _ := m.cost(model.Usage{Output: many, Reasoning: many, Known: true})
	return max(plain, thought) / many
}

// most is what a call can cost at most: no token is shorter than a byte.
func (m *money) most(ask gateway.Ask) (float64, bool) {
	u := model.Usage{Input: ask.Input, Output: ask.Output, Known: true}
	if u.Output == 0 {
		u.Output = assumedReply
	}
	plain, known := m.cost(u)
	u.Reasoning = u.Output
	thought, _ := m.cost(u)
	return max(plain, thought), known
}
