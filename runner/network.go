package runner

import (
	"cookoff/sandbox/gate"
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
