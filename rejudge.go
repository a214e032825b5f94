package cookoff

import (
	"context"
	"errors"
	"slices"

	"cookoff/internal/faults"
	"cookoff/internal/kept"
	"cookoff/runner/remake"
	"cookoff/trial/final"
)

// Kept is a recorded run, and what its trials left.
type Kept = kept.Run

// FindKept reads the run that name means, of the project in dir.
func FindKept(dir, name string) (*Kept, error) { return kept.Find(dir, name) }

// ErrNoTrials says that the recipe has none of the tasks that a run was made with.
var ErrNoTrials = errors.New("the recipe has none of the tasks that were tried")

// Rejudged is what came of judging trials again.
type Rejudged struct {
	Trials       []remake.Rejudged // of the tasks that Options.Select picks
	OtherProject bool              // the project is not what it was when the run was made
}

// ForJudging lets a recipe be checked that no model is asked about: what it
// compares is left out.
func (o Options) ForJudging() Options {
	o.Models, o.Offline = []string{"baseline/noop"}, true
	return o
}

// Rejudge judges what the trials of a run left by the checks of this recipe: each
// task is staged afresh and what a trial changed is made in it. No model is asked.
// begin, when not nil, is told how many trials there are, done how many are judged.
// The error is ErrNoTrials where there is none.
func (c *Comparison) Rejudge(ctx context.Context, k *Kept, begin func(trials int), done func(n, of int)) (*Rejudged,
	error) {
	asked, err := c.toJudge(ctx, k)
	if err != nil {
		return nil, err
	}
	states := final.NewReader(k.Journal)
	defer states.Close()
	list := k.Recorded(c.prep.runner.Tasks(), states)
	if len(list) == 0 {
		return nil, ErrNoTrials
	}
	if begin != nil {
		begin(len(list))
	}
	got, other, err := remake.Rejudge(ctx, &c.prep.runner.Staging, k.Run, list, done)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, faults.Of(err)
	}
	got = slices.DeleteFunc(got, func(g remake.Rejudged) bool { return !slices.Contains(asked, g.Trial.Task) })
	return &Rejudged{got, other}, nil
}

// toJudge makes ready what judges a run, and gives the tasks that were asked for. Where
// tasks build on each other it knows more of them.
func (c *Comparison) toJudge(ctx context.Context, k *Kept) (asked []string, err error) {
	if err := c.prep.warm(ctx); err != nil {
		return nil, err
	}
	if err := c.prep.plant(ctx, k); err != nil {
		return nil, err
	}
	c.prep.env.Parallel = c.prep.opt.Parallel
	asked = c.prep.tasks
	if c.prep.opt.Select != nil {
		if asked, err = c.prep.opt.Select(slices.Clone(c.prep.tasks)); err != nil {
			return nil, err
		}
	}
	if c.prep.recipe.Context.TaskMode != "sequential" { // there a trial needs those before it
		c.prep.env.Only = func(name string) bool { return slices.Contains(asked, name) }
	}
	if err := c.prep.build(); err != nil {
		return nil, err
	}
	if err := c.prep.env.Backend.Check(ctx); err != nil {
		return nil, faults.Machinef("%w\n  hint: cookoff doctor says what this machine lacks", err)
	}
	return asked, nil
}
