package runner

import (
	"context"
	"errors"

	"cookoff/runner/budget"
	"cookoff/runner/record"
	"cookoff/runner/resumed"
	"cookoff/runner/seats"
	"cookoff/runner/worlds"
	"cookoff/trial"
)

// tries are those of a trial, until one counts or it can't be tried again.
type tries struct {
	all  *runAll
	of   trial.Trial
	hand *handover
	seat *seats.Seat
	seen *remembered

	n       int          // of the attempt, as journals count them
	count   int          // tries that are charged to the trial: not those of a machine or a divergence
	again   *record.Redo // what the next one does again; nil: it begins
	restart string       // why it begins anew; "": it does not
}

// one runs a trial, again while it is void and that may pass.
func (a *runAll) one(ctx context.Context, t trial.Trial, hand *handover, seat *seats.Seat) error {
	w := &tries{all: a, of: t, hand: hand, seat: seat, seen: &remembered{sink: a.sink}, count: 1}
	if !w.wanted() {
		return nil
	}
	for {
		if cause, why := a.hopeless(t); cause != "" && w.again == nil {
			return a.skip(t, w.n, cause, why)
		}
		if a.spent() {
			return nil // the trial stays to be done
		}
		if more, err := w.try(ctx); err != nil || !more {
			return err
		}
	}
}

// wanted takes up what the journal has of the trial; false: nothing is left to be done.
func (w *tries) wanted() bool {
	past := w.all.r.env.Journal
	w.n, w.again, w.restart = w.all.resuming().goesOn(w.of, w.hand)
	switch {
	case w.again != nil: // the same attempt
	case past.IsOver(w.of) && !w.hand.restarted():
		return false
	default:
		if w.n++; w.restart != "" {
			w.hand.diverged()
		}
	}
	w.seen.recall(past, w.of, w.again)
	d := w.all.r.env.Decider
	return d == nil || w.again != nil || d.Wanted(w.of) // else it could not change the answer
}

// try tries once; more: another try is to follow.
func (w *tries) try(ctx context.Context) (more bool, err error) {
	a := w.all
	c, ok, err := w.claim(ctx)
	if err != nil || !ok {
		return false, err
	}
	there := a.r.at(w.seat)
	out, cause, err := there.attempt(ctx, try{w.of, w.n, w.hand, w.again, w.restart, a.id, hostOf(w.seat), c}, w.seen)
	w.again, w.restart = nil, ""
	c.End(out.Status == trial.Pass || out.Status == trial.Fail)
	if err != nil {
		return false, err
	}
	if diverged, ok := errors.AsType[*record.DivergedError](cause); ok {
		w.restart = restartText(diverged.Error(), w.seen.paid)
		w.next()
		w.hand.diverged()
		return true, nil
	}
	cause, crowded, err := a.roomAgain(ctx, there, w.of, out, cause)
	if err != nil {
		return false, err
	}
	if err := a.learn(w.of, out, cause); err != nil {
		return false, err
	}
	// What a machine loses is tried again on another.
	moved, err := w.seat.Elsewhere(ctx, out.Status == trial.Void && worlds.LostHost(cause) && !w.hand.holds())
	if err != nil {
		return false, err
	}
	if crowded {
		w.count--
	}
	if !moved && (out.Status != trial.Void || !resumed.Passing(out.Cause) || lasting(cause) || w.count > a.r.env.Retries) {
		return false, nil
	}
	if !moved {
		w.count++
	}
	if w.again, w.restart = a.resuming().takenUp(w.of, out, cause, w.seen); w.again == nil {
		w.next()
	}
	return true, nil
}

// claim takes a part of the run's budget; false: it is too small for one more.
func (w *tries) claim(ctx context.Context) (*budget.Claim, bool, error) {
	a := w.all
	c, ok, err := a.r.budget.Begin(ctx, a.r.paid(w.of), a.group(w.of))
	if err == nil && !ok {
		a.mu.Lock()
		a.broke = true
		a.mu.Unlock()
	}
	return c, ok, err
}

// next is an attempt of its own.
func (w *tries) next() {
	w.n++
	w.seen.forget()
}
