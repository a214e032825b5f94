package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/cmd/cookoff/internal/screen"
	"cookoff/recipe"
)

func (a *app) updateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "update [RECIPE]",
		Short: "Resolve the git sources of a recipe anew, and pin them",
		Long: `Asks the repositories that a recipe extends what their branches and tags mean
now, and writes it to recipe.lock beside the recipe. Until then every run takes
the commits that are pinned there.`,
		Example: `  cookoff update
  cookoff update my.recipe.md`,
		Args:              positional(0, 1, ""),
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

func (a *app) update(ctx context.Context, name string) error {
	finder := recipe.Finder{Dir: a.dir, Update: true}
	r, err := finder.DiscoverContext(ctx, name)
	if err != nil {
		return &failure{exitUsage, err}
	}
	switch {
	case !isFile(r):
		return usage("%s is no file beside which recipe.lock could lie", screen.Clean(r.Source()))
	case len(r.Sources()) == 0:
		a.say("%s extends nothing from git", screen.Clean(r.Source()))
		return nil
	}
	changed, err := a.writeLock(r)
	if err == nil && !changed {
		a.say("%s is up to date", recipe.LockPath(r.Source()))
	}
	return written(err)
}

// pin writes what was resolved to the lock. Reading goes on where it can't be.
func (a *app) pin(r *recipe.Recipe) {
	if len(r.Sources()) == 0 || a.locked || !isFile(r) {
		return
	}
	if _, err := a.writeLock(r); err != nil {
		a.say("%s pinning git sources: %v", a.err.Paint(screen.Yellow, "warning:"), err)
	}
}

// writeLock lays what was resolved over the lock beside a recipe, and says
// what changed.
func (a *app) writeLock(r *recipe.Recipe) (changed bool, err error) {
	path := recipe.LockPath(r.Source())
	old, err := recipe.ReadLock(path)
	if err != nil {
		return false, err
	}
	merged, changed := recipe.MergeLock(old, r.Sources())
	if !changed {
		return false, nil
	}
	was := map[string]string{}
	for _, s := range old {
		was[s.URL] = s.Commit
	}
	for _, s := range r.Sources() {
		if from := was[s.URL]; from != s.Commit {
			if from != "" {
				from = from[:12] + " → "
			}
			a.say("%s: %s %s%s", path, screen.Clean(s.URL), from, s.Commit[:12])
		}
	}
	return true, errors.Join(writeFile(path, recipe.MarshalLock(merged)))
}
