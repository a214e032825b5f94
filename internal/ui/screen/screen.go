// Package screen knows what a stream can show: whether it is a terminal, how
// wide, and whether colour is wanted.
package screen

import (
	"io"
	"os"

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
	Italic Style = "3"
	Cyan   Style = "36"
)

// Paint gives text in a style where the stream shows colour, else as it is.
func (s Stream) Paint(st Style, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}
