package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cookoff/internal/cli"
	"cookoff/internal/host"
	"cookoff/internal/repairdirs"
	"cookoff/internal/ui/text"
	"cookoff/internal/version"
	"cookoff/model"
	"cookoff/model/replay"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/sandbox"
	"cookoff/trial"
)

// prepared is a comparison that can start: every name in it is known to mean
// something.
type prepared struct {
	played  *played        // nil without --replay
	begun   *begun         // nil but for "resume"
	writer  *replay.Writer // nil without --record
	recipe  *recipe.Recipe
	runner  *runner.Runner
	env     runner.Env
	secrets map[string]string
	copied  *func(runner.ProjectCopy) // what is done when the project has been copied; nil: nothing
	confirm *float64                  // above how much money the user wants to be asked
}

// prepare reads the recipe, lays the flags over it and checks everything, all
// problems at once. Nothing is run and nothing is sent.
func (a *app) prepare(ctx context.Context, name string, f runFlags) (*prepared, error) {
	var again *played
	if f.replay != "" {
		var err error
		if again, err = a.loadPlayed(f.replay); err != nil {
			return nil, err
		}
	}
	if name, f = again.over(name, f); f.begun != nil {
		name, f = f.planned(name, f.begun.Run)
	}
	r, ps, err := a.discover(ctx, name)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, cli.Fail(cli.ExitUsage, ps)
	}
	a.loaded(r, name)
	if f, err = a.narrow(r, f); err != nil {
		return nil, err
	}
	over := f.over(r)
	c, err := a.check(over, ps, checkOptions{repairs: f.repairs, allow: f.allow, played: again, record: f.record})
	if err != nil {
		return nil, err
	}
	if len(f.models) > 0 {
		c.problems = fromFlag(c.problems, r)
	}
	if len(c.problems.Errors()) > 0 {
		return nil, cli.Fail(cli.ExitUsage, c.problems)
	}
	a.warn(c.problems)
	c.host.SayChains(c.chains, over)
	if !f.dryRun {
		f.allow = c.env.Allow // the configuration's too
		if err := a.trust(ctx, r, f); err != nil {
			return nil, err
		}
		if c.env.Backend, err = a.WarmBackend(ctx, over); err != nil {
			return nil, err
		}
	}
	filter, err := c.filter(over, f)
	if err != nil {
		return nil, err
	}
	if over.Context.TaskMode == "sequential" {
		if added := c.before(&filter); added > 0 {
			a.Say("%s before what --task names will run as well: the tasks of this recipe follow one another (task_mode: sequential)", text.Count(added, "task"))
		}
	}
	c.env = again.env(c.env)
	c.env.Only = filter.only
	c.env.Parallel, c.env.Retries, c.env.MaxCost = f.parallel, f.retries, f.maxCost
	c.env.ProviderWait, c.env.StopOnLoss = f.wait, f.onLoss == lossStop
	c.env.Keep, c.env.States = runner.Keep(f.keep), trial.NewStates(c.secrets)
	c.env.Outputs = f.outputs()
	copied := new(func(runner.ProjectCopy))
	c.env.Copied = func(p runner.ProjectCopy) {
		if *copied != nil {
			(*copied)(p)
		}
	}
	c.env.Tools = host.Programs(c.env.ToolPaths)
	if f.begun != nil {
		c.env.Past, c.env.OnDivergence = f.begun.Past, runner.OnDivergence(f.divergence)
		c.env.DespiteChanges = f.despite
	}
	known := host.NewProofs()
	if known != nil && !f.dryRun {
		c.env.Proofs, c.env.Proving = known, host.Proving(c.env.Tools)
	}
	if c.env.Parallel == 0 {
		c.env.Parallel = cli.Parallel()
	}
	bound, err := over.BuildRunner()
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
	}
	expected := map[string]float64{}
	c.env.Expect = func(model string) (float64, bool) {
		usd, ok := expected[model]
		return usd, ok
	}
	built, err := runner.New(bound, c.env)
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
	}
	p := &prepared{again, f.begun, c.writer, over, built, c.env, c.secrets, copied, c.confirm}
	if c.env.MaxCost > 0 {
		likely, err := a.forecast(p)
		if err != nil {
			return nil, err
		}
		for _, m := range likely.Models {
			if m.USD != nil && m.Trials > 0 {
				expected[m.Name] = *m.USD / float64(m.Trials)
			}
		}
	}
	return p, nil
}

