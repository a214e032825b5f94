package runner

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
func (l *loop) once(ctx context.Context, a asking) (reply *model.Reply, d time.Duration, err error) {
	passed, err := l.pass(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = l.learn(passed, err) }()
	held := l.most(a.req)
	if err := l.claim.Hold(ctx, held); err != nil {
		return nil, 0, err
	}
	sent := false
	defer func() {
		usd := 0.0
		if sent {
			usd = l.took(held, reply, err)
		}
		l.claim.Settle(held, usd)
	}()
	place, err := l.r.lines.Acquire(ctx, l.id)
	l.out.Seconds.Wait += place.Waited.Seconds()
	if err != nil {
		return nil, 0, err
	}
	said := traffic.Neither
	defer func() {
		if limit, lowered := place.Release(said); lowered {
			l.rec.Note("slowed", fmt.Sprintf("%s says that it is asked too much; requests to it at once from now on: %d", traffic.Provider(l.id), limit))
		}
	}()
	sent = true
	a.called.MostUSD = l.atMost(a)
	a.req.Key = cmp.Or(a.key, l.rec.Key(max(a.called.Try, 1)))
	l.rec.Emit(trial.Event{Kind: trial.ModelCalled, Called: a.called})
	if err := l.rec.Failed(); err != nil { // a request that no journal has is not made
		return nil, 0, err
	}
	d, err = l.timed(ctx, func(ctx context.Context) (err error) {
		reply, err = l.reply(ctx, a)
		return err
	})
	said = traffic.VerdictOf(err)
	return reply, d, err
}

// pass waits until the provider can be asked, and the model of it.
func (l *loop) pass(ctx context.Context) (traffic.Passes, error) {
	if l.r.lines.Barred(l.id) {
		began := l.r.env.Clock.Now()
		defer func() { l.out.Seconds.Wait += l.r.env.Clock.Now().Sub(began).Seconds() }()
	}
	return l.r.lines.Pass(ctx, l.id, func(d time.Duration, why string) {
		text := fmt.Sprintf("%s; asked again in %v, by one request for all its trials", why, d.Round(time.Second))
		l.rec.Emit(trial.Event{Kind: trial.Note, Note: &trial.NoteText{Kind: trial.ProviderDown, Text: text, Wait: d.Seconds()}})
	})
}

// learn ends a request at the circuits that it passed.
func (l *loop) learn(p traffic.Passes, err error) error {
	_, broke := errors.AsType[*budget.Error](err)
	if broke || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		p.Neither()
		return err
	}
	back, lost := p.End(l.rec.Trial, err)
	if back {
		l.rec.Note(trial.ProviderUp, fmt.Sprintf("%s answers again", traffic.Provider(l.id)))
	}
	if lost != nil {
		l.rec.Note(trial.ProviderLost, lost.Error())
		return lost
	}
	return err
}
