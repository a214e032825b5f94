// Package lint is the command that finds what is wrong with recipes.
package lint

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/choice"
	"cookoff/internal/cli/door"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/problem"
)

// Command is the command "lint".
func Command(d *door.Door) *cobra.Command {
	var o lintOptions
	cmd := &cobra.Command{
		Use:        "lint [RECIPE...]",
		SuggestFor: []string{"check", "validate"},
		Short:      "Find everything that is wrong with a recipe",
		Long: `Checks recipes as "run" does, keys aside, and prints all that is wrong at once,
as file:line:col. Nothing is run. Exits 2 when there is an error, or with
--strict a warning. A script allows a warning by name, with a reason:
"# lint: allow literal-grep: the file is the product".

The whole recipe is checked; --task and --tag say which of its tasks are tried in
sandboxes, by these four and by what looks for programs that checks need.

Of a directory of tasks for Harbor it says which can't be tried on this machine, and why.

With --mutate the checks of each task are tried as well, in sandboxes and
without a model: on the broken state, on the solution without one of its
statements, on nothing at all, and with weaker and wrong verify blocks. A check
that never decides anything is a warning.

With --cheat generated cheats play each task, with --honest variants of its
solution, in sandboxes and without a model; they are judged as trials are. A
cheat that is not rejected, or an honest repair that is, is an error, and lint
exits 1. Both take minutes. Several of these are done one after another.

With --leaks the world of each task is searched, as its model meets it, for what
gives the answer away: commits later than the one checked out, by whatever name or
none, and lines that the solution adds, in files, repositories, caches, packed files
and the system's own. Each is an error, with its path.`,
		Example: `  cookoff lint
  cookoff lint --strict *.recipe.md
  cookoff lint --mutate my.recipe.md
  cookoff lint --cheat my.recipe.md
  cookoff lint --cheat --tag kind:git --task 'one*' --task 'two*' my.recipe.md
  cookoff lint --leaks my.recipe.md
  cookoff lint --format json builtin:default`,
		ValidArgsFunction: d.CompleteRecipes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.OneOf("format", o.format, "text", "json", "sarif"); err != nil {
				return err
			}
			if len(o.harbor) > 0 {
				source, err := d.HarborSource(o.harbor, args)
				if err != nil {
					return err
				}
				args = []string{source}
			}
			if len(args) == 0 {
				args = []string{""}
			}
			if err := errors.Join(o.task.Check("task"), o.tags.Check("tag")); err != nil {
				return err
			}
			return o.lint(cmd.Context(), d, args)
		},
	}
	cli.LockedFlag(cmd, &o.locked)
	cli.HarborFlag(cmd, &o.harbor)
	cli.BuildFlag(cmd, &o.build)
	cmd.Flags().BoolVar(&o.strict, "strict", false, "warnings are errors")
	cmd.Flags().BoolVar(&o.mutate, "mutate", false, "try the checks of each task, in sandboxes")
	cmd.Flags().BoolVar(&o.cheat, "cheat", false, "let generated cheats play each task, in sandboxes")
	choice.Flag(cmd, &o.task, "try")
	cmd.Flags().StringArrayVar((*[]string)(&o.tags), "tag", nil,
		"try only the tasks that have a tag that matches `GLOB`; repeatable, one is enough")
	_ = cmd.RegisterFlagCompletionFunc("task", d.CompleteTasks) // fails only for an unknown flag
	cmd.Flags().Int64Var(&o.seed, "seed", 0, "look at the tasks that seed `N` draws (0: as the recipe says)")
	cmd.Flags().BoolVar(&o.honest, "honest", false, "let variants of the solution play each task, in sandboxes")
	cmd.Flags().BoolVar(&o.leaks, "leaks", false, "look in the world of each task for its answer, in sandboxes")
	cmd.Flags().StringVar(&o.format, "format", "text", "text, json or sarif (2.1.0, for code scanning)")
	return cmd
}

// lintOptions are the flags of "lint".
type lintOptions struct {
	strict bool
	mutate bool
	cheat  bool
	honest bool
	leaks  bool
	format string
	locked bool
	seed   int64
	task   choice.Globs // of the tasks that are tried
	tags   choice.Globs // of the tags of those
	harbor []string     // directories of tasks for Harbor
	build  bool
}

// ways are the ways in which the tasks are tried, one after another.
func (o lintOptions) ways() (list []cookoff.Trying) {
	for _, w := range []struct {
		asked bool
		way   cookoff.Trying
	}{{o.mutate, cookoff.Mutants}, {o.leaks, cookoff.Leaks}, {o.cheat, cookoff.Cheats}, {o.honest, cookoff.Honest}} {
		if w.asked {
			list = append(list, w.way)
		}
	}
	if list == nil {
		return []cookoff.Trying{cookoff.Lacking}
	}
	return list
}

