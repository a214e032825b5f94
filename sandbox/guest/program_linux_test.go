package guest

import (
	"os"
	"testing"
	"time"

	"cookoff/sandbox/wire"
)

// TestEndOfInputOnATerminal wants it to arrive also long after the last input.
func TestEndOfInputOnATerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ps := &programs{}
	if err := ps.add(1, &program{tty: true, in: w}); err != nil {
		t.Fatal(err)
	}
	if err := w.SetWriteDeadline(time.Now().Add(-time.Second)); err != nil { // of that input
		t.Fatal(err)
	}
	if _, err := ps.feed(0, wire.FeedArgs{Program: 1, Close: true}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	b := make([]byte, 2)
	if n, err := r.Read(b); n != 1 || b[0] != 4 {
		t.Errorf("%q arrived (%v)", b[:n], err)
	}
}
