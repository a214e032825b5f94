package mutants

import (
	"path"
	"strings"
)

// Uncommented gives the lines of code of a file: without comments, lines that have nothing else, and blanks at the
// ends of lines. ok is false where nothing is known of the language.
func Uncommented(file, text string) (code string, ok bool) {
	how := languages[path.Ext(file)]
	if path.Ext(file) == ".go" {
		how = script // comments and texts are written alike
	}
	if how == nil {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		end, is := how.skipped(text, i)
		switch {
		case !is:
			end = i + 1
		case how.comment(text[i:]) && !how.inPattern(text, i):
			b.WriteString(strings.Repeat("\n", strings.Count(text[i:end], "\n")))
			i = end
			continue
		}
		b.WriteString(text[i:end])
		i = end
	}
	var lines []string
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n"), true
}

// comment reports whether what is skipped begins a comment, and no text.
func (s *style) comment(rest string) bool {
	return s.line != "" && strings.HasPrefix(rest, s.line) || s.block != nil && strings.HasPrefix(rest, s.block[0])
}

// inPattern reports whether what looks like a comment may stand in a regular expression, as in /https?:\/\//.
func (s *style) inPattern(text string, at int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return s == script && strings.Contains(line, "/")
}
