package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/propose"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/runner"
)

// loaded says which file was found, where that is not what was asked for.
func (a *app) loaded(r *recipe.Recipe, name string) {
	if r.Source() != name {
		a.Say("recipe: %s", text.Line(r.Source()))
		if name == "" && strings.HasPrefix(r.Source(), "builtin:") && len(propose.Commands(a.Dir)) > 0 {
			a.Say("  hint: cookoff init writes one for the project that is here")
		}
	}
}

func (a *app) lintCommand() *cobra.Command {
	var o lintOptions
	cmd := &cobra.Command{
		Use:   "lint [RECIPE...]",
		Short: "Find everything that is wrong with a recipe",
		Long: `Checks recipes as "run" does, keys aside, and prints all that is wrong at once,
as file:line:col. Nothing is run. Exits 2 when there is an error, or with
--strict a warning. A script allows a warning by name, with a reason:
"# lint: allow literal-grep: the file is the product".

With --mutate the checks of each task are tried as well, in sandboxes and
without a model: on the broken state, on the solution without one of its
statements, on nothing at all, and with weaker and wrong verify blocks. A check
that never decides anything is a warning.

With --cheat generated cheats play each task, with --honest variants of its
solution, in sandboxes and without a model; they are judged as trials are. A
cheat that is not rejected, or an honest repair that is, is an error, and lint
exits 1. Both take minutes.`,
		Example: `  cookoff lint
  cookoff lint --strict *.recipe.md
  cookoff lint --mutate my.recipe.md
  cookoff lint --cheat my.recipe.md
  cookoff lint --format json builtin:default`,
		ValidArgsFunction: a.CompleteRecipes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.OneOf("format", o.format, "text", "json"); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{""}
			}
			return a.lint(cmd.Context(), args, o)
		},
	}
	cli.LockedFlag(cmd, &a.locked)
	cmd.Flags().BoolVar(&o.strict, "strict", false, "warnings are errors")
	cmd.Flags().BoolVar(&o.mutate, "mutate", false, "try the checks of each task, in sandboxes")
	cmd.Flags().BoolVar(&o.cheat, "cheat", false, "let generated cheats play each task, in sandboxes")
	cmd.Flags().BoolVar(&o.honest, "honest", false, "let variants of the solution play each task, in sandboxes")
	cmd.MarkFlagsMutuallyExclusive("mutate", "cheat", "honest")
	cmd.Flags().StringVar(&o.format, "format", "text", "text or json")
	return cmd
}

// lintOptions are the flags of "lint".
type lintOptions struct {
	strict bool
	mutate bool
	cheat  bool
	honest bool
	format string
}

// lint checks recipes one after another; a file that can't be read does not
// keep the others from being checked.
func (a *app) lint(ctx context.Context, names []string, o lintOptions) error {
	var all recipe.Problems
	played := playing{app: a, cheat: o.cheat, honest: o.honest}
	for _, name := range names {
		r, ps, err := a.discover(ctx, name)
		if err != nil {
			return err
		}
		if r != nil {
			c, err := a.check(r, ps, checkOptions{offline: true, allow: permissions()})
			if err != nil {
				return err
			}
			ps = c.problems
			if len(ps.Errors()) == 0 {
				try := a.lacking
				switch {
				case o.mutate:
					try = a.mutate
				case o.cheat || o.honest:
					try = played.play
				}
				if ps, err = try(ctx, r, c); err != nil {
					return err
				}
			}
		}
		if len(ps) == 0 && o.format == "text" {
			a.Say("%s: nothing is wrong", r.Source())
		}
		all = append(all, ps...)
	}
	if o.format == "json" {
		if err := a.PrintJSON(cli.ProblemsJSON(all)); err != nil {
			return err
		}
	} else {
		cli.PrintProblems(a.Out, all)
	}
	played.say()
	if played.rate.Wrong > 0 {
		return cli.Fail(cli.ExitGate, nil)
	}
	if len(all.Errors()) > 0 || o.strict && len(all.Strict()) > 0 {
		return cli.Fail(cli.ExitUsage, nil)
	}
	return nil
}

// mutate adds what trying the checks of a recipe finds to its problems.
func (a *app) mutate(ctx context.Context, r *recipe.Recipe, c *checked) (recipe.Problems, error) {
	return a.trying(ctx, r, c, func(built *runner.Runner) (recipe.Problems, error) {
		a.Say("trying the checks of %s", text.Count(len(built.Tasks()), "task"))
		return built.Mutate(ctx, nil)
	})
}

// lacking adds what the checks of a recipe need and its sandboxes do not have;
// nothing where this machine has no sandbox to look into.
func (a *app) lacking(ctx context.Context, r *recipe.Recipe, c *checked) (recipe.Problems, error) {
	if c.env.Backend.Check(ctx) != nil {
		return c.problems, nil
	}
	return a.trying(ctx, r, c, func(built *runner.Runner) (recipe.Problems, error) { return built.Lacking(ctx) })
}

// trying adds what trying the tasks of a recipe in sandboxes finds to its
// problems.
func (a *app) trying(ctx context.Context, r *recipe.Recipe, c *checked,
	try func(*runner.Runner) (recipe.Problems, error)) (recipe.Problems, error) {
	backend, err := a.WarmBackend(ctx, r)
	if err != nil {
		return nil, err
	}
	c.env.Backend = backend
	c.env.Parallel = cli.Parallel()
	bound, err := r.BuildRunner()
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
	}
	built, err := runner.New(bound, c.env)
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
	}
	found, err := try(built)
	switch {
	case ctx.Err() != nil:
		return nil, cli.Fail(cli.ExitInterrupted, nil)
	case err != nil:
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	out := append(slices.Clone(c.problems), found...)
	out.Sort()
	return out, nil
}
