package cookoff

import (
	"slices"

	"cookoff/contestant"
)

// asked are the models that the comparison needs, those of agents and of sub-agents
// too, each once.
func (c *Comparison) asked() []string {
	var out []string
	for _, name := range append(c.recipe.Names(), c.recipe.SubAgent.Model) {
		if id := contestant.Model(c.recipe.Behind(name)); !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
