package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/sources"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
)

func (a *app) updateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "update [RECIPE]",
		Short: "Resolve the git sources of a recipe anew, and pin them",
		Long: `Asks the repositories that a recipe extends what their branches and tags mean
now, and writes it to recipe.lock beside the recipe. Until then every run takes
the commits that are pinned there. What no recipe beside the lock uses any more
is taken out of it.`,
		Example: `  cookoff update
  cookoff update my.recipe.md`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: a.CompleteRecipes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.update(cmd.Context(), strings.Join(args, ""))
		},
	}
}

func (a *app) update(ctx context.Context, name string) error {
	finder := recipe.Finder{Dir: a.Dir, Update: true}
	r, err := finder.DiscoverContext(ctx, name)
	if err != nil {
		return a.Unread(ctx, err)
	}
	if !sources.IsFile(r) {
		return cli.Usage("%s is no file beside which recipe.lock could lie", text.Line(r.Source()))
	}
	changed, err := sources.WriteLock(r, true, a.Notify)
	switch {
	case err != nil || changed:
	case len(r.Sources()) == 0:
		a.Say("%s extends nothing from git", text.Line(r.Source()))
	default:
		a.Say("%s is up to date", recipe.LockPath(r.Source()))
	}
	return cli.Written(err)
}
