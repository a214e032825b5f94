package recipes

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/sources"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/gitsource"
	"cookoff/recipe/lookup"
)

func newUpdate(c *cli.Common) *cobra.Command {
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
		ValidArgsFunction: c.CompleteRecipes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return update(cmd.Context(), c, strings.Join(args, ""))
		},
	}
}

// update resolves the git sources of a recipe anew, and pins them.
func update(ctx context.Context, c *cli.Common, name string) error {
	finder := recipe.Finder{Dirs: lookup.Dirs{Dir: c.Dir}, Update: true}
	r, err := finder.DiscoverContext(ctx, name)
	if err != nil {
		return c.Unread(ctx, err)
	}
	if !sources.IsFile(r) {
		return cli.Usage("%s is no file beside which recipe.lock could lie", text.Line(r.Source()))
	}
	changed, err := sources.WriteLock(r, true, c.Notify)
	switch {
	case err != nil || changed:
	case len(r.Sources()) == 0:
		c.Say("%s extends nothing from git", text.Line(r.Source()))
	default:
		c.Say("%s is up to date", gitsource.LockPath(r.Source()))
	}
	return cli.Written(err)
}
