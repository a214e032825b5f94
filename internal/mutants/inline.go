package mutants

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// inline are lines with which tests begin that stand among what they test, by the endings of
// files; the first group is what they are indented by.
var inline = []struct {
	endings string
	begins  *pattern.Pattern
}{
	{".rs", pattern.New(`^([ \t]*)#\[(cfg\(.*\btest\b.*\)|(\w+::)*test\b.*|rstest\b.*)\]`)},
	{".zig", pattern.New(`^([ \t]*)test\b[^=;(]*\{`)},
	{".d", pattern.New(`^([ \t]*)(@\w+ +)*unittest\b`)},
	{".js .mjs .jsx .ts .mts .tsx", pattern.New(`^([ \t]*)if \(import\.meta\.vitest\b`)},
	{".py", pattern.New(`^([ \t]*)((async +)?def test_\w+\(|class \w+\((unittest\.)?\w*TestCase\))`)},
}

// span is a piece of a text: its offset, and that of what follows it.
type span struct{ from, to int }

// inlineTests gives the pieces of a text that are tests, by how its lines are indented.
func inlineTests(file, text string) (spans []span) {
	ending := path.Ext(file)
	for _, l := range inline {
		if !slices.Contains(strings.Fields(l.endings), ending) {
			continue
		}
		lines := strings.SplitAfter(text, "\n")
		at := 0
		for i := 0; i < len(lines); {
			m := l.begins.FindStringSubmatch(lines[i])
			if m == nil {
				at += len(lines[i])
				i++
				continue
			}
			s := span{from: at}
			for n := itemLines(lines[i:], m[1], ending == ".py"); n > 0; n-- {
				at += len(lines[i])
				i++
			}
			s.to = at
			spans = append(spans, s)
		}
	}
	return spans
}

// itemLines is of how many lines what the first begins is, which is indented by indent.
func itemLines(lines []string, indent string, byIndent bool) int {
	for n, line := range lines {
		rest, same := strings.CutPrefix(line, indent)
		code := strings.TrimSpace(rest)
		deeper := !same || strings.TrimLeft(rest, " \t") != rest
		if byIndent {
			if n > 0 && code != "" && (!same || !deeper) {
				return n
			}
			continue
		}
		ends := strings.HasSuffix(code, ";") || strings.HasSuffix(code, "}")
		if same && !deeper && (ends || strings.HasPrefix(code, "}")) {
			return n + 1
		}
	}
	return len(lines)
}

// outside leaves out the edits that begin within a span.
func outside(spans []span, list []Edit) []Edit {
	return slices.DeleteFunc(list, func(e Edit) bool {
		return slices.ContainsFunc(spans, func(s span) bool { return s.from <= e.From && e.From < s.to })
	})
}
