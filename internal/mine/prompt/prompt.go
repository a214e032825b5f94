// Package prompt writes what models are told of a fault that a commit mends: what its message says of it, and which
// tests fail.
package prompt

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/sides"
	"cookoff/internal/pattern"
)

var (
	trailer = pattern.New(
		`^(?i)[a-z][a-z-]*-(by|id|with|to|date|on|from|issue|url)\s*:|^(?i)(see|refs?|issue|bug|link|url|closes?|fix(es|ed)?|resolves?|related)\s*:?\s*(to\s+)?((gh-|#)\d+|https?://\S+)[\s,.]*$|^\(?cherry picked from`)
	reference = pattern.New(
		`(?i)\s*\(\[?#\d+\]? by [^()]*\)|\s*\((thanks|thx|by)( to)?,? [^()]*@[\w-]+[^()]*\)|` +
			`\s*[(\[]+((gh-|#)\d+[, ]*)+[)\]]+|\b(closes?|fix(es|ed)?|resolves?|refs?)\s+((gh-|#)\d+[, ]*(and\s+)?)+[.:]?|\s*\bhttps?://\S*/(issues|pull|commit)/\S+|(^|\s)(gh-|#)\d+\b(:\s)?`)
	heading = pattern.New(
		`(?i)^(#+\s*|\*\*)?(tests?|testing|test plan|changelog|checklist|how (was this|has this been) tested)\b[:*]*\s*$`)
	summary   = pattern.New(`(?i)^(#+\s*|\*\*)?(summary|description|problem|motivation|what|why|context)\b[:*]*\s*$`)
	pulled    = pattern.New(`^Merge (pull request|branch|remote-tracking branch|commit)\b`)
	hash      = pattern.New(`\b[0-9a-f]{7,40}\b`)
	aboutTest = pattern.New(
		`(?i)^[-*\s]*(add(s|ed)?|updat(e[sd]?|ing)|includes?|with|and|wrote|write) .{0,30}\b(tests?|doctests?|changelog|test cases?|regression test)\b|^[-*\s]*tests?\b.{0,20}$|^[-*\s]*((an?|the|more|new|some|failing|regression|unit) )*tests? (of|for)\b|\btest_\w+|\bTest[A-Z]\w+|_test\.go\b`)
)

// mostPrompt is how much of a message is told, in bytes.
const mostPrompt = 2000

// Symptom is what a commit's message says of the fault, by rule: without trailers,
// numbers and hashes, without what it says of tests, and without sentences that name
// what only the fix has, or hold a piece of its code. new are the identifiers of the fix, which no one
// can know.
func Symptom(message string, new map[string]bool, code *lines.Code) string {
	var kept []string
	for i, l := range code.WithoutBlocks(strings.Split(lines.Visible(message), "\n")) {
		l = strings.TrimRight(l, " \t")
		switch {
		case heading.MatchString(l):
			return finish(code.Without(kept))
		case trailer.MatchString(strings.TrimSpace(l)), pulled.MatchString(l), summary.MatchString(l),
			len(kept) == 0 && lines.Wordless(strings.Trim(l, "#*= ")),
			item.MatchString(l) && lines.Unsaid(strings.Trim(l, "*- ")),
			reverts.MatchString(l):
			continue
		case lines.DiffBegins(l):
			return finish(code.Without(kept))
		}
		l = reference.ReplaceAllString(l, "")
		l = hash.ReplaceAllStringFunc(l, func(s string) string {
			if strings.ContainsAny(s, "0123456789") && strings.ContainsAny(s, "abcdef") {
				return "…"
			}
			return s
		})
		if i > 0 && aboutTest.MatchString(l) {
			continue
		}
		tells := func(s string) bool { return sides.Mentions(s, new) || code.In(s) }
		if rest := aside.ReplaceAllString(l, ""); tells(l) && !tells(rest) { // how, in brackets behind what
			l = rest
		}
		kept = append(kept, lines.Sentences(l, tells))
	}
	return finish(code.Without(kept))
}

func finish(lines []string) string {
	text := strings.TrimSpace(manyEmpty.ReplaceAllString(strings.Join(lines, "\n"), "\n\n"))
	if len(text) > mostPrompt {
		text = strings.ToValidUTF8(text[:mostPrompt], "")
		text = text[:max(strings.LastIndexAny(text, ".\n")+1, mostPrompt/2)]
	}
	if !strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		return ""
	}
	return text
}

var (
	aside = pattern.New(` ?\([^()]*(?:\([^()]*\)[^()]*)*\)`)
	// item is a line of a list, as a squashed branch has its commits; reverts is what git says of a revert.
	item    = pattern.New(`^\s*[-*] `)
	reverts = pattern.New(`^This (reverts|reapplies) (commit|merge) `)
)

var manyEmpty = pattern.New(`\n\s*\n(\s*\n)+`)

// Text is what models are told of a task. declared is what the tests use and is to be written, replaced are files that
// say how tests are built and run, which the judge has as the commit has them.
func Text(said, output, command, declared string, broken []Failing, replaced ...string) string {
	var b strings.Builder
	if said != "" {
		b.WriteString(said + "\n\n")
	}
	if len(broken) == 1 {
		b.WriteString("A test that you don't see " + broken[0].how("fails") + ": " + broken[0].Name + "\n")
	} else {
		b.WriteString("Tests that you don't see fail:\n\n")
		shown, parts := whole(broken)
		for i, n := range shown {
			if i == mostNames && len(shown) > mostNames+1 {
				b.WriteString("- and others like them\n")
				break
			}
			b.WriteString("- " + n.Name)
			if parts[i] > 0 {
				fmt.Fprintf(&b, ", and %d within it", parts[i])
			}
			if how := n.how(""); how != "" {
				b.WriteString(" (" + how + ")")
			}
			b.WriteString("\n")
		}
	}
	if output != "" {
		b.WriteString("\nWhat `" + command + "` prints of it:\n\n" + fenced(output))
	}
	if declared != "" {
		b.WriteString("\nThe tests use what is not there yet, or not so. Declare it like this:\n\n" + fenced(declared))
	}
	b.WriteString("\nMend the code. The tests that judge are put in place afterwards; those that you see are older.")
	if len(replaced) > 0 {
		b.WriteString(" So is what runs them: what you change in " + strings.Join(replaced, ", ") + " is lost.")
	}
	return b.String()
}

// mostNames is how many failing tests a prompt names.
const mostNames = 12

// whole gives the tests that a prompt names, and how many stand within each: where there are many, those that are
// within another are counted.
func whole(broken []Failing) (shown []Failing, parts []int) {
	if len(broken) <= mostNames+1 {
		return broken, make([]int, len(broken))
	}
	sorted := slices.SortedFunc(slices.Values(broken), func(a, b Failing) int { return strings.Compare(a.Name, b.Name) })
	for _, n := range sorted {
		within := func(s Failing) bool { return s.how("") == n.how("") && strings.HasPrefix(n.Name, s.Name+"/") }
		if at := slices.IndexFunc(shown, within); at >= 0 {
			parts[at]++
			continue
		}
		shown, parts = append(shown, n), append(parts, 0)
	}
	return shown, parts
}

// fenced is a text as Markdown shows it word for word.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "text\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}
