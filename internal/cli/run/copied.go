package run

import (
	"fmt"
	"strings"

	"cookoff/internal/cli/door"
	"cookoff/internal/ui/text"
	"cookoff/runner"
)

// leftShown is how many of the files that are left out are named.
const leftShown = 5

// copied says which project models work on copies of.
func copied(d *door.Door, p runner.ProjectCopy) string {
	at := ""
	if p.Base != "" {
		at = fmt.Sprintf(" at %.12s", p.Base)
	}
	line := fmt.Sprintf("project %s%s: a copy of %s, %s", d.Rel(p.Dir), at, text.Count(p.Files, "file"),
		text.Bytes(p.Bytes))
	if len(p.Left) == 0 {
		return line
	}
	left, more := p.Left, ""
	if len(left) > leftShown {
		left, more = left[:leftShown], fmt.Sprintf(" and %d more", len(left)-leftShown)
	}
	return line + "; models don't see " + text.Line(strings.Join(left, ", ")) + more
}
