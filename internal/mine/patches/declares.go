package patches

import (
	"strings"

	"cookoff/internal/mine/lines"
	"cookoff/internal/pattern"
)

// begins are lines with which something new begins that nothing used before: at the left edge, or a method.
var begins = pattern.New(`^(func|type|var|const|def|class|async def|function|export|module\.exports|exports|pub|fn|` +
	`struct|enum|impl|trait|@\w)\b|^@|^\s+(async )?(def|@|pub fn|fn)\b`)

// closers are lines that end what stands above: which of two alike is new can't be told.
var closers = pattern.New(`^[\s})\];,]*$`)

// OnlyDeclares reports whether a patch takes nothing away that does something, and what it brings are new
// declarations: what was there before does the same as before.
func OnlyDeclares(patch string) bool {
	within, begun := false, false // a hunk; in it, lines that are new
	for l := range strings.Lines(patch) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case hunkHead.MatchString(l):
			within, begun = true, false
		case strings.HasPrefix(l, "diff --git "):
			within = false
		case !within || l == "":
		case l[0] == '-':
			if !lines.Idle(l[1:]) {
				return false
			}
		case l[0] != '+':
			begun = false
		case begun || lines.Idle(l[1:]) || closers.MatchString(l[1:]):
		case !begins.MatchString(l[1:]):
			return false
		default:
			begun = true
		}
	}
	return true
}
