package cli

import (
	"context"

	"github.com/spf13/cobra"

	"cookoff/internal/sources"
	"cookoff/recipe"
	"cookoff/recipe/problem"
)

// LockedFlag gives a command the flag --locked.
func LockedFlag(cmd *cobra.Command, locked *bool) {
	cmd.Flags().BoolVar(locked, "locked", false, "take git sources as recipe.lock pins them, or fail")
}

// FindRecipe finds and reads a recipe. Its problems come back beside what could
// be read, so that the names in it can be checked as well; any other error
// means that there is nothing to check.
func (c *Common) FindRecipe(ctx context.Context, name string, locked bool) (*recipe.Recipe, problem.List, error) {
	r, ps, err := sources.Finder{Dir: c.Dir, Locked: locked, Notify: c.Notify}.Find(ctx, name)
	if err != nil {
		return nil, nil, c.Unread(ctx, err)
	}
	return r, ps, nil
}

// Unread is a failure to read a recipe.
func (c *Common) Unread(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		c.Say("interrupted while a recipe was read: nothing was run, nothing was written")
		return Fail(ExitInterrupted, nil)
	}
	return Fail(ExitUsage, err)
}

// CopySelfFlag gives a command the flag --copy-self.
func CopySelfFlag(cmd *cobra.Command, wanted *bool) {
	cmd.Flags().BoolVar(wanted, "copy-self", false, "have hosts run this very cookoff: "+
		"it is sent over their commands, in the place of the cookoff that these name, and kept there")
}
