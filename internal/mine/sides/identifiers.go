package sides

import (
	"strings"

	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/lines"
	"cookoff/internal/pattern"
)

// words are the identifiers of a text of code, without those of comments and strings.
func words(lang, text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range identifier.FindAllString(CodeOnly(lang, text), -1) {
		out[w] = true
	}
	return out
}

var (
	cComment  = pattern.New(`(?s)/\*.*?\*/|//[^\n]*`)
	pyComment = pattern.New(`(?s)""".*?"""|'''.*?'''|#[^\n]*`)
	literal   = pattern.New("\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'|`[^`]*`")
)

// CodeOnly takes comments and strings out of a text.
func CodeOnly(lang, text string) string {
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

// NewWords gives the identifiers that a fix adds to the files that it changes.
func NewWords(pairs []Pair) map[string]bool {
	out := map[string]bool{}
	old := map[string]bool{}
	for _, p := range pairs {
		lang := kind.Language(p.Path)
		if lang == "" {
			continue
		}
		for _, w := range identifier.FindAllString(p.Was, -1) {
			old[w] = true
		}
		for w := range words(lang, strings.Join(lines.Changed(p.withoutRemarks()), "\n")) {
			out[w] = true
		}
	}
	for w := range old {
		delete(out, w)
	}
	return out
}

// CodeOf is what a fix changes, for finding pieces of it in texts.
func CodeOf(pairs []Pair) *lines.Code {
	var added, removed []string
	var before strings.Builder
	for _, p := range pairs {
		was, now := p.withoutRemarks()
		added = append(added, lines.Added(was, now)...)
		removed = append(removed, lines.Added(now, was)...)
		before.WriteString(p.Was + "\n")
	}
	return lines.CodeOf(added, removed, before.String())
}

// identifier is a word of code that is long enough to be told from others.
var identifier = pattern.New(`[A-Za-z_][A-Za-z0-9_]{3,}`)

// advised is a name that a message says is to be used, or takes another's place.
var advised = pattern.New(`(?i)\b(?:us(?:e[sd]?|ing)|call(?:s|ed|ing)?|switch(?:e[sd])? to) ([a-z_]\w{3,})\b` +
	`|\b([a-z_]\w{3,}) (?:instead of|rather than|in place of)\b`)

// Mentions reports whether a text has an identifier of these. A word of plain English is
// one only where it is written as code.
func Mentions(text string, new map[string]bool) bool {
	for _, at := range identifier.FindAllStringIndex(text, -1) {
		w := text[at[0]:at[1]]
		asCode := codeLike.MatchString(w) || strings.HasPrefix(text[at[1]:], "(") || at[0] > 0 &&
			strings.ContainsAny(text[at[0]-1:at[0]], "`'.\"")
		if new[w] && asCode {
			return true
		}
	}
	for _, m := range advised.FindAllStringSubmatch(text, -1) {
		if new[m[1]] || new[m[2]] {
			return true
		}
	}
	return false
}

var codeLike = pattern.New(`[a-z0-9][A-Z]|_|[0-9]`)
