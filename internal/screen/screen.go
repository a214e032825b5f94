// Package screen knows what a stream can show: whether it is a terminal, how
// wide, and whether colour is wanted; and it makes foreign text safe to show.
package screen

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"
)

// Stream is an output and what it can show.
type Stream struct {
	io.Writer
	Terminal bool
	Color    bool
	fd       int
}

// New looks at w. Colour follows, strongest first: off, NO_COLOR, FORCE_COLOR
// or CLICOLOR_FORCE, and whether w is a terminal that is not dumb. A terminal
// with TERM=dumb counts as none.
func New(w io.Writer, getenv func(string) string, off bool) Stream {
	s := Stream{Writer: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && getenv("TERM") != "dumb" {
		s.Terminal, s.fd = true, int(f.Fd())
	}
	switch {
	case off || getenv("NO_COLOR") != "":
	case set(getenv("FORCE_COLOR")) || set(getenv("CLICOLOR_FORCE")):
		s.Color = true
	default:
		s.Color = s.Terminal
	}
	return s
}

func set(v string) bool { return v != "" && v != "0" }

// Size is the terminal's columns and rows; 80 and 24 where it is not known.
func (s Stream) Size() (columns, rows int) {
	if s.Terminal {
		if w, h, err := term.GetSize(s.fd); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// Style is a colour or weight.
type Style string

// The styles in use; what they say is always said in words as well.
const (
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Bold   Style = "1"
	Dim    Style = "2"
)

// Paint gives text in a style where the stream shows colour, else as it is.
func (s Stream) Paint(st Style, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}

// Clean makes text safe for one line of a terminal: line breaks and tabs turn
// into blanks, whatever else could move the cursor, change colours or reorder
// what is read is written out (\x1b, \u202e). Bytes that are no UTF-8 too.
func Clean(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return text // as nearly all of it
	}
	var b strings.Builder
	b.Grow(len(text))
	for i, r := range text {
		switch {
		case ' ' <= r && r <= '~':
			b.WriteByte(byte(r))
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case r == unicode.ReplacementChar && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r < 0x80 && (r < ' ' || r == 0x7f):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Lines makes text of several lines safe to show: each line is cleaned.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = Clean(l)
	}
	return strings.Join(lines, "\n")
}

// Width is the number of columns that text takes.
func Width(text string) int { return displaywidth.String(text) }

// Fit cuts clean text to columns, or fills it up with blanks.
func Fit(text string, columns int) string {
	text = Cut(text, columns)
	return text + strings.Repeat(" ", max(columns-Width(text), 0))
}

// Cut cuts clean text to at most columns.
func Cut(text string, columns int) string {
	if columns <= 0 {
		return ""
	}
	return displaywidth.TruncateString(text, columns, "…")
}

// Clock writes a duration as 7s, 2m05s, 1h02m.
func Clock(d time.Duration) string {
	d = max(d, 0).Truncate(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Count writes a number of things: "1 step", "3 steps".
func Count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