// warn says that a recipe has warnings, with --verbose which.
func (a *app) warn(ps recipe.Problems) {
	switch {
	case a.Verbose:
		cli.PrintProblems(a.Err, ps)
	case len(ps) > 0:
		a.Say("%s in the recipe: cookoff lint says which", text.Count(len(ps), "warning"))
	}
}

// over lays the flags over a recipe.
func (f *runFlags) over(r *recipe.Recipe) *recipe.Recipe {
	flags := &recipe.Recipe{Models: f.models, Comparison: recipe.ComparisonConfig{Trials: f.trials}}
	out := flags.Over(r)
	if len(f.models) > 0 && !slices.Contains(f.models, out.Comparison.Baseline) {
		out.Comparison.Baseline = "" // the first of the flag
	}
	return out
}

// checked is what a recipe was checked against, and what came out.
type checked struct {
	writer   *replay.Writer // of what is asked
	problems recipe.Problems
	env      runner.Env
	secrets  map[string]string
	confirm  *float64
	tasks    []string // the names of all, in order
	chains   host.Chains
	host     *host.Host
}

// checkOptions say with what a recipe is checked.
type checkOptions struct {
	offline bool    // keys need not be there
	played  *played // the run whose models answer
	record  bool
	repairs string
	allow   []string
}

// check adds to the problems of reading a recipe those of the names in it, and
// gives the Env that it was checked against.
func (a *app) check(r *recipe.Recipe, ps recipe.Problems, o checkOptions) (*checked, error) {
	cfg, err := a.LoadConfig()
	if err != nil {
		return nil, err
	}
	own, err := repairdirs.Beside(a.Rel, r)
	if err != nil {
		return nil, err
	}
	own = append(own, repairdirs.At(o.repairs)...)
	lib, err := repairdirs.Load(own)
	if err != nil {
		return nil, err
	}
	h := a.HostWith(cfg)
	backend, err := h.Backend(r, "")
	if err != nil {
		return nil, err
	}
	tools := h.ChainsFor(a.ctx, r)
	env := runner.Env{
		Machine:   runner.Machine{Backend: backend, Clock: a.clock, ToolPaths: tools.Paths},
		Providers: runner.Providers{Chat: cfg.Chat, Prices: cfg.Prices(), Slots: cfg.Slots},
		Project:   runner.Project{Dir: a.Dir, Hidden: repairdirs.Paths(own), Secrets: cfg.Secrets()},
		Repairs:   lib,
		Allow:     append(slices.Clone(o.allow), cfg.Allowed(r)...),
		Version:   version.Read().Version,
	}
	if r.Sandbox.Filesystem == string(sandbox.Unrestricted) {
		env.Concealed = h.Concealed()
	}
	if o.offline {
		env.Chat = func(id string) (model.Chat, error) {
			chat, err := cfg.Chat(id)
			if _, ok := errors.AsType[*model.AuthError](err); ok {
				err = nil
			}
			return chat, err
		}
	}
	var w *replay.Writer
	if o.record {
		w = replay.NewWriter(cfg.Secrets())
	}
	env.Chat = a.chats(env.Chat, o.played, w)
	env.Served, env.Offline = served(o.played, w)
	c := &checked{writer: w, secrets: cfg.Secrets(), confirm: cfg.Confirm, chains: tools, host: h}
	env.Only = func(task string) bool {
		c.tasks = append(c.tasks, task)
		return true
	}
	c.problems = join(r, ps, runner.Check(r, env))
	env.Only = nil
	c.env = env
	return c, nil
}

// join puts the problems of reading and those of names together. What could
// not be read is missing, which needs no complaint of its own.
func join(r *recipe.Recipe, read, names recipe.Problems) recipe.Problems {
	out := slices.Clone(read)
	for _, p := range names {
		missing := len(read) > 0 && (p.Pos == r.Place("models") && len(r.Models) == 0 || p.Pos == r.Place("tasks") && len(r.Tasks) == 0)
		if !missing && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	out.Sort()
	return out
}

// fromFlag says of problems with models that they are not the recipe's.
func fromFlag(ps recipe.Problems, r *recipe.Recipe) recipe.Problems {
	out := slices.Clone(ps)
	for i := range out {
		for n := range len(r.Models) + 1 {
			if out[i].Pos == r.At(fmt.Sprintf("models[%d]", n)) {
				out[i].Pos = recipe.Pos{File: "--models"}
			}
		}
	}
	return out
}

// discover finds and reads a recipe, as cli.Common's FindRecipe.
func (a *app) discover(ctx context.Context, name string) (*recipe.Recipe, recipe.Problems, error) {
	return a.FindRecipe(ctx, name, a.locked)
}
