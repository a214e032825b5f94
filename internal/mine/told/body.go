package told

import (
	"strings"
	"unicode"
)

// Body gives the lines of a source that a test stands in, by its name: those from where it begins to where its indent
// ends; "": it is not found.
func Body(source, name string) string {
	name = lastName(name)
	if name == "" {
		return ""
	}
	all := strings.Split(source, "\n")
	for i, l := range all {
		if !begins(l, name) {
			continue
		}
		end := i + 1
		for end < len(all) && (strings.TrimSpace(all[end]) == "" || indent(all[end]) > indent(l)) {
			end++
		}
		return strings.Join(all[i:end], "\n")
	}
	return ""
}

// lastName is what a test is called within what holds it, without the values that it is called with.
func lastName(name string) string {
	name = ownName(name)
	for _, sep := range []string{"::", " > ", "."} {
		if at := strings.LastIndex(name, sep); at >= 0 {
			name = name[at+len(sep):]
		}
	}
	name, _, _ = strings.Cut(name, "[")
	name, _, _ = strings.Cut(name, "/")
	return strings.TrimSpace(name)
}

// begins reports whether a line has a name as a word of its own.
func begins(line, name string) bool {
	_, rest, ok := strings.Cut(line, name)
	before, _, _ := strings.Cut(line, name)
	part := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	return ok && !strings.ContainsFunc(firstRune(rest), part) && !strings.ContainsFunc(lastRune(before), part)
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

func lastRune(s string) string {
	all := []rune(s)
	return string(all[max(0, len(all)-1):])
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
