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
	if len(p.Left) > 0 {
		line += "; models don't see " + some(p.Left)
	}
	if len(p.Given) > 0 {
		line += "; only contestants that are given them have " + some(p.Given)
	}
	return line
}

// some names the first files of a list, and counts the rest.
func some(list []string) string {
	more := ""
	if len(list) > leftShown {
		list, more = list[:leftShown], fmt.Sprintf(" and %d more", len(list)-leftShown)
	}
	return text.Line(strings.Join(list, ", ")) + more
}
