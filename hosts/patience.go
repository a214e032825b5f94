package hosts

import (
	"errors"
	"fmt"
	"os"
	"time"

	"cookoff/hosts/link"
)

// callTime is how long a hand may take for a call that moves no files.
const callTime = 2 * time.Minute

// How many bytes a second a hand moves at least: over the network, and on its disk.
const (
	slowNetwork = 32 << 10
	slowDisk    = 8 << 20
)

// sized is how long a call may take that moves so many bytes, at least so many a second.
func (s *session) sized(bytes, speed int64) time.Duration {
	return s.patience() + time.Duration(max(0, bytes)/speed)*time.Second
}

// patience is how long a call may take that moves no files.
func (s *session) patience() time.Duration {
	if s.h.Patience > 0 {
		return s.h.Patience
	}
	return callTime
}

// within gives the hand up where stop is not called in time: it lives, and does not
// do what it is asked for.
func (s *session) within(what string, most time.Duration) (stop func() bool) {
	return time.AfterFunc(most, func() {
		s.link.Fail(fmt.Errorf("it did not answer to %q within %v", what, most))
	}).Stop
}

// piece is how many bytes the other end must take in the time of a call.
const piece = 64 << 10

// steadily writes to a stream: each piece has its own time, so that a slow network is
// none that has stopped.
func (s *session) steadily(st *link.Stream, b []byte) (sent int, err error) {
	for err == nil && sent < len(b) {
		n := 0
		_ = st.SetWriteDeadline(time.Now().Add(s.patience())) // never fails
		n, err = st.Write(b[sent:min(len(b), sent+piece)])
		sent += n
	}
	return sent, err
}

// steady is a stream to the hand itself, which is given up where it takes nothing.
type steady struct {
	*link.Stream
	s *session
}

func (c steady) Write(b []byte) (int, error) {
	n, err := c.s.steadily(c.Stream, b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.s.link.Fail(fmt.Errorf("%w, for %v", link.ErrStalled, c.s.patience()))
	}
	return n, err
}
