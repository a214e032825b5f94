package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/sandbox"
)

// networks says, a line each, who of a run has a network: its trials, and what
// prepares for them.
func networks(r *recipe.Recipe, ran func(task string) bool) []string {
	var out, prepared []string
	for _, t := range r.Tasks {
		command := cmp.Or(t.Prepare, r.Sandbox.Prepare)
		if command != "" && command != "none" && ran(t.Name()) && !slices.Contains(prepared, command) {
			prepared = append(prepared, command)
		}
	}
	for _, command := range prepared {
		out = append(out, fmt.Sprintf("prepare: %s: once, before any trial, with a network where "+
			"this machine's caches don't do", text.Line(command)))
	}
	if line := ofTrials(r); line != "" && (len(prepared) > 0 || line != noNetwork) {
		out = append(out, line)
	}
	return out
}

const noNetwork = "trials: without a network"

// ofTrials says what network trials have.
func ofTrials(r *recipe.Recipe) string {
	switch sandbox.Network(r.Sandbox.Network) {
	case sandbox.FullNetwork:
		return "trials: with this machine's whole network"
	case sandbox.AllowedNetwork:
		return "trials: with a network to " + text.Line(strings.Join(r.Sandbox.AllowHosts, ", ")) + " alone"
	}
	return noNetwork
}
