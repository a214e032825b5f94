package screen

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
)

// heedful is a writer that remembers that it could not write.
type heedful struct {
	io.Writer
	failed atomic.Pointer[error]
}

func (w *heedful) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil && !errors.Is(err, syscall.EPIPE) { // nobody reads on, which is no failure
		w.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Heed has the stream remember whether something could not be written to it: not all who
// print look. What it gives says so.
func (s *Stream) Heed() func() error {
	w := &heedful{Writer: s.Writer}
	s.Writer = w
	return func() error {
		if err := w.failed.Load(); err != nil {
			return *err
		}
		return nil
	}
}

// File is the file that the stream is, if it is one.
func (s Stream) File() (*os.File, bool) {
	to := s.Writer
	if w, ok := to.(*heedful); ok {
		to = w.Writer
	}
	f, ok := to.(*os.File)
	return f, ok
}
