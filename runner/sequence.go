package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cookoff/runner/loop"
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
	if h.state == nil {
		return nil
	}
	st := h.state
	h.state = nil
	return st.Release()
}

// diverged says that what a trial leaves now is not what the trials after it began
// with.
func (h *handover) diverged() {
	if h != nil {
		h.fresh = true
	}
}

// sequential reports whether a model's tasks build on each other.
func (r *Runner) sequential() bool { return r.recipe.Context.TaskMode == "sequential" }

// chains gives the trials that are left and must be run one after another, each
// chain in plan order; chains are independent of each other.
func (r *Runner) chains() [][]trial.Trial {
	long := 1
	if r.sequential() {
		long = max(len(r.order), 1)
	}
	return slices.DeleteFunc(slices.Collect(slices.Chunk(r.Plan(), long)), r.env.Past.done)
}

// chain runs trials one after another.
func (a *runAll) chain(ctx context.Context, ts []trial.Trial) (err error) {
	hand := a.r.before(ts[0].Model)
	if a.r.sequential() && hand == nil {
		hand = &handover{}
	}
	if hand != nil {
		defer func() { err = errors.Join(err, hand.release()) }()
	}
	for _, t := range ts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.one(ctx, t, hand); err != nil {
			return err
		}
	}
	return nil
}

// admitInOrder proves the tasks of a sequence: each where the solutions of
// those before it lead.
func (r *Runner) admitInOrder(ctx context.Context, tell func(done int)) (out map[string]trial.Exclude, err error) {
	out = map[string]trial.Exclude{}
	hand := &handover{}
	defer func() { err = errors.Join(err, hand.release()) }()
	for i, name := range r.order {
		t := r.tasks[name]
		open := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
			if st == nil {
				st = hand.state
			}
			return r.open(ctx, t, st, p)
		}
		x, err := t.checks.Admit(ctx, open, t.shortcuts)
		if err != nil {
			return nil, fmt.Errorf("admitting task %q: %w", name, err)
		}
		if x != nil {
			x.Task = name
			out[name] = *x
		} else if err := r.solve(ctx, t, hand); err != nil {
			return nil, fmt.Errorf("solving task %q: %w", name, err)
		}
		tell(i + 1)
	}
	return out, nil
}

// solve stages a task on what a handover holds, runs its solution, and keeps
// what that leaves.
func (r *Runner) solve(ctx context.Context, t *task, hand *handover) error {
	st, err := r.solved(ctx, t, hand.state)
	if err != nil {
		return err
	}
	return hand.take("", st, nil)
}

func (r *Runner) solved(ctx context.Context, t *task, from sandbox.State) (st sandbox.State, err error) {
	sb, err := r.open(ctx, t, from, sandbox.Agent)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	if _, err := t.checks.Stage(ctx, sb); err != nil {
		return nil, err
	}
	if t.Solution != "" {
		if _, err := sb.Exec(ctx, sandbox.Cmd{Script: t.Solution, Timeout: t.Limits.Solution}); err != nil {
			return nil, err
		}
	}
	return sb.Seal(ctx)
}
