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

// heads are those of functions, with their parameters.
var heads = pattern.New(`\b(?:def|fn|func|function)\b[^\n(]*\([^)]*\)`)

// ownName reports whether code has a variable, a parameter or a function of its own that has a name, or gives its own
// data such a field, and nowhere takes it from something else.
func ownName(code, name string) bool {
	name = regexp.QuoteMeta(name)
	own := pattern.New(`(?m)\b(func|def|class|function|const|let|var|fn|struct) +` + name + `\b|` +
		`^[ \t]*(\w+, *)*` + name + `(, *\w+)*[ \t]+:?=[ \t]|\b(for|as|lambda) +(\w+, *)*` + name + `\b|` +
		`\b(def|fn|func|function)\b[^\n(]*\(([^)]*[\s,*])?` + name + `\b|` +
		`\((\w+, *)*` + name + `(, *\w+)*\) *=>|\b` + name + ` *=>`)
	argument := pattern.New(`[(,]\s*` + name + ` *=[^=>]`)
	from := pattern.New(`\.` + name + `\b|import\b[^\n]*\b` + name + `\b`)
	braced := pattern.New(`\{[^}\n]*\b` + name + `\b`)
	field := pattern.New(`\b` + name + `\s*:`).MatchString(code)
	ofRow := pattern.New(`\bfor\s*\(\s*(const|let|var)\s*\{[^}]*\b` + name + `\b[^}]*\}\s*of\b|` +
		`\(\s*\{[^}]*\b` + name + `\b[^}]*\}\s*\)\s*=>|\bownRow\b`)
	if field {
		code = ofRows(code, name)
	}
	if from.MatchString(code) || argument.MatchString(heads.ReplaceAllString(code, " ")) {
		return false
	}
	return own.MatchString(code) && !braced.MatchString(code) || field && ofRow.MatchString(code)
}

// loops go through rows, each by a name.
var loops = pattern.New(`\bfor\s*\(\s*(?:const|let|var)\s+(\w+)\s+of\b|\bfor +(\w+) +in\b|\(?\b(\w+)\)?\s*=>`)

// ofRows has code that goes through rows take a field of them from ownRow.
func ofRows(code, field string) string {
	for _, m := range loops.FindAllStringSubmatch(code, -1) {
		code = pattern.New(`\b`+m[1]+m[2]+m[3]+`\.`+field+`\b`).ReplaceAllString(code, "ownRow")
	}
	return code
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
