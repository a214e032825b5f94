package verify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxTail = 2 << 10 // bytes of output kept as evidence

// tail gives the end of an output as plain text: what a checked program
// printed must control neither a terminal nor a report.
func tail(out []byte) string {
	cut := len(out) > 2*maxTail
	if cut {
		out = out[len(out)-2*maxTail:]
		for len(out) > 0 && !utf8.RuneStart(out[0]) {
			out = out[1:]
		}
	}
	s := strings.TrimSpace(plain(string(out)))
	if len(s) > maxTail {
		s, cut = s[len(s)-maxTail:], true
		for s != "" && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
	}
	if cut {
		return "…" + s
	}
	return s
}

// shownLines is how many of the last lines of a stream are evidence.
const shownLines = 20

// lastLines gives the last of the lines of a text.
func lastLines(s string) string {
	lines := strings.Split(s, "\n")
	if len(lines) <= shownLines {
		return s
	}
	return "…\n" + strings.Join(lines[len(lines)-shownLines:], "\n")
}

// plain drops escape sequences and every character that is not text.
func plain(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0x1b:
			i += escapeLen(s[i:])
			continue
		case r == utf8.RuneError && size <= 1:
			b.WriteRune(utf8.RuneError)
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			// carriage returns, bidi overrides, zero-width characters
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// escapeLen is the length of the escape sequence s starts with: CSI, a string
// sequence such as OSC up to its end, or ESC and one character.
func escapeLen(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x7e {
				return i
			}
		}
		return len(s)
	case ']', 'P', '^', '_', 'X':
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 || s[i] == '\n' {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return len(s)
	}
	_, size := utf8.DecodeRuneInString(s[1:])
	return 1 + size
}
