package screen

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
)

// heedful is a writer that remembers the first error of writing.
type heedful struct {
	io.Writer
	failed atomic.Pointer[error]
}

func (w *heedful) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil && !errors.Is(err, syscall.EPIPE) { // EPIPE: the reader has ended, which is no failure
		w.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Heed has the stream remember the first error of writing to it, because not everything that prints looks at
// the error. The function that it returns gives that error, or nil.
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
