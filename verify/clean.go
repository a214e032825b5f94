package verify

import (
	"strings"
	"unicode/utf8"

	"cookoff/internal/ui/text"
)

const maxTail = 2 << 10 // bytes of output kept as evidence

// tail gives the end of an output, all of it visible: what a checked program
// printed must control neither a terminal nor a report, and is evidence.
func tail(out []byte) string {
	cut := len(out) > 2*maxTail
	if cut {
		out = out[len(out)-2*maxTail:]
		for len(out) > 0 && !utf8.RuneStart(out[0]) {
			out = out[1:]
		}
	}
	s := strings.TrimSpace(text.Lines(string(out)))
	if len(s) > maxTail {
		s, cut = s[len(s)-maxTail:], true
		for s != "" && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
	}
	if cut {
		return "…" + s
	}
	return s
}

// shownLines is how many of the last lines of a stream are evidence.
const shownLines = 20

// lastLines gives the last of the lines of a text.
func lastLines(s string) string {
	lines := strings.Split(s, "\n")
	if len(lines) <= shownLines {
		return s
	}
	return "…\n" + strings.Join(lines[len(lines)-shownLines:], "\n")
}
