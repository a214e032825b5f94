package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/recipe"
	"cookoff/recipe/builtin"
	"cookoff/recipe/lookup"
)

// completionTime bounds what a completion waits for; a recipe that lies elsewhere
// completes nothing.
const completionTime = time.Second

// CompleteRecipes offers the recipes that have a name, and files.
func (c *Common) CompleteRecipes(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	out := lookup.Dirs{Dir: c.Dir}.Named()
	for _, n := range builtin.Names() {
		out = append(out, "builtin:"+n)
	}
	return out, cobra.ShellCompDirectiveDefault
}

// CompleteTasks offers the names of the recipe's tasks.
func (c *Common) CompleteTasks(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	name := strings.Join(args, "")
	if strings.HasPrefix(name, "git+") || len(args) > 1 {
		return nil, none
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	r, err := recipe.Finder{Dirs: lookup.Dirs{Dir: c.Dir}, Locked: true}.DiscoverContext(ctx, name)
	if err != nil || r == nil {
		return nil, none
	}
	var out []string
	for _, t := range r.Tasks {
		out = append(out, t.Name())
	}
	return out, none
}
