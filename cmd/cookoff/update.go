package main

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/files"
	"cookoff/internal/ui/screen"
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
		ValidArgsFunction: a.completeRecipes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.update(cmd.Context(), strings.Join(args, ""))
		},
	}
}

func (a *app) lockedFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.locked, "locked", false, "take git sources as recipe.lock pins them, or fail")
}

// isFile tells whether a recipe was read from a file of the user's.
func isFile(r *recipe.Recipe) bool {
	return !strings.HasPrefix(r.Source(), "builtin:") && !strings.HasPrefix(r.Source(), "git+")
}

// unread is a failure to read a recipe.
func (a *app) unread(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		a.Say("interrupted while a recipe was fetched: nothing was run, nothing was written")
		return cli.Fail(cli.ExitInterrupted, nil)
	}
	return cli.Fail(cli.ExitUsage, err)
}

func (a *app) update(ctx context.Context, name string) error {
	finder := recipe.Finder{Dir: a.Dir, Update: true}
	r, err := finder.DiscoverContext(ctx, name)
	if err != nil {
		return a.unread(ctx, err)
	}
	if !isFile(r) {
		return cli.Usage("%s is no file beside which recipe.lock could lie", text.Line(r.Source()))
	}
	changed, err := a.writeLock(r, true)
	switch {
	case err != nil || changed:
	case len(r.Sources()) == 0:
		a.Say("%s extends nothing from git", text.Line(r.Source()))
	default:
		a.Say("%s is up to date", recipe.LockPath(r.Source()))
	}
	return cli.Written(err)
}

// pin writes what was resolved to the lock. Reading goes on where it can't be.
func (a *app) pin(r *recipe.Recipe) {
	if len(r.Sources()) == 0 || a.locked || !isFile(r) {
		return
	}
	if _, err := a.writeLock(r, false); err != nil {
		a.Say("%s pinning git sources: %v", a.Err.Paint(screen.Yellow, "warning:"), err)
	}
}

// writeLock lays what was resolved over the lock beside a recipe, perhaps
// without what nobody uses any more, and says what changed.
func (a *app) writeLock(r *recipe.Recipe, prune bool) (changed bool, err error) {
	path := recipe.LockPath(r.Source())
	lock, err := recipe.ReadLock(path)
	if err != nil {
		return false, err
	}
	was := map[string]string{}
	for _, s := range lock.Sources() {
		was[s.URL] = s.Commit
	}
	changed = lock.Pin(r.Source(), r.Sources())
	if prune {
		gone, less := lock.Prune(r.Source(), r.Sources())
		for _, url := range gone {
			a.Say("%s: %s is no longer used", path, text.Line(url))
		}
		changed = changed || less
	}
	if !changed {
		return false, nil
	}
	for _, s := range r.Sources() {
		if from := was[s.URL]; from != s.Commit {
			if from != "" {
				from = from[:12] + " → "
			}
			a.Say("%s: %s %s%s", path, text.Line(s.URL), from, s.Commit[:12])
		}
	}
	if len(lock.Sources()) == 0 {
		return true, os.Remove(path)
	}
	return true, files.WriteFile(path, lock.Marshal())
}
