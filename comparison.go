package cookoff

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"cookoff/internal/faults"
	"cookoff/internal/host"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/report/decide"
	"cookoff/runner"
	"cookoff/trial"
)

// Comparison is a recipe whose every name is known to mean something, and what it
// runs on. It is run once; its methods are not safe for concurrent use.
type Comparison struct {
	opt      Options
	given    *recipe.Recipe // as it was found
	recipe   *recipe.Recipe // with the options laid over it
	problems recipe.Problems
	tasks    []string         // the names of all, in order
	sets     []recipe.Planted // of tasks that are not made yet: see plant

	*means
	proofs   *host.Proofs
	expected map[string]float64 // USD of a trial, by model
	copied   func(runner.ProjectCopy)
	closing  func(n int)
	decider  *decide.Watch // nil: all trials are run

	atMost int             // trials at once that the user wants; 0: any number
	keep   func(io.Closer) // takes what is to be closed in the end

	env    runner.Env
	runner *runner.Runner // nil until it is built
	ready  bool
	agreed bool
	closed atomic.Bool
	atEnd  []io.Closer
}

// Recipe is the recipe as it is run: with the options laid over it.
func (c *Comparison) Recipe() *recipe.Recipe { return c.recipe }

// Problems are the warnings about the recipe.
func (c *Comparison) Problems() recipe.Problems { return c.problems }

// Runner is what runs the trials, for who steers them by hand; nil before Ready.
func (c *Comparison) Runner() *runner.Runner { return c.runner }

// Options are those that the comparison was made with, what was left out put in.
func (c *Comparison) Options() Options { return c.opt }

// Plan lists the trials that are to be run; nil before Ready.
func (c *Comparison) Plan() []trial.Trial {
	if c.runner == nil {
		return nil
	}
	return c.runner.Left()
}

// Contestants are those with names of their own, and what each is given; nil before
// Ready.
func (c *Comparison) Contestants() []trial.Contestant {
	if c.runner == nil {
		return nil
	}
	return runner.Contestants(c.runner.Values)
}

// Stream writes what happens to w, a line of JSON for each event, without keys.
func (c *Comparison) Stream(w io.Writer) *trial.Stream { return trial.NewStream(w, c.secrets) }

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
	c.host.SayChains(c.chains, c.recipe)
	if !c.opt.Dry {
		if err := c.opt.trust(ctx, c.given, c.beside, c.env.Allow); err != nil {
			return err
		}
		c.env.Prepare.Network = true
		if err := c.warm(ctx); err != nil {
			return err
		}
		if err := c.reach(ctx); err != nil {
			return err
		}
		if err := c.plant(ctx, nil); err != nil {
			return err
		}
	}
	c.foretold()
	if err := c.narrow(); err != nil {
		return err
	}
	c.limit()
	if err := c.build(); err != nil {
		return err
	}
	c.ready = true
	return c.expect()
}

// narrow leaves the tasks that Options.Select picks.
func (c *Comparison) narrow() error {
	picked, err := c.opt.pick(c.tasks, c.recipe.Context.TaskMode == "sequential")
	if err == nil {
		c.env.Only = func(name string) bool { return slices.Contains(picked, name) }
	}
	return err
}

// Steered makes ready what somebody before a screen steers: Runner runs it. The
// recipe has been agreed to, and every task is admitted anew.
func (c *Comparison) Steered(ctx context.Context) error {
	if err := c.warm(ctx); err != nil {
		return err
	}
	if err := c.plant(ctx, nil); err != nil {
		return err
	}
	c.env.Front, c.env.States, c.env.Keep = c.opt.Front, c.opt.States, c.opt.Keep
	c.env.Parallel, c.env.Retries = c.opt.Parallel, c.opt.Retries
	if err := c.build(); err != nil {
		return err
	}
	return c.tryAgents(ctx)
}

