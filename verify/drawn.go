package verify

import (
	"slices"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// Lasting gives the files of a state at the start that make it what it is: not those that tools and checks
// write beside their work.
func (s *Start) Lasting(m sandbox.Manifest) sandbox.Manifest {
	born := s.born
	if s.Files == nil { // it is being staged
		born = bornIn(m, s.born)
	}
	return slices.DeleteFunc(slices.Clone(m), func(f sandbox.File) bool {
		return tree.Untracked(f.Path) || born[f.Path] || s.Made(f.Path) != ""
	})
}

// Drawn gives those of its files that not every start of the task had, the same: what its setup draws by
// chance, or dates.
func (s *Start) Drawn() sandbox.Manifest { return s.Lasting(s.Of.Drawn(s.Files)) }
