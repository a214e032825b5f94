package layers

import (
	"os"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// mode is how a world's files are kept: in layers, or as copies.
type mode interface {
	// lay makes what the world starts with, and puts it into p. It gives mounts for the
	// set-up.
	lay(p *plan.Plan, spec sandbox.Spec) ([]*os.File, error)
	// again plans what lay has laid, for the next guest of the world.
	again(p *plan.Plan, spec sandbox.Spec) ([]*os.File, error)
	// copied reports whether what the world starts with was written for it.
	copied() bool
	// below gives the layers of a state that lie under its top. Nothing writes
	// to that any more.
	below(top stratum) ([]stratum, error)
}
