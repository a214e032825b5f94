// Package rust takes the tests of a Rust source out of the file of its code.
package rust

import (
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// source is a Rust source whose modules of tests stand apart from its code.
type source struct {
	code string            // without them
	mods map[string]string // what stands within each, by its name
}

var (
	testMod = pattern.New(`(?m)^#\[cfg\(test\)\]\s*(?:#\[[^\]\n]*\]\s*)*(?:pub(?:\([a-z]+\))?\s+)?mod\s+(\w+)\s*\{`)
	// placed is what means something else in another file, or in another place of this one.
	placed = pattern.New(`\binclude(?:_str|_bytes)?!|#\[path\b|(?m)^\s*(?:pub\s+)?mod\s+\w+\s*;|\bfile!\(`)
	aTest  = pattern.New(`(?m)^\s*#\[(?:[\w:]+::)?test\b`)
)

// withoutTests takes the modules of tests out of a Rust source; false: it is none that can be
// taken apart so that it means the same.
func withoutTests(text string) (source, bool) {
	p := source{mods: map[string]string{}}
	blank, closed := blankRust(text)
	if !closed {
		return p, false
	}
	at := 0
	for _, m := range testMod.FindAllStringSubmatchIndex(blank, -1) {
		if m[0] < at {
			continue
		}
		name, end := blank[m[2]:m[3]], matching(blank, m[1]-1)
		if _, twice := p.mods[name]; twice || end < 0 || placed.MatchString(blank[m[1]:end]) {
			return p, false
		}
		p.mods[name] = strings.TrimPrefix(strings.TrimPrefix(text[m[1]:end], "\r"), "\n")
		p.code += text[at:m[0]]
		if at = end + 1; strings.HasPrefix(text[at:], "\n") {
			at++
		}
	}
	p.code += text[at:]
	rest, _ := blankRust(p.code)
	return p, !aTest.MatchString(rest)
}

// modFile is where the module of tests of a source lies once it has a file of its own.
func modFile(file, name string) string {
	return strings.TrimSuffix(file, ".rs") + "_" + name + ".rs"
}

// text is the code with a declaration of each module in place of it. They stand at
// the end: what is declared before them holds in them.
func (p source) text(file string, names []string) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(p.code, " \t\r\n"))
	for _, n := range names {
		b.WriteString("\n\n#[cfg(test)]\n#[path = \"" + path.Base(modFile(file, n)) + "\"]\nmod " + n + ";")
	}
	b.WriteString("\n")
	return b.String()
}

// Apart gives the files of both sides of a Rust source whose tests differ, each module of
// tests in a file of its own; false: they do not, or can't be taken apart.
func Apart(file, was, now string) (before, after map[string]string, ok bool) {
	old, can := withoutTests(was)
	if !can || strings.HasPrefix(file, "src/bin/") || strings.Contains(file, "/src/bin/") {
		return nil, nil, false
	}
	next, can := withoutTests(now)
	if !can || maps.Equal(old.mods, next.mods) {
		return nil, nil, false
	}
	names := slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, p := range []source{old, next} {
			for n := range p.mods {
				if !yield(n) {
					return
				}
			}
		}
	}))
	return old.files(file, names), next.files(file, names), true
}

// files are the source and the files of its modules of tests.
func (p source) files(file string, names []string) map[string]string {
	out := map[string]string{file: p.text(file, names)}
	for _, n := range names {
		out[modFile(file, n)] = p.mods[n]
	}
	return out
}

// matching is where the bracket at a place of a source without texts is closed; -1: nowhere.
func matching(blank string, at int) int {
	depth := 0
	for i := at; i < len(blank); i++ {
		switch blank[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

var rustText = pattern.New(
	`//[^\n]*|/\*|b?r(#*)"|b?"|b?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]+\}|.)|[^\\'\n])'`)

// blankRust gives a source of the same length without texts and comments; false: one
// of them is never closed.
func blankRust(text string) (string, bool) {
	out := []byte(text)
	for at := 0; ; {
		m := rustText.Regexp().FindStringSubmatchIndex(text[at:])
		if m == nil {
			return string(out), true
		}
		from, to := at+m[0], at+m[1]
		if word := from > 0 && wordByte(text[from-1]); word && text[from] != '"' && text[from] != '\'' &&
			text[from] != '/' {
			at = from + 1 // the end of a name: for"…", not r"…"
			continue
		}
		if to = endOf(text, from, to); to < 0 {
			return "", false
		}
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
		at = to
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// endOf is where the text or comment ends whose beginning lies there; -1: nowhere.
func endOf(text string, from, to int) int {
	begin := text[from:to]
	switch {
	case strings.HasPrefix(begin, "//") || strings.HasSuffix(begin, "'"):
		return to
	case begin == "/*":
		return commentEnd(text, to)
	case strings.Contains(begin, "r"):
		closing := `"` + strings.Repeat("#", strings.Count(begin, "#"))
		if i := strings.Index(text[to:], closing); i >= 0 {
			return to + i + len(closing)
		}
		return -1
	}
	for i := to; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// commentEnd is where a comment ends, in which others may stand.
func commentEnd(text string, at int) int {
	for depth := 1; at+1 < len(text); at++ {
		switch text[at : at+2] {
		case "/*":
			depth++
			at++
		case "*/":
			if depth--; depth == 0 {
				return at + 2
			}
			at++
		}
	}
	return -1
}
