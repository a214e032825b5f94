package trial

import (
	"io"
	"sync"
)

// Stream writes the lines of a journal for whoever looks on: it never fails. It
// is a Sink for one goroutine at a time or many. The nil Stream writes nothing.
type Stream struct {
	secrets []secret

	mu  sync.Mutex
	w   io.Writer
	err error
}

// NewStream writes to w. secrets maps names to values that must never be written.
func NewStream(w io.Writer, secrets map[string]string) *Stream {
	return &Stream{w: w, secrets: redactions(secrets)}
}

// Emit writes one line, until one can't be written.
func (s *Stream) Emit(e Event) error {
	if s == nil {
		return nil
	}
	line, err := redacted(e, s.secrets)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && err == nil {
		_, err = s.w.Write(line)
	}
	if s.err == nil {
		s.err = err
	}
	return nil
}

// Err gives why the stream broke off; nil: it did not.
func (s *Stream) Err() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
