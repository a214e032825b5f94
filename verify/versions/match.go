package versions

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const Placeholder = "{version}"

// Expanded is a pattern with the version put in, and where it went.
type Expanded struct {
	Text     string
	versions []span
}

type span struct{ from, to int }

// Expand puts version wherever pattern says {version}.
func Expand(pattern, version string) Expanded {
	var e Expanded
	var b strings.Builder
	for i, part := range strings.Split(pattern, Placeholder) {
		if i > 0 {
			e.versions = append(e.versions, span{b.Len(), b.Len() + len(version)})
			b.WriteString(version)
		}
		b.WriteString(part)
	}
	e.Text = b.String()
	return e
}

// In reports whether out contains the pattern, literally, with a token
// boundary around every version in it. near is true when only a boundary was
// missing: the text is there as part of another version.
func (e Expanded) In(out string) (found, near bool) {
	if e.Text == "" {
		return true, false
	}
	for from := 0; ; {
		i := strings.Index(out[from:], e.Text)
		if i < 0 {
			return false, near
		}
		if at := from + i; e.bounded(out, at) {
			return true, false
		}
		near = true
		from += i + 1
	}
}

// bounded reports whether the occurrence at a has its boundaries.
func (e Expanded) bounded(out string, at int) bool {
	end := at + len(e.Text)
	for _, v := range e.versions {
		head, tail := e.Text[:v.from], e.Text[v.to:]
		// Text of the pattern before a version is what its author asked for;
		// a mere "v" or separator says nothing of where a number begins.
		if strings.Trim(head, "vV.-+_") == "" && continuesLeft(out[:at+v.from], out[at+v.from]) {
			return false
		}
		if !tailEnds(tail, out[at+v.to:], out[end:]) {
			return false
		}
	}
	return true
}

// tailEnds reports whether a version ends where the pattern says. tail is the
// pattern's text behind it, out the output's, rest the output behind the
// whole pattern.
func tailEnds(tail, out, rest string) bool {
	if strings.Trim(tail, ".-+_") == "" {
		return !continuesRight(out)
	}
	if strings.ContainsFunc(tail, func(r rune) bool { return !wordRune(r) && !strings.ContainsRune(".-+_", r) }) {
		return true // the version ends inside the pattern
	}
	// The pattern goes on with the version ("{version}-rc.1"): it must not
	// stop inside a word, nor before a further number.
	last, _ := utf8.DecodeLastRuneInString(tail)
	next, size := utf8.DecodeRuneInString(rest)
	if wordRune(last) && wordRune(next) {
		return false
	}
	return !(next == '.' && len(rest) > size && IsDigit(rest[size]))
}

// continuesRight reports whether a version goes on in out: with a letter or
// digit, or with a separator and one. A full stop that ends a sentence does not.
func continuesRight(out string) bool {
	r, size := utf8.DecodeRuneInString(out)
	if wordRune(r) {
		return true
	}
	if !strings.ContainsRune(".-+_", r) || size == 0 {
		return false
	}
	next, _ := utf8.DecodeRuneInString(out[size:])
	return wordRune(next)
}

// continuesLeft reports whether the version that starts with first is the
// rest of a longer one ending before: 1.2.3 in 11.2.3, 0.1.2.3, 2.0.0-1.2.3.
// A "v", a name ("tool-", "lz4-", "curl/") and blanks are boundaries.
func continuesLeft(before string, first byte) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	if (r == 'v' || r == 'V') && IsDigit(first) {
		before = before[:len(before)-size]
		r, size = utf8.DecodeLastRuneInString(before)
	}
	if size == 0 {
		return false
	}
	if wordRune(r) {
		return true
	}
	if !strings.ContainsRune(".-+_", r) {
		return false
	}
	before = before[:len(before)-size]
	if r == '.' && before != "" && IsDigit(before[len(before)-1]) {
		return true
	}
	return hasDottedNumber(lastToken(before))
}

func lastToken(s string) string {
	i := strings.LastIndexFunc(s, func(r rune) bool { return !wordRune(r) && !strings.ContainsRune(".-+_", r) })
	return s[i+1:]
}

// hasDottedNumber reports whether s holds digit, dot, digit: a version.
func hasDottedNumber(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == '.' && IsDigit(s[i-1]) && IsDigit(s[i+1]) {
			return true
		}
	}
	return false
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
