package runner

import (
	"context"
	"errors"
	"slices"

	"cookoff/runner/loop"
	"cookoff/runner/seats"
	"cookoff/runner/worlds"
	"cookoff/sandbox"
	"cookoff/trial"
)

// handover is what a model's trials pass on from task to task when tasks are
// done in sequence: the files that one left, and what was said. A void trial
// passes nothing on: the next one starts where it started.
type handover struct {
	from    string // the trial
	state   sandbox.State
	history *loop.History
	fresh   bool // the trials that follow begin anew
}

// take keeps what a trial left, in the place of what the one before left.
func (h *handover) take(trial string, st sandbox.State, said *loop.History) error {
	err := h.release()
	h.from, h.state, h.history = trial, st, said
	return err
}

func (h *handover) release() error {
	st := h.state
	h.state = nil
	return worlds.Release(st)
}

// diverged says that what a trial leaves now is not what the trials after it began
// with.
func (h *handover) diverged() {
	if h != nil {
		h.fresh = true
	}
}

// chains gives the trials that are left and must be run one after another, each
// chain in plan order; chains are independent of each other.
func (r *Runner) chains() [][]trial.Trial {
	long := 1
	if r.Sequential() {
		long = max(len(r.Order), 1)
	}
	return slices.DeleteFunc(slices.Collect(slices.Chunk(r.Plan(), long)), r.env.Journal.Done)
}

// chain runs trials one after another.
func (a *runAll) chain(ctx context.Context, ts []trial.Trial, seat *seats.Seat) (err error) {
	hand := a.r.before(ts[0].Model)
	if a.r.Sequential() && hand == nil {
		hand = &handover{}
	}
	if hand != nil {
		defer func() { err = errors.Join(err, hand.release()) }()
	}
	for _, t := range ts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.one(ctx, t, hand, seat); err != nil {
			return err
		}
	}
	return nil
}
