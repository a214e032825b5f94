package cookoff

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"cookoff/internal/config"
	"cookoff/internal/host"
	"cookoff/internal/remote"
	"cookoff/internal/repairdirs"
	"cookoff/internal/sources"
	"cookoff/internal/trust"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner"
)

// Open finds the recipe that source means (a path, builtin:NAME, a bare name,
// git+https://host/repo//file@REV; "" looks for one), checks everything in it and
// chooses what it runs on and who answers, once. Nothing is run and no model is
// asked. The error holds all that is wrong at once, as problem.List, where it
// is the recipe's doing. Close the Comparison in the end.
func Open(ctx context.Context, source string, o Options) (*Comparison, error) {
	r, ps, err := Find(ctx, source, o)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, ps
	}
	c, err := Check(ctx, r, ps, o)
	if err != nil {
		return nil, err
	}
	if !o.Offline {
		if err := c.Ready(ctx); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// Find finds and reads a recipe, and pins what it extends. Its problems come back
// beside what could be read of it, so that Check finds the others too; any other
// error means that there is nothing to check.
func Find(ctx context.Context, source string, o Options) (*recipe.Recipe, problem.List, error) {
	if err := o.fill(); err != nil {
		return nil, nil, err
	}
	return sources.Finder{Dir: o.Dir, Locked: o.Locked, Build: o.Build, Notify: o.Notify}.Find(ctx, source)
}

// Check checks the names in a recipe: models and their keys, tools, repairs,
// permissions, the sandbox. read are the problems of reading it. The error is a
// problem.List where one of them all is an error; warnings alone are the
// Comparison's Problems.
func Check(ctx context.Context, r *recipe.Recipe, read problem.List, o Options) (*Comparison, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	c := &Comparison{given: r, prep: preparation{opt: o, recipe: Over(r, o.Models, o.Trials)}}
	p := &c.prep
	o.Until.over(&p.recipe.Comparison)
	p.recipe.Comparison.Seed = cmp.Or(o.Seed, p.recipe.Comparison.Seed)
	p.recipe, p.sets = p.recipe.Standing()
	atEnd := o.AtEnd
	if atEnd == nil {
		atEnd = func(one io.Closer) { c.atEnd = append(c.atEnd, one) }
	}
	m, env, err := choose(ctx, &p.opt, p.recipe, atEnd)
	if err != nil {
		return nil, err
	}
	p.means, p.atMost, p.keep = m, p.opt.Parallel, atEnd
	if _, err := remote.Named(m.host.Config, o.Hosts); err != nil {
		return nil, err
	}
	p.opt.Parallel, env.Cores = p.opt.atOnce(p.recipe, env.Providers)
	env.Only = func(task string) bool {
		p.tasks = append(p.tasks, task)
		return true
	}
	c.problems = join(p.recipe, read, runner.Check(p.recipe, env))
	env.Only = nil
	p.env = env
	if _, _, _, bad := question(p.recipe, &p.opt); bad != nil {
		c.problems = join(p.recipe, append(c.problems, *bad), nil)
	}
	if len(c.problems.Errors()) > 0 {
		return nil, c.problems
	}
	return c, nil
}

// fill puts in what was left out.
func (o *Options) fill() (err error) {
	if o.Dir == "" {
		o.Dir, err = os.Getwd()
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if !(o.MaxCost >= 0) || math.IsInf(o.MaxCost, 1) {
		return fmt.Errorf("MaxCost is %v: give a number of USD above 0, or 0 for no limit", o.MaxCost)
	}
	if o.Notify == nil {
		o.Notify = func(Notice) {}
	}
	o.Keep = cmp.Or(o.Keep, runner.KeepAll)
	return err
}

// Over gives a recipe that compares these contestants (none: its own), so often with each
// task (0: as it says).
func Over(r *recipe.Recipe, models []string, trials int) *recipe.Recipe {
	asked := &recipe.Recipe{Comparison: recipe.ComparisonConfig{Trials: trials}}
	out := asked.Over(r)
	if len(models) > 0 {
		out = out.Choose(models)
	}
	return out
}

// Trust asks before the first run of a recipe that is no file of the user's and never
// ran here. What was agreed to is remembered by all that it says.
func Trust(ctx context.Context, r *recipe.Recipe, o Options) error {
	if err := o.fill(); err != nil {
		return err
	}
	own, err := repairdirs.Beside(o.rel, r)
	if err != nil {
		return err
	}
	return o.trust(ctx, r, own, o.Allow)
}

// trust is Trust, for a recipe with repairs of its own that gets these permissions.
func (o *Options) trust(ctx context.Context, r *recipe.Recipe, own []repairdirs.Dir, allow []string) error {
	q, err := trust.Of(r, own, trust.Terms{Models: o.Models, Trials: o.Trials, Allow: allow}, o.Getenv)
	if err != nil || q == nil {
		return err
	}
	if err := o.agree(ctx, q); err != nil {
		return err
	}
	if err := q.Remember(); err != nil {
		o.Notify(Notice{Text: fmt.Sprintf("it will be asked about again: %v", err), Warning: true})
	}
	return nil
}

// config reads the configuration.
func (o *Options) config() (*config.Config, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then there is no configuration of the user's
	}
	return config.Load(config.Options{Path: o.Config, Env: o.Getenv, Home: home})
}

// rel is a path as seen from the directory.
func (o *Options) rel(path string) string {
	if r, err := filepath.Rel(o.Dir, path); err == nil && filepath.IsLocal(r) {
		return r
	}
	return path
}

// join puts the problems of reading and those of names together. What stands in a section
// that could not be read is missing, which needs no complaint of its own.
func join(r *recipe.Recipe, read, names problem.List) problem.List {
	out := slices.Clone(read)
	lost := slices.ContainsFunc(read, func(p problem.Problem) bool {
		return p.Kind == problem.UnknownSection || p.Kind == problem.Unreadable
	})
	there := r.SectionsPresent
	unnamed := len(r.Names()) == 0 && (lost || there["models"] || there["contestants"])
	undone := len(r.Tasks) == 0 && (lost || there["tasks"])
	for _, p := range names {
		missing := len(read) > 0 && (unnamed && p.Pos == r.Place("models") || undone && p.Pos == r.Place("tasks"))
		if !missing && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	out.Sort()
	return out
}

// pick takes of the tasks those that are run: where they follow one another, all
// before the last of them as well.
func (o *Options) pick(tasks []string, sequential bool) (picked []string, err error) {
	picked = tasks
	if o.Select != nil {
		if picked, err = o.Select(slices.Clone(tasks)); err != nil {
			return nil, err
		}
	}
	if sequential {
		last := 0
		for i, name := range tasks {
			if slices.Contains(picked, name) {
				last = i + 1
			}
		}
		added := last - len(picked)
		if picked = tasks[:last]; added > 0 {
			o.Notify(Notice{Kind: host.Before, N: added,
				Text: text.Count(added, "task") + " before what was asked for will run as well: " +
					"the tasks of this recipe follow one another (task_mode: sequential)"})
		}
	}
	return picked, nil
}
