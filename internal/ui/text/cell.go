package text

import (
	"strings"
	"unicode"
)

// maxMarks is how many combining marks one letter may carry: no language needs
// more, and a tower of them runs over the lines above.
const maxMarks = 3

// Cell is Line for a panel that has others beside it. It also takes out what
// terminals disagree on the width of: a line that is wider than was thought
// breaks the panels beside it. Pictographs that are joined stand side by side.
func Cell(s string) string {
	s = Line(strings.TrimRight(s, "\r"))
	if printableASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	marks := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Variation_Selector, r), tone(r), r == joiner: // how emoji look
			continue
		case r >= 0x1f1e6 && r <= 0x1f1ff: // half a flag
			r = 'A' + r - 0x1f1e6
		case r >= 0x1160 && r <= 0x11ff, r >= 0xd7b0 && r <= 0xd7ff: // parts of a Hangul syllable
			r = unicode.ReplacementChar
		}
		if unicode.Is(unicode.M, r) {
			if marks++; marks > maxMarks {
				continue
			}
		} else {
			marks = 0
		}
		b.WriteRune(r)
	}
	return b.String()
}
