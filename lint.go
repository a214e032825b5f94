package cookoff

import (
	"context"

	"cookoff/internal/faults"
	"cookoff/recipe/problem"
	"cookoff/runner"
	"cookoff/runner/admission"
)

// Trying is how Lint tries the tasks of a recipe, without a model.
type Trying string

// Ways of trying tasks.
const (
	Lacking Trying = ""       // what their checks need, and sandboxes here don't have
	Proving Trying = "prove"  // broken as staged, mended by their solution
	Mutants Trying = "mutate" // their checks decide something
	Cheats  Trying = "cheat"  // generated cheats are rejected
	Honest  Trying = "honest" // variants of their solution are not
	Leaks   Trying = "leaks"  // nothing in their worlds gives the answer away
)

// Rate is how many of the contestants that were generated were judged wrong.
type Rate = admission.Rate

// Lint tries the tasks that Options.Select picks in sandboxes and gives what that shows, beside Problems. begin,
// when not nil, is told how many tasks are
// tried, done of the contestants that have played.
func (c *Comparison) Lint(ctx context.Context, how Trying, begin func(tasks int),
	done func(n, of int)) (problem.List, Rate, error) {
	none := Rate{}
	if c.prep.runner == nil {
		if how != Lacking {
			if err := c.prep.plant(ctx, nil); err != nil {
				return nil, none, err
			}
		}
		if err := c.prep.narrow(); err != nil {
			return nil, none, err
		}
	}
	if how == Lacking && c.prep.env.Backend.Check(ctx) != nil {
		return nil, none, nil // there is no sandbox to look into
	}
	if c.prep.runner == nil {
		ready := c.prep.warm
		if how == Lacking {
			ready = c.prep.cold // no command of a task is run
		}
		if err := ready(ctx); err != nil {
			return nil, none, err
		}
		c.prep.env.Parallel = c.prep.opt.Parallel
		if how == Proving || how == Cheats || how == Honest { // anew, and the next run believes it; or not again
			c.prep.proving()
		}
		if how == Proving {
			c.prep.env.Outputs = c.prep.opt.Outputs
		}
		if err := c.prep.build(); err != nil {
			return nil, none, err
		}
	}
	if begin != nil {
		begin(len(c.prep.runner.Tasks()))
	}
	found, rate, err := try(ctx, c.prep.runner, how, done)
	switch {
	case ctx.Err() != nil:
		return nil, none, ctx.Err()
	case err != nil:
		return nil, none, faults.Of(err)
	}
	return found, rate, nil
}

// try tries the tasks.
func try(ctx context.Context, r *runner.Runner, how Trying, done func(n, of int)) (found problem.List, rate Rate,
	err error) {
	switch how {
	case Proving:
		found, err = r.Lint().Prove(ctx)
	case Leaks:
		found, err = r.Lint().Leaks(ctx)
	case Mutants:
		found, err = r.Lint().Mutate(ctx, nil)
	case Cheats:
		found, rate, err = r.Lint().Cheat(ctx, done)
	case Honest:
		found, rate, err = r.Lint().Honest(ctx, done)
	default:
		found, err = r.Lint().Lacking(ctx)
	}
	return found, rate, err
}
