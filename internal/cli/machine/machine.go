// Package machine is the commands about this machine: what works here, which models
// can be asked and what they cost, sandboxes, and what is left over. Each is a
// struct of its flags and a function.
package machine

import (
	"github.com/spf13/cobra"

	"cookoff/internal/cli"
)

// Commands are those of this room; stage opens the environments that "sandbox
// shell" shows.
func Commands(c *cli.Common, stage Stage) []*cobra.Command {
	return []*cobra.Command{newModels(c), newAgents(c), newPrices(c), newDoctor(c), newSandbox(c, stage), newClean(c),
		newVersion(c)}
}
