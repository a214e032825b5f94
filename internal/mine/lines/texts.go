package lines

import (
	"slices"
	"strings"
	"unicode"

	"cookoff/internal/pattern"
)

// literals are texts and comments, whichever begins first.
var (
	inC      = pattern.New("(?s)\"((?:[^\"\\\\\n]|\\\\.)*)\"|'((?:[^'\\\\\n]|\\\\.)*)'|`([^`]*)`|/\\*.*?\\*/|//[^\n]*")
	inPython = pattern.New(`(?s)"""(.*?)"""|'''(.*?)'''|"((?:[^"\\` + "\n" + `]|\\.)*)"|'((?:[^'\\` + "\n" + `]|\\.)*)'|#[^` + "\n" + `]*`)
	regular  = pattern.New(`(?:^|[\s(,=:])/((?:[^/\\\n*]|\\.)(?:[^/\\\n]|\\.)*)/[dgimsuvy]*`)
	hole     = pattern.New(`%[-+# 0-9.*]*(?:l{0,2}[a-zA-Z]|\([a-z_]+\)[a-z])|\$?\{[^{}]*\}|\\[nrt]`)
	escaped  = pattern.New(`\\(.)`)
)

// Literals gives the texts that stand in code, as they are written between their quotes.
func Literals(language, text string) (out []string) {
	for _, m := range quotes(language).FindAllStringSubmatch(text, -1) {
		out = append(out, strings.Join(m[1:], ""))
	}
	return out
}

// quotes are the texts and comments of a language.
func quotes(language string) *pattern.Pattern {
	if slices.Contains([]string{"python", "shell", "ruby"}, language) {
		return inPython
	}
	return inC
}

// usualTexts are texts that code of everybody has.
var usualTexts = SetOf(`
utf-8 utf8 ascii latin-1 utf-16 error string object function number boolean undefined default true false null none
name value type message localhost application/json text/plain text/html content-type linux darwin windows http://
https:// post patch delete head options json test main hello world
`)

// mostTexts is how many texts of a fix are looked at: a fix may bring much data.
const mostTexts = 2000

// demandable reports whether a text is one that nobody would write unasked.
func demandable(s string) bool {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n >= 4 && !usualTexts.Has(strings.ToLower(s))
}

// plainly gives a text as it is printed, on one line.
func plainly(s string) string {
	return strings.Join(strings.Fields(escaped.ReplaceAllString(s, "$1")), " ")
}

// Demanded gives the texts that tests ask for and a fix has in its code: from one hole of a format to the
// next. texts are the fix's, tests the lines of tests that are new.
func Demanded(texts []string, language, tests string) (out []string) {
	plain := plainly(tests)
	own := Literals(language, tests)
	for _, m := range regular.FindAllStringSubmatch(tests, -1) {
		own = append(own, m[1])
	}
	for i, s := range own {
		own[i] = strings.Trim(plainly(strings.ReplaceAll(s, ".*", " ")), " ^$")
	}
	own = slices.DeleteFunc(own, func(s string) bool { return len(s) < leastLine || !demandable(s) })
	add := func(s string) {
		if demandable(s) && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, text := range texts[:min(len(texts), mostTexts)] {
		for part := range strings.SplitSeq(hole.ReplaceAllString(text, "\x00"), "\x00") {
			if part = strings.Trim(plainly(part), " .:,;()[]'\"`"); !demandable(part) {
				continue
			}
			if strings.Contains(plain, part) {
				add(part)
				continue
			}
			for _, s := range own { // a test may ask for less
				if strings.Contains(part, s) {
					add(s)
				}
			}
		}
	}
	return out
}

// Told reports whether a prompt holds a text, however it is quoted and wrapped there.
func Told(prompt, text string) bool { return strings.Contains(plainly(prompt), text) }

// native are names that the languages give: nobody has to be told of them.
var native = pattern.New(`^(__\w+__|prototype|constructor|toString|valueOf|hasOwnProperty|toJSON|iterator)$`)

// Native reports whether a text is a name that its language gives a meaning to, as __proto__.
func Native(text string) bool { return native.MatchString(text) }

var (
	// given are names that a call gives values to: in brackets, or on lines of their own.
	given = pattern.New(`[({,]\s*['"]?(\w{3,})['"]?\s*(?::\s|=[^=\s])|(?m)^\s+['"]?(\w{3,})['"]?(?::\s|=[^=\s])`)
	taken = pattern.New(`\.(\w{3,})\b|['"](\w{3,})['"]`)
)

// Options gives the names that tests give values to and the fix asks objects for, as
// parse(x, {strict: true}) and options.strict.
func Options(fix, tests string) (out []string) {
	asks := map[string]bool{}
	for _, m := range taken.FindAllStringSubmatch(fix, -1) {
		asks[m[1]+m[2]] = true
	}
	for _, m := range given.FindAllStringSubmatch(tests, -1) {
		n := m[1] + m[2]
		if small := strings.ToLower(n); asks[n] && !idioms.Has(small) && !ordinary.Has(small) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
