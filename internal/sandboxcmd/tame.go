package sandboxcmd

import (
	"bytes"
	"io"
)

// tame passes on what a shell needs of a terminal: text, colours, the cursor.
// What would reach beyond the screen is dropped: strings for the terminal
// itself (titles, the clipboard, links: OSC, DCS, APC, PM, SOS), questions
// whose answers it would type into the shell, and C1 controls.
type tame struct {
	w     io.Writer
	state tameState
	seq   []byte // of an escape sequence under way
	rest  int    // bytes of a character still to come
	lead  byte   // the character's first byte
}

type tameState int

const (
	plainText tameState = iota
	escape
	control   // after ESC [
	foreign   // in a string for the terminal
	foreignST // there, after ESC
)

// maxSequence bounds an escape sequence in bytes; a longer one is dropped.
const maxSequence = 64

func (t *tame) Write(b []byte) (int, error) {
	var out bytes.Buffer
	for _, c := range b {
		t.take(&out, c)
	}
	if _, err := t.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// take handles one byte of the output of a sandbox. Text, colours and moves of the cursor
// pass; sequences that would change or ask the terminal are dropped.
func (t *tame) take(out *bytes.Buffer, c byte) {
	switch t.state {
	case plainText:
		t.text(out, c)
	case escape:
		t.escape(out, c)
	case control:
		t.control(out, c)
	case foreign:
		switch c {
		case 0x07, 0x18, 0x1a:
			t.state = plainText
		case 0x1b:
			t.state = foreignST
		}
	case foreignST:
		if t.state = foreign; c == '\\' {
			t.state = plainText
		}
	}
}

// escape handles a byte after ESC.
func (t *tame) escape(out *bytes.Buffer, c byte) {
	t.seq = append(t.seq, c)
	switch {
	case c == '[':
		t.state = control
	case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
		t.state = foreign
	case c >= ' ' && c < '0' && len(t.seq) < maxSequence: // more of it follows
	case c == 'Z' || c < ' ' || c > '~': // asks who it is, or is none
		t.state = plainText
	default:
		out.Write(t.seq)
		t.state = plainText
	}
}

// control handles a byte after ESC [.
func (t *tame) control(out *bytes.Buffer, c byte) {
	t.seq = append(t.seq, c)
	switch {
	case c < ' ' || c > '~' || len(t.seq) > maxSequence:
		t.state = plainText
	case c >= '@':
		if !bytes.ContainsRune([]byte("cntqy"), rune(c)) {
			out.Write(t.seq)
		}
		t.state = plainText
	}
}

// text handles a byte outside of sequences, and tells control characters of UTF-8 from
// letters.
func (t *tame) text(out *bytes.Buffer, c byte) {
	switch {
	case t.rest > 0 && c&0xc0 == 0x80:
		if t.rest--; t.lead == 0xc2 && c < 0xa0 {
			out.WriteByte('?') // a C1 control in UTF-8
			return
		}
		if t.lead == 0xc2 {
			out.WriteByte(0xc2)
		}
		out.WriteByte(c)
	case c == 0x1b:
		t.state, t.seq, t.rest = escape, append(t.seq[:0], c), 0
	case c < 0x80:
		if t.rest = 0; c != 0x05 { // ENQ asks for an answer
			out.WriteByte(c)
		}
	case c < 0xc0:
		out.WriteByte('?') // a C1 control, or no UTF-8
	default:
		t.lead, t.rest = c, 1
		if c >= 0xe0 {
			t.rest = 2
		}
		if c >= 0xf0 {
			t.rest = 3
		}
		if c != 0xc2 {
			out.WriteByte(c)
		}
	}
}
