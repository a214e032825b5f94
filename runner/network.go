package runner

import (
	"fmt"
	"strings"

	"cookoff/sandbox/gate"
	"cookoff/trial"
)

// gate makes the way out of one sandbox; nil: the recipe allows none. With the
// whole network there is no proxy, and the gate is that of web_fetch alone.
func (r *Runner) gate() *gate.Gate {
	switch s := r.recipe.Sandbox; s.Network {
	case "allow":
		return &gate.Gate{Hosts: s.AllowHosts, Net: r.env.Net}
	case "full":
		return &gate.Gate{Any: true, Net: r.env.Net}
	}
	return nil
}

// fetches reports whether web_fetch has anything to reach.
func (r *Runner) fetches() bool {
	s := r.recipe.Sandbox
	return s.Network == "allow" || s.Network == "full" || s.AllowLocalFetch
}

// network notes what went out, or tried to, since it was noted last.
func (r *recorder) network(g *gate.Gate) {
	if g == nil {
		return
	}
	all, more := g.Attempts()
	var lines []string
	for _, a := range all {
		lines = append(lines, a.String())
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	if len(lines) > 0 {
		r.emit(trial.Event{Kind: trial.Note, Note: &trial.NoteText{Kind: "network", Text: strings.Join(lines, "\n")}})
	}
}
