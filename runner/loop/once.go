package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"cookoff/model"
	"cookoff/runner/budget"
	"cookoff/runner/traffic"
	"cookoff/trial"
)

// once makes one request, in a place of the provider's. The place is given
// back before anything else happens: whoever waits to try again holds none.
func (r *requests) once(ctx context.Context, a asking) (reply *model.Reply, d time.Duration, err error) {
	passed, err := r.pass(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = r.learn(passed, err) }()
	held := r.most(a.req)
	if err := r.Claim.Hold(ctx, held); err != nil {
		return nil, 0, err
	}
	sent := false
	defer func() {
		usd := 0.0
		if sent {
			usd = r.took(held, reply, err)
		}
		r.Claim.Settle(held, usd)
	}()
	place, err := r.Lines.Acquire(ctx, r.id)
	r.Outcome.Seconds.Wait += place.Waited.Seconds()
	if err != nil {
		return nil, 0, err
	}
	said := traffic.Neither
	defer func() {
		if limit, lowered := place.Release(said); lowered {
			r.Record.Note("slowed",
				fmt.Sprintf("%s says that it is asked too much; requests to it at once from now on: %d",
					traffic.Provider(r.id), limit))
		}
	}()
	sent = true
	a.called.MostUSD = r.atMost(a)
	a.req.Key = cmp.Or(a.key, r.Record.Key(max(a.called.Try, 1)))
	r.Record.Emit(trial.Event{Kind: trial.ModelCalled, Called: a.called})
	if err := r.Record.Failed(); err != nil { // a request that no journal has is not made
		return nil, 0, err
	}
	d, err = r.timed(ctx, func(ctx context.Context) (err error) {
		reply, err = r.reply(ctx, a)
		return err
	})
	said = traffic.VerdictOf(err)
	return reply, d, err
}

// pass waits until the provider can be asked, and the model of it.
func (r *requests) pass(ctx context.Context) (traffic.Passes, error) {
	if r.Lines.MustWait(r.id) {
		began := r.Clock.Now()
		defer func() { r.Outcome.Seconds.Wait += r.Clock.Now().Sub(began).Seconds() }()
	}
	return r.Lines.Pass(ctx, r.id, func(d time.Duration, why string) {
		text := fmt.Sprintf("%s; asked again in %v, by one request for all its trials", why, d.Round(time.Second))
		r.Record.Emit(trial.Event{Kind: trial.Note,
			Note: &trial.NoteText{Kind: trial.ProviderDown, Text: text, Wait: d.Seconds()}})
	})
}

// learn ends a request at the circuits that it passed.
func (r *requests) learn(p traffic.Passes, err error) error {
	_, broke := errors.AsType[*budget.Error](err)
	if broke || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		p.Neither()
		return err
	}
	back, lost := p.End(r.Record.Trial, err)
	if back {
		r.Record.Note(trial.ProviderUp, fmt.Sprintf("%s answers again", traffic.Provider(r.id)))
	}
	if lost != nil {
		r.Record.Note(trial.ProviderLost, lost.Error())
		return lost
	}
	return err
}
