package mine

import (
	"cookoff/internal/mine"
	"cookoff/internal/plant"
)

// mutants are the small faults that plant knows of a source.
func mutants(file, text string) (out []mine.Mutant) {
	for _, e := range plant.Edits(file, text) {
		out = append(out, mine.Mutant{Line: e.Line, Name: e.String(), Text: plant.Apply(text, []plant.Edit{e})})
	}
	return out
}
