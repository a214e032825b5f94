package leaks

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/verify/lint"
)

// told looks for the answer in the texts that a model is given, by their names: lines that
// a solution adds, and lines of the solution itself. It may be what is asked for, and so
// it is a warning.
func (s *search) told(texts map[string]string) {
	lines := slices.Clone(s.lines)
	for _, script := range s.c.Solutions {
		for _, l := range newLines("", "", script) {
			if !strings.HasPrefix(l.text, "#") {
				lines = append(lines, l)
			}
		}
	}
	said := map[string]bool{}
	for _, name := range sortedKeys(texts) {
		text := plain(texts[name])
		for _, l := range lines {
			if said[name+l.text] || !strings.Contains(text, plain(l.text)) {
				continue
			}
			said[name+l.text] = true
			what := "a line of the solution"
			if l.file != "" {
				what = "a line that the solution adds to " + l.file
			}
			s.found.List = append(s.found.List, lint.Finding{Key: "leaks", Warning: true,
				Msg:  fmt.Sprintf("%s stands in %s: %q", what, name, short(l.text)),
				Hint: "say what is to be reached, not how; where the line itself is what is asked for, all is well"})
		}
	}
}

// plain is a text in which only one space is left where there was any.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }
