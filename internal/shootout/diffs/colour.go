package diffs

import (
	"regexp"
	"strings"

	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// maxCode is the size in bytes up to which a file's syntax is looked at.
const maxCode = 128 << 10

// span is a piece of a line in one style. Its text is harmless.
type span struct {
	text  string
	style screen.Style
}

// Colours of code; what they say is there in the text as well.
const (
	blue    screen.Style = "34"
	magenta screen.Style = "35"
	cyan    screen.Style = "36"
)

// tokens gives the pieces of each line of a file; nil where its language is
// not known.
func tokens(path, text string) [][]span {
	if text == "" || len(text) > maxCode {
		return nil
	}
	pattern := languageOf(path)
	if pattern == "" {
		return nil
	}
	out := [][]span{nil}
	add := func(text string, style screen.Style) {
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				out = append(out, nil)
			}
			if s := show(line); s != "" {
				out[len(out)-1] = append(out[len(out)-1], span{s, style})
			}
		}
	}
	done := 0
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatchIndex(text, -1) {
		add(text[done:m[0]], "")
		for group, style := range groupStyles {
			if m[2*group+2] >= 0 {
				add(text[m[0]:m[1]], style)
			}
		}
		done = m[1]
	}
	add(text[done:], "")
	return out
}

// colour writes the text of a line in so many columns. Pieces that do not make
// up the text are left uncoloured: what is shown is always the text.
func colour(s screen.Stream, l Line, width int) string {
	whole := text.Fit(l.Text, width)
	if !s.Color || len(l.code) == 0 {
		return whole
	}
	var b strings.Builder
	rest := whole
	for _, p := range l.code {
		if !strings.HasPrefix(rest, p.text) {
			break
		}
		if p.style == "" {
			b.WriteString(p.text)
		} else {
			b.WriteString(s.Paint(p.style, p.text))
		}
		rest = rest[len(p.text):]
	}
	return b.String() + rest
}
