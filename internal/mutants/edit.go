// Package mutants makes source code wrong in small ways that tests should notice.
package mutants

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"cookoff/internal/gitpath"
	"cookoff/internal/pattern"
)

// Edit replaces a piece of one line of a file, or of two that follow one another. Both
// sides have as many line ends.
type Edit struct {
	File     string // slash path
	From, To int    // byte offsets of what is replaced
	Old, New string
	Line     int    // from 1
	Operator string // what kind of fault it is: comparison, boundary, arithmetic, …
}

func (e Edit) String() string {
	return fmt.Sprintf("%s:%d: %s: %q for %q", e.File, e.Line, e.Operator, e.New, e.Old)
}

// Of gives the faults that can be planted in a file, in the order of the text: none in tests that
// stand among what they test, and none for a file of tests, one that was generated, one that is built for other
// systems, or one that is no source.
func Of(file, text string) []Edit {
	how, ok := styleOf(file)
	if ok && how == free && path.Ext(file) == "" {
		how, ok = interpreted(text)
	}
	if !ok || generated.MatchString(text[:min(len(text), 2000)]) ||
		strings.ContainsRune(text, 0) || !utf8.ValidString(text) || Elsewhere(file, text) {
		return nil
	}
	var list []Edit
	if path.Ext(file) == ".go" {
		list = goEdits(text)
	} else {
		list = tokenEdits(text, how)
	}
	tested := inlineTests(file, text)
	if list = outside(tested, list); len(list) < few {
		list = append(list, outside(tested, crude(file, text, how))...)
	}
	out := list[:0]
	for _, e := range list {
		e.File, e.Old = file, text[e.From:e.To]
		if e.Operator == "order" {
			e.New = swapped(e.Old)
		}
		if e.Old == e.New || strings.Count(e.Old, "\n") != strings.Count(e.New, "\n") {
			continue
		}
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b Edit) int {
		return cmp.Or(a.From-b.From, a.To-b.To,
			strings.Compare(a.New, b.New))
	})
	at, line := 0, 1
	for i := range out {
		line += strings.Count(text[at:out[i].From], "\n")
		at, out[i].Line = out[i].From, line
	}
	return slices.Compact(out)
}

var (
	tests = pattern.New(
		`(^|/)(tests?|__tests__|testdata|spec|specs|e2e|x?t|docs|examples?|scripts)/|(^|/)(test_|conftest)[^/]*$|` +
			`(^|/)tests?\.[^/]*$|\.(t|bats)$|` +
			`[._-](test|spec|tests)\.[^/]*$|(^|/)Test[A-Z][^/]*\.(java|kt|cs|swift)$|` +
			`[a-z0-9](Tests?|TestCase|Spec)\.(java|kt|cs|swift)$`)
	others = pattern.New(`(^|/)(vendor|node_modules|third_party|dist|build|target|migrations|\.[^/]+)/|` +
		`(^|/)(setup|manage)\.py$|` +
		`_pb2?\.|\.pb\.|\.config\.[cm]?[jt]s$|\.d\.ts$|\.min\.js$`)
	generated = pattern.New(`(?mi)^.{0,4}(code generated .* do not edit|@generated)`)
)

// Test reports whether a file is of tests, or beside what a program is made of, by its name.
func Test(file string) bool { return tests.MatchString(file) }

// Source reports whether faults can be planted in a file, by its name.
func Source(file string) bool {
	_, ok := styleOf(file)
	return ok
}

// lines are the first and the last line that an edit changes.
func (e Edit) lines() (first, last int) { return e.Line, e.Line + strings.Count(e.Old, "\n") }

// Meets reports whether two edits change the same line of a file.
func (e Edit) Meets(o Edit) bool {
	a, b := e.lines()
	c, d := o.lines()
	return e.File == o.File && a <= d && c <= b
}

// Apply gives a text with edits of its file made. They must not overlap.
func Apply(text string, edits []Edit) string {
	list := slices.Clone(edits)
	slices.SortFunc(list, func(a, b Edit) int { return b.From - a.From })
	for _, e := range list {
		text = text[:e.From] + e.New + text[e.To:]
	}
	return text
}

// Patch gives what changes one text of a file into another that has as many lines, as
// git apply --unidiff-zero takes it.
func Patch(file, from, to string) string {
	was, now := strings.Split(from, "\n"), strings.Split(to, "\n")
	var b strings.Builder
	a, z := gitpath.Quoted("a/"+file), gitpath.Quoted("b/"+file)
	fmt.Fprintf(&b, "diff --git %s %s\n--- %s\n+++ %s\n", a, z, a, z)
	for i := range was {
		if i < len(now) && was[i] != now[i] {
			end := "\n"
			if i == len(was)-1 {
				end = "\n\\ No newline at end of file\n"
			}
			fmt.Fprintf(&b, "@@ -%d +%d @@\n-%s%s+%s%s", i+1, i+1, was[i], end, now[i], end)
		}
	}
	return b.String()
}