// lint checks recipes one after another; a file that can't be read does not
// keep the others from being checked.
func (o lintOptions) lint(ctx context.Context, d *door.Door, names []string) error {
	var all problem.List
	rates := map[cookoff.Trying]cookoff.Rate{}
	for _, name := range names {
		ps, err := o.lintOne(ctx, d, name, rates)
		if err != nil {
			return err
		}
		all = append(all, ps...)
	}
	if err := d.PrintFound(o.format, all, d.Out); err != nil {
		return err
	}
	if o.cheat {
		d.Say("cheats accepted: %s", rates[cookoff.Cheats])
	}
	if o.honest {
		d.Say("honest repairs rejected: %s", rates[cookoff.Honest])
	}
	if rates[cookoff.Cheats].Wrong+rates[cookoff.Honest].Wrong > 0 {
		return cli.Fail(cli.ExitGate, nil)
	}
	if len(all.Errors()) > 0 || o.strict && len(all.Strict()) > 0 {
		return cli.Fail(cli.ExitUsage, nil)
	}
	return nil
}

// lintOne gives all that is wrong with a recipe; rates count the contestants that
// were generated.
func (o lintOptions) lintOne(ctx context.Context, d *door.Door, name string,
	rates map[cookoff.Trying]cookoff.Rate) (problem.List, error) {
	opt := d.Options(o.locked, false)
	opt.Build = o.build
	opt.Seed = o.seed
	opt.Offline, opt.Allow = true, door.Permissions()
	r, ps, err := d.Find(ctx, name, opt)
	if err != nil || r == nil {
		return ps, err
	}
	tagged, err := o.tags.Tagged(choice.Standing(r))
	if err != nil {
		return nil, err
	}
	if o.task != nil || tagged != nil {
		opt.Select = func(tasks []string) ([]string, error) {
			return o.task.Pick(tasks, tagged)
		}
	}
	c, out, err := checked(ctx, r, ps, opt)
	if err != nil {
		return nil, door.Failure(ctx, err)
	}
	if c == nil {
		return out, nil
	}
	for _, way := range o.ways() {
		found, one, err := shownTrying(ctx, d, c, way)
		if err != nil {
			return nil, door.Failure(ctx, err)
		}
		all := rates[way]
		all.Wrong, all.Tried = all.Wrong+one.Wrong, all.Tried+one.Tried
		rates[way], out = all, append(out, found...)
	}
	if out.Sort(); len(out) == 0 && o.format == "text" {
		d.Say("%s: nothing is wrong", r.Source())
		if name == "" && r.Source() == "builtin:default" {
			d.Say("no recipe.md is here, so it is what \"cookoff run\" would run: cookoff init writes one " +
				"for this project")
		}
	}
	return out, nil
}

// checked gives what is wrong with a recipe, and what its tasks can be tried by where
// they can: nobody who is compared has to be named for that.
func checked(ctx context.Context, r *recipe.Recipe, read problem.List, opt cookoff.Options) (*cookoff.Comparison,
	problem.List, error) {
	c, err := cookoff.Check(ctx, r, slices.Clone(read), opt)
	if err == nil {
		return c, slices.Clone(c.Problems()), nil
	}
	wrong, ok := errors.AsType[problem.List](err)
	if !ok {
		return nil, nil, err
	}
	if len(r.Names()) == 0 {
		opt.Models = []string{"baseline/noop"}
		if c, err := cookoff.Check(ctx, r, read, opt); err == nil {
			return c, slices.Clone(wrong), nil
		}
	}
	return nil, wrong, nil
}

// shownTrying tries the tasks in one way, and says so, and each minute that it goes on.
func shownTrying(ctx context.Context, d *door.Door, c *cookoff.Comparison, way cookoff.Trying) (problem.List,
	cookoff.Rate, error) {
	what := map[cookoff.Trying]string{cookoff.Mutants: "trying the checks of", cookoff.Cheats: "cheats play",
		cookoff.Honest: "honest repairs play", cookoff.Leaks: "looking for answers in the worlds of"}[way]
	end := func() {}
	defer func() { end() }()
	return c.Lint(ctx, way, func(tasks int) {
		if what == "" {
			return
		}
		doing := what + " " + text.Count(tasks, "task")
		d.Say("%s", doing)
		end = d.EachMinute(func(passed time.Duration) string { return doing + ": " + text.Clock(passed) + " so far" })
	}, func(n, of int) { d.Say("%d of %s done", n, text.Count(of, "task")) })
}
