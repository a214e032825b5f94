package lines

import (
	"strings"
	"unicode"

	"cookoff/internal/pattern"
)

// Code is what a fix changes, for finding pieces of it in texts. A nil one is found in none.
type Code struct {
	added []string // lines, squeezed
	all   string   // the same, one below the other
	old   string   // the files before, squeezed by the line
	gone  string   // of them the lines that the fix removes
}

// Sizes of what is compared, in bytes without spaces.
const (
	leastLine = 6       // of a line
	window    = 20      // of a part of one
	mostTold  = 20_000  // of a text
	mostCode  = 256_000 // of what a fix adds: more is data
)

// CodeOf is the code of a fix that adds and removes lines in files that were so before.
func CodeOf(added, removed []string, before string) *Code {
	c := &Code{}
	size := 0
	for _, l := range added {
		if idle.MatchString(l) || size > mostCode {
			continue
		}
		if s := strings.Trim(squeeze(l), ";,{}"); s != "" {
			c.added = append(c.added, s)
			size += len(s)
		}
	}
	c.all = strings.Join(c.added, "\n")
	c.old, c.gone = squeezed(strings.Split(before, "\n")), squeezed(removed)
	return c
}

func squeezed(list []string) string {
	var b strings.Builder
	for _, l := range list {
		b.WriteString(squeeze(l) + "\n")
	}
	return b.String()
}

// squeeze gives a text without spaces, in small letters, with one kind of quotes.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return -1
		case r == '"' || r == '`' || r == '“' || r == '”' || r == '‘' || r == '’':
			return '\''
		}
		return unicode.ToLower(r)
	}, s)
}

// signs are the characters of code that prose has not.
const signs = "()[]{}=<>+*;&|!%^$@"

func signsIn(s string) (n int) {
	for _, r := range s {
		if strings.ContainsRune(signs, r) {
			n++
		}
	}
	return n
}

var (
	quoted = pattern.New("``([^`]|`[^`])+``|`[^`]+`")
	// expression is code in the middle of prose: operands with operators between them, a call with
	// arguments, an index.
	expression = pattern.New(`[\w.\[\]()'"]+(?:\s*(?:[-+*/%<>=!&|^:]=|<<|>>|&&|\|\||=>|->|[-+*/%<>=&|^?])\s*[\w.\[\]()'"!-]+)+` +
		`|[\w.]+\((?:[^()\n]|\([^()\n]*\))+\)|[\w.]+\[[^\]\n]+\]`)
	plainCall = pattern.New(`[\w.]+\(\)`)
	operator  = pattern.New(`^[-+*/%<>=!&|^:?.]+$`)
	// wanted is an error with its text: that says what is wanted, unless it is a statement.
	wanted  = pattern.New("\\b((?:(?i:raise|throw|new)\\s+)*)\\w*(?:Error|Exception|Warning)\\(\\s*(\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`)\\s*\\)")
	advises = pattern.New(`(?i)\b(use|instead|should|must be|replace|change|switch|rather than|make it|swap|turn)`)
)

// In reports whether a text, a sentence or some lines, holds a piece of the code that only the fix has.
func (c *Code) In(text string) bool {
	if c == nil || len(c.added) == 0 {
		return false
	}
	text = wanted.ReplaceAllStringFunc(text[:min(len(text), mostTold)], func(s string) string {
		if m := wanted.FindStringSubmatch(s); m[1] == "" {
			return m[2]
		}
		return s
	})
	flat := squeeze(text)
	for _, l := range c.added {
		if len(l) >= leastLine && signsIn(l) > 0 && strings.Contains(flat, l) && !strings.Contains(c.old, l) {
			return true
		}
	}
	for _, s := range quoted.FindAllString(text, -1) {
		s = strings.Trim(s, "`")
		if c.onlyIt(s) || operator.MatchString(s) && advises.MatchString(text) && c.changes(s) {
			return true
		}
	}
	for _, s := range expression.FindAllString(text, -1) {
		if c.onlyIt(s) {
			return true
		}
	}
	for s := range strings.FieldsSeq(text) { // a piece of a pattern, as (?:\.\d+)?
		if s = strings.Trim(s, ".,;:"); signsIn(s) >= 3 && len(s) >= leastLine && c.onlyIt(s) {
			return true
		}
	}
	if advises.MatchString(text) {
		for _, s := range plainCall.FindAllString(text, -1) {
			if c.changes(s) && !strings.Contains(c.old, squeeze(s)) {
				return true
			}
		}
	}
	for i := 0; i+window <= len(flat); i++ {
		if w := flat[i : i+window]; signsIn(w) > 1 && strings.Contains(c.all, w) && !strings.Contains(c.old, w) {
			return true
		}
	}
	return false
}

// onlyIt reports whether an expression stands in what the fix adds, and nowhere before.
func (c *Code) onlyIt(s string) bool {
	s = strings.Trim(squeeze(s), ".,;:")
	return len(s) >= 3 && (signsIn(s) > 0 || strings.ContainsAny(s, "-/?")) && !strings.HasSuffix(s, "()") &&
		strings.Contains(c.all, s) && !strings.Contains(c.old, s)
}

// changes reports whether a fix brings an operator that what it takes away did not have.
func (c *Code) changes(s string) bool {
	s = squeeze(s)
	return strings.Contains(c.all, s) && !strings.Contains(c.gone, s)
}

// Line reports whether a line that a program printed is one that the fix adds.
func (c *Code) Line(line string) bool {
	if c == nil || Weight(line) < Some {
		return false
	}
	s := strings.Trim(squeeze(strings.TrimLeft(line, " \t+->|E")), ";,{}")
	if len(s) < window || signsIn(s) == 0 || strings.Contains(c.old, s) {
		return false
	}
	for _, l := range c.added {
		if l == s {
			return true
		}
	}
	return false
}
