package sides

import (
	"regexp"
	"slices"
	"strings"

	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/lines"
	"cookoff/internal/pattern"
)

// UsedBy gives those of some names that changed lines of tests have from elsewhere.
func UsedBy(tests []Pair, names map[string]bool) map[string]bool {
	out := map[string]bool{}
	for _, p := range tests {
		// Of a line alone it can't be told whether it stands in a text of several lines.
		code := CodeOnly(kind.Language(p.Path), p.Now)
		whole := words("", code)
		for name := range words(kind.Language(p.Path), strings.Join(lines.Changed(p.Was, p.Now), "\n")) {
			if names[name] && (kind.Language(p.Path) == "" || whole[name] && !ownName(code, name)) {
				out[name] = true
			}
		}
	}
	return out
}

// ownName reports whether code has a variable or a function of its own that has a name, and
// nowhere takes it from something else.
func ownName(code, name string) bool {
	name = regexp.QuoteMeta(name)
	own := pattern.New(`(?m)\b(func|def|class|function|const|let|var|fn|struct) +` + name + `\b|` +
		`^[ \t]*(\w+, *)*` + name + `(, *\w+)*[ \t]+:?=[ \t]|\bfor +(\w+, *)*` + name + `\b`)
	taken := pattern.New(`\.` + name + `\b|import\b[^\n]*\b` + name + `\b|\{[^}\n]*\b` + name + `\b`)
	return own.MatchString(code) && !taken.MatchString(code)
}

// definition begins what gives a name its meaning.
var definition = pattern.New(`(?m)\b(?:func|def|class|function|const|let|var|type|fn|struct|enum)\s+(?:\([^)]*\)\s*)?(\w+)|\.(\w+)\s*=|^\s*(\w+)\s*[:=(]|\b(\w+)\s*=[^=]`)

// Defines reports whether a fix defines a name: a test that uses another new word of it
// may have it from elsewhere.
func Defines(fix []Pair, name string) bool {
	return slices.ContainsFunc(fix, func(p Pair) bool {
		return slices.ContainsFunc(definition.FindAllStringSubmatch(CodeOnly(kind.Language(p.Path), p.Now), -1),
			func(m []string) bool { return slices.Contains(m[1:], name) })
	})
}
