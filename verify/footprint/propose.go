package footprint

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// maxProposed is how many paths a line of a recipe is proposed with before those
// of one directory are named together.
const maxProposed = 8

// Proposal gives the least lines of a task that let a repair do what was held
// against it: "may_change: a, ~/.b". "": no line lets it.
func Proposal(held ...Difference) string {
	var change, add []string
	for _, d := range held {
		switch p := literalGlob(d.Path); {
		case d.Kind == left || d.What == Writable || d.Deceives() || strings.HasPrefix(d.Key, Flagged):
		case d.Kind == Added:
			add = append(add, p)
		default:
			change = append(change, p)
		}
	}
	var lines []string
	if list := together(change); len(list) > 0 {
		lines = append(lines, "may_change: "+strings.Join(list, ", "))
	}
	if list := together(add); len(list) > 0 {
		lines = append(lines, "may_add: "+strings.Join(list, ", "))
	}
	return strings.Join(lines, "\n")
}

// literalGlob is a glob that matches a path, and as little else as can be.
func literalGlob(p string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`*?[]{}\,`, r) || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, p)
}

// together sorts globs, and names those of a directory by one where they are many.
func together(list []string) []string {
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) <= maxProposed {
		return list
	}
	var out []string
	for _, p := range list {
		if dir := path.Dir(p); dir != "." && dir != "~" && !strings.Contains(p, "#") {
			p = dir + "/*"
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// Proposes ends a sentence about a footprint with what a task says to allow it.
func Proposes(held ...Difference) string {
	line := Proposal(held...)
	if line == "" {
		return ""
	}
	return "; where that is right, add to the task:\n" + line
}
