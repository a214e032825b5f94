package mine

import (
	"strings"

	"cookoff/internal/mine/lines"
	"cookoff/internal/pattern"
)

// words are the identifiers of a text of code, without those of comments and strings.
func words(lang, text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range added.FindAllString(codeOnly(lang, text), -1) {
		out[w] = true
	}
	return out
}

var (
	cComment  = pattern.New(`(?s)/\*.*?\*/|//[^\n]*`)
	pyComment = pattern.New(`(?s)""".*?"""|'''.*?'''|#[^\n]*`)
	literal   = pattern.New("\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'|`[^`]*`")
)

// codeOnly takes comments and strings out of a text.
func codeOnly(lang, text string) string {
	switch lang {
	case "python", "shell", "ruby":
		text = pyComment.ReplaceAllString(text, " ")
		return literal.ReplaceAllString(text, " ")
	case "":
		return text
	}
	text = literal.ReplaceAllString(text, " ")
	return cComment.ReplaceAllString(text, " ")
}

// newWords gives the identifiers that a fix adds to the files that it changes.
func newWords(pairs []pair) map[string]bool {
	out := map[string]bool{}
	old := map[string]bool{}
	for _, p := range pairs {
		lang := language(p.path)
		if lang == "" {
			continue
		}
		for _, w := range added.FindAllString(p.was, -1) {
			old[w] = true
		}
		for w := range words(lang, strings.Join(lines.Changed(p.said()), "\n")) {
			out[w] = true
		}
	}
	for w := range old {
		delete(out, w)
	}
	return out
}

// pair is a file before and after.
type pair struct {
	path, was, now string
}

// said gives a file before and after without what lines of it remark: a list of changes that stands in a file
// of code is no code.
func (p pair) said() (was, now string) {
	return lines.Unremarked(p.path, p.was), lines.Unremarked(p.path, p.now)
}

// codeOf is what a fix changes, for finding pieces of it in texts.
func codeOf(pairs []pair) *lines.Code {
	var added, removed []string
	var before strings.Builder
	for _, p := range pairs {
		was, now := p.said()
		added = append(added, lines.Added(was, now)...)
		removed = append(removed, lines.Added(now, was)...)
		before.WriteString(p.was + "\n")
	}
	return lines.CodeOf(added, removed, before.String())
}
