package cookoff

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner"
	"cookoff/trial"
)

// Comparison is a recipe whose every name is known to mean something, and what it
// runs on. It is run once; its methods are not safe for concurrent use.
type Comparison struct {
	given    *recipe.Recipe // as it was found
	problems problem.List
	prep     preparation

	ready  bool
	agreed bool
	closed atomic.Bool
	atEnd  []io.Closer
}

// Recipe is the recipe as it is run: with the options laid over it.
func (c *Comparison) Recipe() *recipe.Recipe { return c.prep.recipe }

// Problems are the warnings about the recipe.
func (c *Comparison) Problems() problem.List { return c.problems }

// Runner is what runs the trials, for who steers them by hand; nil before Ready.
func (c *Comparison) Runner() *runner.Runner { return c.prep.runner }

// Options are those that the comparison was made with, what was left out put in.
func (c *Comparison) Options() Options { return c.prep.opt }

// Plan lists the trials that are to be run; nil before Ready.
func (c *Comparison) Plan() []trial.Trial {
	if c.prep.runner == nil {
		return nil
	}
	return c.prep.runner.Left()
}

// Contestants are those with names of their own, and what each is given; nil before
// Ready.
func (c *Comparison) Contestants() []trial.Contestant {
	if c.prep.runner == nil {
		return nil
	}
	return runner.Contestants(c.prep.runner.Values)
}

// Stream writes what happens to w, a line of JSON for each event, without keys.
func (c *Comparison) Stream(w io.Writer) *trial.Stream { return trial.NewStream(w, c.prep.secrets) }

// Close gives back what the sandboxes hold of this machine.
func (c *Comparison) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	var errs []error
	for _, one := range c.atEnd {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}

// Ready makes a checked comparison one that can be run: a recipe from elsewhere is
// agreed to, the tasks are picked and the trials planned. It does nothing the
// second time.
func (c *Comparison) Ready(ctx context.Context) error {
	if c.ready {
		return nil
	}
	c.prep.host.SayChains(c.prep.chains, c.prep.recipe)
	if !c.prep.opt.Dry {
		if err := c.prep.opt.trust(ctx, c.given, c.prep.beside, c.prep.env.Allow); err != nil {
			return err
		}
		if err := c.prep.opt.recordable(); err != nil {
			return err
		}
		c.prep.env.Prepare.Network = true
		if err := c.prep.warm(ctx); err != nil {
			return err
		}
		if err := c.prep.reach(ctx); err != nil {
			return err
		}
		if err := c.prep.plant(ctx, nil); err != nil {
			return err
		}
	}
	c.prep.foretold()
	if err := c.prep.narrow(); err != nil {
		return err
	}
	c.prep.limit()
	if err := c.prep.build(); err != nil {
		return err
	}
	c.ready = true
	return c.expect()
}

// PrepareInteractive makes ready what somebody before a screen steers: Runner runs it. The
// recipe has been agreed to, and every task is admitted anew.
func (c *Comparison) PrepareInteractive(ctx context.Context) error {
	if err := c.prep.warm(ctx); err != nil {
		return err
	}
	if err := c.prep.plant(ctx, nil); err != nil {
		return err
	}
	c.prep.env.Front, c.prep.env.States, c.prep.env.Keep = c.prep.opt.Front, c.prep.opt.States, c.prep.opt.Keep
	c.prep.env.Parallel, c.prep.env.Retries = c.prep.opt.Parallel, c.prep.opt.Retries
	if err := c.prep.build(); err != nil {
		return err
	}
	return c.prep.tryAgents(ctx)
}

// expect learns what trials will cost, where a run has a limit.
func (c *Comparison) expect() error {
	if c.prep.env.MaxCost == 0 {
		return nil
	}
	likely, err := c.Forecast()
	if err != nil {
		return err
	}
	for _, m := range likely.Models {
		if m.USD != nil && m.Trials > 0 {
			c.prep.expected[m.Name] = *m.USD / float64(m.Trials)
		}
	}
	return nil
}
