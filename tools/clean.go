package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean makes foreign bytes a text that is safe in JSON, on a terminal and in
// a report: valid UTF-8 in which controls (but newline and tab), direction
// marks, zero-width and tag characters and stray bytes are written out, like
// \x1b, \r or \u202e.
func Clean(b []byte) string {
	if plain(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + len(b)/8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, `\x%02x`, b[0])
		case r == '\r':
			out.WriteString(`\r`)
		case r != '\n' && r != '\t' && r < 0x20, r >= 0x7f && r < 0xa0:
			fmt.Fprintf(&out, `\x%02x`, r)
		case invisible(r) && r > 0xffff:
			fmt.Fprintf(&out, `\U%08x`, r)
		case invisible(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.Write(b[:n])
		}
		b = b[n:]
	}
	return out.String()
}

func plain(b []byte) bool {
	for _, c := range b {
		if c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// invisible reports characters that change how their neighbours look, or that
// hide text from the eye.
func invisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x180e, r == 0xfeff,
		r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0: // fillers drawn as nothing
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return r >= 0xe0000 && r <= 0xe0fff
}

// cleanName is Clean for a file name: it stays on one line.
func cleanName(name string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Clean([]byte(name)))
}

// Clip cuts s to at most max bytes, between characters, and says so with "…".
func Clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max] + "…"
}

// keepEnds cuts the middle out of a text longer than max bytes, in whole lines
// where they are short enough, and gives how many bytes it left out.
func keepEnds(s string, max int) (string, int64) {
	if len(s) <= max {
		return s, 0
	}
	head, tail := max/2, len(s)-max/2
	if i := strings.LastIndexByte(s[:head], '\n'); i > head/2 {
		head = i + 1
	}
	if i := strings.IndexByte(s[tail:], '\n'); i >= 0 && i < max/4 {
		tail += i + 1
	}
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	cut := tail - head
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s",
		strings.TrimSuffix(s[:head], "\n"), cut, s[tail:]), int64(cut)
}
