package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"cookoff/recipe"
)

// NoSuchCommand refuses a word that is no command, and names the nearest.
func NoSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "cookoff help lists the commands"
	if n := recipe.Nearest(args[0], CommandNames(cmd)); n != "" {
		hint = fmt.Sprintf("did you mean %q?", n)
	}
	return fmt.Errorf("unknown command %q\n  hint: %s", args[0], hint)
}

// CommandNames are the names of the commands that help shows.
func CommandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}
