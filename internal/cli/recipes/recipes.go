// Package recipes is the commands that show, change and pass on recipes. Each is a
// struct of its flags and a function.
package recipes

import (
	"github.com/spf13/cobra"

	"cookoff/internal/cli"
)

// Commands are those of this room.
func Commands(c *cli.Common) []*cobra.Command {
	return []*cobra.Command{newShow(c), newRecipes(c), newFmt(c), newConvert(c), newUpdate(c),
		newShare(c), newExport(c)}
}
