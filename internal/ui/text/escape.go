// Package text prepares for people what comes from outside: from models, tools,
// recipes, servers and files. It writes out what can't be seen or could steer a
// terminal, measures and cuts in columns, and writes numbers, sizes and times.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Visible gives foreign text on one line, with nothing in it that isn't seen:
// control characters, escape sequences, bidirectional overrides, zero-width and
// tag characters, fillers, and bytes that are no UTF-8 stand as Go writes them in
// a string (\x1b, \u202e, \U000e0041, \n). What joins two pictographs to one stays.
// Nothing is left out.
func Visible(s string) string { return write(s, nil) }

// Line is Visible for a line that is read, not studied: line breaks, tabs and
// special blanks become a blank each.
func Line(s string) string {
	return write(s, func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' || r != ideographicSpace && unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	})
}

// Lines is Visible for text of several lines: line breaks and tabs stay.
func Lines(s string) string {
	if strings.Contains(s, "\r\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	if !strings.ContainsAny(s, "\n\t") {
		return Visible(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		end := strings.IndexAny(s, "\n\t")
		if end < 0 {
			b.WriteString(Visible(s))
			break
		}
		b.WriteString(Visible(s[:end]))
		b.WriteByte(s[end])
		s = s[end+1:]
	}
	return b.String()
}

// ideographicSpace is two columns wide and part of ordinary Japanese text.
const ideographicSpace = '\u3000'

// write escapes what is hidden, after swap has had its say.
func write(s string, swap func(rune) rune) string {
	if printableASCII(s) {
		return s // as nearly all of it
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	var before, base rune // base: before what only chooses how it is drawn
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if swap != nil {
			r = swap(r)
		}
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
			before, base = 0, 0
		case Hidden(r) && !selects(before, r) && !(r == joiner && joins(base, s[i+n:])):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			before, base = 0, 0
		default:
			b.WriteRune(r)
			before = r
			if r != '\ufe0f' && !tone(r) {
				base = r
			}
		}
		i += n
	}
	return b.String()
}

func printableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Hidden reports whether a character draws nothing, moves what stands beside it,
// or is unknown.
func Hidden(r rune) bool {
	switch {
	case r <= '~':
		return r < ' '
	case r == ideographicSpace:
		return false
	case r == '\u2800': // the pattern of Braille without a dot
		return true
	case r == '\u180f' || r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return !strconv.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// selects reports whether a character only chooses how the one before it is
// drawn: as text, or as an emoji.
func selects(before, r rune) bool {
	return (r == '\ufe0e' || r == '\ufe0f') && before > '~' && !Hidden(before) || r == '\ufe0f' && keycap(before)
}

// joiner makes one pictograph of two: a family, a flag of several.
const joiner = '\u200d'

// joins reports whether a joiner between a character and a text stands between
// pictographs.
func joins(before rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return pictograph(before) && pictograph(next)
}

// pictograph reports whether Unicode lets a joiner behind this join it to a pictograph.
func pictograph(r rune) bool {
	if r <= '~' || Hidden(r) {
		return false
	}
	pair := string(r) + string(joiner) + "😀"
	first, _ := ansi.FirstGraphemeCluster(pair, ansi.GraphemeWidth)
	return first == pair
}

// tone reports whether a character is the colour of the skin of the one before it.
func tone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

func keycap(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }

// JSON writes hidden characters of a document as \u escapes: all of them stand
// within strings, so that it means the same. Line breaks stay.
func JSON(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for i := 0; i < len(doc); {
		r, n := utf8.DecodeRune(doc[i:])
		switch {
		case r == '\n' || !Hidden(r):
			out = append(out, doc[i:i+n]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}
