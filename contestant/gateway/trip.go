package gateway

import (
	"context"
	"sync"

	"cookoff/runner/traffic"
)

// depart begins a call's wait, for money and for a place: the agent's own place is free
// meanwhile, and until home is called.
func (x *exchange) depart(own context.Context) {
	g := x.g
	x.home = func() {}
	if g.opts.Away != nil && !x.rec.Helper {
		back := g.opts.Away()
		x.home = sync.OnceFunc(func() { back(own) })
	}
	x.departed = g.opts.Clock.Now()
	g.moved(1, 0)
}

// arrive ends a call's wait.
func (x *exchange) arrive() {
	x.g.moved(-1, 0)
	x.wait = x.g.opts.Clock.Now().Sub(x.departed)
}

// send makes the request, once there is a place for it, and hands the reply on. What is
// bounded in time has a context of its own: the agent's place is waited for in any case.
func (x *exchange) send(own context.Context) {
	g := x.g
	pass, slot, err := g.line(own)
	x.arrive()
	if err != nil {
		x.failed(own, err)
		return
	}
	ctx, cancel := context.WithCancelCause(own)
	defer cancel(nil)
	g.moved(0, 1)
	done := false
	x.done = func(err error) {
		if done {
			return
		}
		done = true
		x.ended = g.opts.Clock.Now()
		g.moved(0, -1)
		if g.opts.Lines != nil {
			slot.Release(traffic.VerdictOf(err))
			if ctx.Err() != nil {
				pass.Neither()
			} else {
				pass.End(g.opts.Trial, err)
			}
		}
		x.settle()
	}
	x.done(x.ask(ctx, cancel))
}

// settle puts what the call has cost in the place of what is held back for it.
func (x *exchange) settle() {
	x.price()
	if settle := x.grant.Settle; settle != nil {
		x.grant.Settle = nil
		settle(x.rec)
	}
}

// price notes what the call has cost, if that is known.
func (x *exchange) price() {
	if x.rec.Usage.Known && x.g.opts.Cost != nil && x.rec.CostUSD == nil {
		if usd, ok := x.g.opts.Cost(x.rec.Usage); ok {
			x.rec.CostUSD = &usd
		}
	}
}

// moved notes that a call goes from one to the other.
func (g *Gateway) moved(waiting, asking int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.idle.At(g.opts.Clock.Now(), waiting, asking)
}
