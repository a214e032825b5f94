package gateway

import (
	"context"
	"sync"
	"time"

	"cookoff/model"
	"cookoff/runner/traffic"
	"cookoff/trial"
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
	ctx, cancel := x.until(own)
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
			if ctx.Err() != nil || own.Err() != nil {
				pass.Neither()
			} else {
				pass.End(g.opts.Trial, err)
			}
		}
		x.settle()
	}
	x.done(x.ask(ctx, cancel))
}

// until gives the context of a request to the provider. It ends with the agent's; but where
// the reply is written by then, a little later: its usage is still to come.
func (x *exchange) until(own context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(own))
	stop := context.AfterFunc(own, func() {
		end := func() { cancel(context.Cause(own)) }
		if x.over.Load() {
			time.AfterFunc(farewell, end)
			return
		}
		end()
	})
	return ctx, func(cause error) { stop(); cancel(cause) }
}

// leave ends a call whose reply the agent did not wait for. It costs what the provider
// said with the reply's end. Before that nobody knows whether the provider goes on with
// it: it counts as if all that it may have had been written, with its input as told.
func (x *exchange) leave() {
	x.rec.Outcome, x.rec.Why = trial.RequestLeft, errLeft.Error()
	if !x.sent {
		return
	}
	u := x.meter.Usage()
	if u.Known && x.meter.Ended && x.meter.Final {
		x.rec.Usage, x.rec.Guessed = u, false
		return
	}
	x.rec.Guessed, x.rec.CostUSD = true, x.grant.Most
	if u.Known {
		u.Output = max(u.Output, x.call.Output)
		x.rec.CostUSD = x.atMost(u)
	} else {
		u = guess(x.call, &x.meter)
		u.Output = max(u.Output, x.call.Output)
	}
	x.rec.Usage = u
	x.rec.Why += "; its reply counts as the longest that it may have"
}

// sparsest is how many bytes of a request a token has at most: a provider that tells fewer
// before the reply's end has not counted yet, or there are pictures.
const sparsest = 8

// atMost is what a call costs at most whose input the provider has told.
func (x *exchange) atMost(u model.Usage) *float64 {
	most, cost := x.grant.Most, x.g.opts.Cost
	if most == nil || cost == nil || x.call.Output == 0 || u.Input*sparsest < len(x.call.Body) {
		return most
	}
	plain, known := cost(u)
	u.Reasoning = u.Output
	thought, _ := cost(u)
	if !known {
		return most
	}
	return new(min(*most, max(plain, thought)))
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

// opening is how many events a stream begins with at most before the model's first word.
const opening = 5

// notePiece notes that more of the reply has come, of which the model has written something.
func notePiece(x *exchange) {
	if x.meter.Lines > opening {
		x.g.mu.Lock()
		defer x.g.mu.Unlock()
		x.g.idle.NotePiece(x, x.g.opts.Clock.Now())
	}
}

// fallSilent notes that nothing more of the reply comes.
func fallSilent(x *exchange, stalled bool) {
	x.g.mu.Lock()
	defer x.g.mu.Unlock()
	x.g.idle.Ended(x, x.g.opts.Clock.Now(), stalled)
}
