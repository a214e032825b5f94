package cookoff

import (
	"context"
	"fmt"
	"slices"

	"cookoff/internal/ui/text"
	"cookoff/sandbox"
)

// Stage opens the sandbox of the one task that Options.Select picks, as a trial
// would find it; done removes it. A recipe from elsewhere is agreed to first. No
// model is needed for it.
func (c *Comparison) Stage(ctx context.Context) (sb sandbox.Sandbox, done func(), err error) {
	picked := c.tasks
	if c.opt.Select != nil {
		if picked, err = c.opt.Select(slices.Clone(c.tasks)); err != nil {
			return nil, nil, err
		}
	}
	if len(picked) != 1 {
		return nil, nil, fmt.Errorf("one task can be staged, and there are %d: Options.Select picks it", len(picked))
	}
	if err := c.opt.trust(ctx, c.given, c.beside, c.env.Allow); err != nil {
		return nil, nil, err
	}
	c.env.Prepare.Network = true
	if err := c.warm(ctx); err != nil {
		return nil, nil, err
	}
	if err := c.plant(ctx, nil); err != nil {
		return nil, nil, err
	}
	if err := c.build(); err != nil {
		return nil, nil, err
	}
	c.opt.Notify(Notice{Text: "staging: " + text.Line(picked[0])})
	return c.runner.Stage(ctx, picked[0])
}

// Check says what is missing here for the recipe's sandboxes.
func (c *Comparison) Check(ctx context.Context) error { return c.env.Backend.Check(ctx) }

// Scratch opens an empty sandbox over the project, as the recipe's trials have
// theirs, to look at something before there are tasks. begin, when not nil, is
// called before.
func (c *Comparison) Scratch(ctx context.Context, spec sandbox.Spec, begin func()) (sandbox.Sandbox, error) {
	if err := c.warm(ctx); err != nil {
		return nil, err
	}
	c.host.SayChains(c.chains, c.recipe)
	if begin != nil {
		begin()
	}
	spec.Project, spec.ToolPaths = c.opt.Dir, c.env.ToolPaths
	return c.env.Backend.Open(ctx, spec)
}