// tryAgents sees that the agents of the plan start and speak their protocol, before
// anything is paid or waited for.
func (c *Comparison) tryAgents(ctx context.Context) error {
	list := c.runner.Untried()
	if len(list) == 0 {
		return nil
	}
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = text.Line(a.Name)
	}
	c.opt.Notify(Notice{Text: "trying whether these agents start: " + strings.Join(names, ", ")})
	err := c.runner.Try(ctx, list)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return faults.Machinef("%w", err)
}

// warm chooses sandboxes that start with a warm Go cache, and looks at what programs
// there are.
func (c *Comparison) warm(ctx context.Context) error {
	return c.sandboxes(c.host.GoCache(ctx, c.recipe))
}

// cold is warm, and compiles nothing: a Go cache is used where one is there.
func (c *Comparison) cold(ctx context.Context) error {
	return c.sandboxes(c.host.GoCache(ctx, nil))
}

func (c *Comparison) sandboxes(goCache string) (err error) {
	c.env.Tools, c.env.Programs = host.Programs(c.env.ToolPaths), host.EachProgram(c.env.ToolPaths)
	c.env.Backend, err = c.host.Backend(c.recipe, goCache)
	return err
}

// limit says how much is run, and what is kept of it.
func (c *Comparison) limit() {
	o := &c.opt
	c.env = o.Replay.Env(c.env)
	c.env.Parallel, c.env.Retries, c.env.MaxCost = o.Parallel, o.Retries, o.MaxCost
	if o.Replay != nil {
		c.env.Retries = 0 // another attempt would get the same answers
	}
	if !o.Dry { // which writes nothing
		c.env.Kept = filepath.Join(o.Dir, ".cookoff", "cache")
	}
	c.env.ProviderWait, c.env.StopOnLoss = o.ProviderWait, o.StopOnLoss
	c.env.Shard = o.Shard
	c.env.Keep, c.env.States, c.env.Outputs, c.env.Front = o.Keep, o.States, o.Outputs, o.Front
	if c.env.States == nil {
		c.env.States = trial.NewStates(c.secrets)
	}
	c.env.Copied = func(p runner.ProjectCopy) {
		if c.copied != nil {
			c.copied(p)
		}
	}
	c.env.Closing = func(n int) {
		if c.closing != nil {
			c.closing(n)
		}
	}
	if o.Past != nil {
		c.env.Past, c.env.OnDivergence, c.env.DespiteChanges = o.Past.past, o.Past.OnDivergence, o.Past.DespiteChanges
	}
	c.proving()
	c.expected = map[string]float64{}
	c.env.Expect = func(model string) (float64, bool) {
		usd, ok := c.expected[model]
		return usd, ok
	}
}

// proving has admissions remembered. A dry run writes nothing.
func (c *Comparison) proving() {
	if c.proofs = host.NewProofs(); c.proofs != nil && !c.opt.Dry {
		c.env.Proofs, c.env.Proving = c.proofs, host.Proving(c.env.Tools)
	}
}

// expect learns what trials will cost, where a run has a limit.
func (c *Comparison) expect() error {
	if c.env.MaxCost == 0 {
		return nil
	}
	likely, err := c.Forecast()
	if err != nil {
		return err
	}
	for _, m := range likely.Models {
		if m.USD != nil && m.Trials > 0 {
			c.expected[m.Name] = *m.USD / float64(m.Trials)
		}
	}
	return nil
}

// build makes the runner. This is the one place that does.
func (c *Comparison) build() error {
	bound, err := c.recipe.BuildRunner()
	if err != nil {
		return err
	}
	if c.decider = c.watch(); c.decider != nil {
		c.env.Decider = c.decider
		if c.opt.Past == nil && !c.decider.Answerable() {
			return recipe.Problems{c.unanswerable()}
		}
	}
	c.env.Spoken = c.opt.Spoken
	c.runner, err = runner.New(bound, c.env)
	return err
}
