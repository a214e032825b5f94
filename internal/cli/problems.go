package cli

import (
	"errors"
	"fmt"
	"strings"

	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
)

// PrintError writes an error for people: problems of a recipe one a line, any
// other behind "error:"; hints stand on lines of their own.
func (c *Common) PrintError(err error) {
	var ps recipe.Problems
	if errors.As(err, &ps) {
		PrintProblems(c.Err, ps)
		return
	}
	seen := map[string]bool{} // joined errors may say the same
	for line := range strings.SplitSeq(text.Lines(err.Error()), "\n") {
		switch {
		case seen[line]:
		case len(seen) == 0:
			fmt.Fprintf(c.Err, "%s %s\n", c.Err.Paint(screen.Red, "error:"), line)
		default:
			fmt.Fprintf(c.Err, "  %s\n", strings.TrimSpace(line))
		}
		seen[line] = true
	}
}

// PrintProblems writes problems one a line, hints below.
func PrintProblems(s screen.Stream, ps recipe.Problems) {
	for _, p := range ps {
		word := s.Paint(screen.Red, "error:")
		if p.Warning {
			word = s.Paint(screen.Yellow, "warning:")
		}
		if p.Note {
			word = "note:"
		}
		fmt.Fprintf(s, "%s: %s %s\n", s.Paint(screen.Bold, text.Line(p.Pos.String())), word, text.Line(p.Msg))
		if p.Hint != "" {
			fmt.Fprintf(s, "  hint: %s\n", text.Line(p.Hint))
		}
	}
}
