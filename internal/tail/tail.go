// Package tail reads a journal that grows.
package tail

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"cookoff/trial"
)

// Sink is what events are folded into. Reset is called before the first event,
// and again when the journal has to be read from its beginning.
type Sink interface {
	trial.Sink
	Reset()
}

// Tail hands on a journal's events, each line once.
type Tail struct {
	path   string
	sink   Sink
	file   os.FileInfo
	offset int64 // of the first line that was not read yet
	starts int   // how often the journal was read from its beginning
	cut    bool  // it is shorter than it was, or another file
}

// New gives a Tail of the journal at path.
func New(path string, sink Sink) *Tail { return &Tail{path: path, sink: sink} }

// Cut reports whether what was read is not in the journal any more: no run does that.
func (t *Tail) Cut() bool { return t.cut }

// Empty reports whether no event was read yet.
func (t *Tail) Empty() bool { return t.offset == 0 }

// State names what was read: it is another text when there was more.
func (t *Tail) State() string { return fmt.Sprintf("%d-%d", t.starts, t.offset) }

// Read takes in the lines that are whole, and reports whether there were any.
// A journal that another took the place of is read from its beginning; a bundle
// is read whole.
func (t *Tail) Read() (news bool, err error) {
	f, err := os.Open(t.path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return false, err
	}
	if t.file == nil || !os.SameFile(t.file, st) || st.Size() < t.offset {
		t.cut = t.cut || t.file != nil && t.offset > 0
		t.file, t.offset, t.starts, news = st, 0, t.starts+1, true
		t.sink.Reset()
	}
	if t.offset == 0 && news && trial.Bundled(f) {
		if _, err := trial.ReadFile(t.path, t.sink.Emit); err != nil {
			t.file = nil
			return false, err
		}
		t.offset = st.Size() // it never grows
		return true, nil
	}
	end, err := lastLine(f, t.offset, st.Size())
	if err != nil || end == t.offset {
		return news, err
	}
	if _, err := trial.Read(io.NewSectionReader(f, t.offset, end-t.offset), t.sink.Emit); err != nil {
		t.file = nil // part of it was taken in: begin again
		return false, fmt.Errorf("reading %s, from byte %d on: %w", t.path, t.offset, err)
	}
	t.offset = end
	return true, nil
}

// lastLine gives the place behind the last line break between from and to;
// from where there is none.
func lastLine(f io.ReaderAt, from, to int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for to > from {
		n := min(int64(len(buf)), to-from)
		if _, err := f.ReadAt(buf[:n], to-n); err != nil {
			return from, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return to - n + int64(i) + 1, nil
		}
		to -= n
	}
	return from, nil
}
