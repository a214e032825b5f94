package cookoff

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"cookoff/sandbox"
)

// Stage opens the sandbox of the one task that Options.Select picks, as a trial
// would find it; done removes it. A recipe from elsewhere is agreed to first. No
// model is needed for it.
func (c *Comparison) Stage(ctx context.Context) (sb sandbox.Sandbox, done func(), err error) {
	picked := c.prep.tasks
	if c.prep.opt.Select != nil {
		if picked, err = c.prep.opt.Select(slices.Clone(c.prep.tasks)); err != nil {
			return nil, nil, err
		}
	}
	if len(picked) != 1 {
		return nil, nil, fmt.Errorf("one task can be staged, and there are %d: Options.Select picks it", len(picked))
	}
	if err := c.prep.opt.trust(ctx, c.given, c.prep.beside, c.prep.env.Allow); err != nil {
		return nil, nil, err
	}
	c.prep.env.Prepare.Network = true
	if err := c.prep.warm(ctx); err != nil {
		return nil, nil, err
	}
	if err := c.prep.plant(ctx, nil); err != nil {
		return nil, nil, err
	}
	if err := c.prep.build(); err != nil {
		return nil, nil, err
	}
	return c.prep.runner.Stage(ctx, picked[0])
}

// Check says what is missing here for the recipe's sandboxes.
func (c *Comparison) Check(ctx context.Context) error { return c.prep.env.Backend.Check(ctx) }

// Scratch opens an empty sandbox over the project, as the recipe's trials have
// theirs, to look at something before there are tasks; over spec.Project where that is
// another directory. begin, when not nil, is called before.
func (c *Comparison) Scratch(ctx context.Context, spec sandbox.Spec, begin func()) (sandbox.Sandbox, error) {
	if err := c.prep.warm(ctx); err != nil {
		return nil, err
	}
	c.prep.host.SayChains(c.prep.chains, c.prep.recipe)
	if begin != nil {
		begin()
	}
	spec.Project, spec.ToolPaths = cmp.Or(spec.Project, c.prep.opt.Dir), c.prep.env.ToolPaths
	return c.prep.env.Backend.Open(ctx, spec)
}
