package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of columns that text takes; escape sequences take none.
func Width(s string) int {
	if printableASCII(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// Fit cuts clean text to columns, or fills it up with blanks.
func Fit(s string, columns int) string {
	s = Cut(s, columns)
	return s + strings.Repeat(" ", max(columns-Width(s), 0))
}

// Cut cuts clean text to at most columns; "…" stands for what is gone.
func Cut(s string, columns int) string {
	switch {
	case columns <= 0:
		return ""
	case len(s) <= columns && printableASCII(s):
		return s
	}
	if cut := ansi.Truncate(s, columns, "…"); Width(cut) <= columns {
		return cut
	}
	return Head(s, columns-1) + "…" // the library counts a digit with a variation selector as one column
}

// Sentences cuts clean text to at most columns, behind a whole sentence where one
// takes at least a quarter of them, else as Cut.
func Sentences(s string, columns int) string {
	if Width(s) <= columns {
		return s
	}
	head := Head(s, columns-2)
	for i := len(head); i > 0; i-- {
		if s[i] == ' ' && strings.IndexByte(".!?", s[i-1]) >= 0 && Width(head[:i]) >= columns/4 {
			return head[:i] + " …"
		}
	}
	return Cut(s, columns)
}

// Head gives as much of the beginning of clean text as columns have room for.
func Head(s string, columns int) string {
	end := 0
	for end < len(s) {
		g, w := ansi.FirstGraphemeCluster(s[end:], ansi.GraphemeWidth)
		if columns -= w; columns < 0 {
			break
		}
		end += len(g)
	}
	return s[:end]
}

// Middle cuts clean text to at most columns and keeps both its ends: ids of one
// family differ at the end.
func Middle(s string, columns int) string {
	w := Width(s)
	switch {
	case w <= columns:
		return s
	case columns < 2:
		return strings.Repeat("…", max(columns, 0))
	}
	return Head(s, columns/2) + "…" + tail(s, (columns-1)/2)
}

// tail gives as much of the end of clean text as columns have room for.
func tail(s string, columns int) string {
	begins, widths, left := []int{}, []int{}, 0 // of its pieces
	for at := 0; at < len(s); {
		g, w := ansi.FirstGraphemeCluster(s[at:], ansi.GraphemeWidth)
		begins, widths, left = append(begins, at), append(widths, w), left+w
		at += len(g)
	}
	for i, at := range begins {
		if left <= columns {
			return s[at:]
		}
		left -= widths[i]
	}
	return ""
}

// Wrap breaks a clean line into pieces of at most so many columns, between words
// where it can.
func Wrap(s string, columns int) []string {
	if len(s) <= columns && printableASCII(s) {
		return []string{s}
	}
	var out []string
	start, column := 0, 0 // of the piece
	space := -1           // behind the last blank of the piece
	var atSpace int       // column there
	for pos := 0; pos < len(s); {
		g, w := ansi.FirstGraphemeCluster(s[pos:], ansi.GraphemeWidth)
		for column+w > columns && pos > start {
			if space > start {
				out = append(out, strings.TrimRight(s[start:space], " "))
				start, column = space, column-atSpace
			} else {
				out = append(out, s[start:pos])
				start, column = pos, 0
			}
			space = -1
		}
		pos += len(g)
		column += w
		if g == " " {
			space, atSpace = pos, column
		}
	}
	return append(out, s[start:])
}
