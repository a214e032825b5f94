package mine

import (
	"cookoff/internal/mine"
	"cookoff/internal/mutants"
)

// faults are the small faults that can be planted in a source.
func faults(file, text string) (out []mine.Mutant) {
	for _, e := range mutants.Of(file, text) {
		out = append(out, mine.Mutant{Line: e.Line, Name: e.String(), Text: mutants.Apply(text, []mutants.Edit{e})})
	}
	return out
}
