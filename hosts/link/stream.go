package link

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// window is how many bytes of a stream may be on their way or unread.
const window = 256 << 10

// Stream is one of the streams of a link. Reading and writing may be done at once,
// each by one goroutine; closing by any.
type Stream struct {
	l  *Link
	id uint32

	mu     sync.Mutex
	change *sync.Cond
	unread []byte
	owed   int // bytes that were read and not yet given back as credit
	credit int // bytes that may be sent
	ours   bool
	theirs bool // the other end has closed it
	err    error
	due    time.Time   // when a Write that has no credit gives up; zero: never
	alarm  *time.Timer // wakes it
}

func newStream(l *Link, id uint32) *Stream {
	s := &Stream{l: l, id: id, credit: window}
	s.change = sync.NewCond(&s.mu)
	return s
}

// take does what a frame for the stream asks for.
func (s *Stream) take(f frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.change.Broadcast()
	if s.theirs {
		return fmt.Errorf("%w: stream %d goes on after its end", ErrFrame, s.id)
	}
	switch f.kind {
	case kindData:
		if s.ours {
			return nil // nobody wants it
		}
		if len(s.unread)+s.owed+len(f.data) > window {
			return fmt.Errorf("%w: stream %d sends more than it may", ErrFrame, s.id)
		}
		s.unread = append(s.unread, f.data...)
	case kindCredit:
		n := uint32(0)
		if len(f.data) == 4 {
			n = binary.BigEndian.Uint32(f.data)
		}
		if n == 0 || n > window || s.credit+int(n) > window {
			return fmt.Errorf("%w: a credit of %d on stream %d", ErrFrame, n, s.id)
		}
		s.credit += int(n)
	case kindClose:
		s.theirs = true
		if s.ours {
			s.l.forget(s.id)
		}
	}
	return nil
}

// Read gives what the other end said; io.EOF once it has closed the stream.
func (s *Stream) Read(b []byte) (int, error) {
	s.mu.Lock()
	for len(s.unread) == 0 && !s.theirs && !s.ours && s.err == nil {
		s.change.Wait()
	}
	if len(s.unread) == 0 || s.ours {
		defer s.mu.Unlock()
		switch {
		case s.ours:
			return 0, ErrClosed
		case s.err != nil:
			return 0, s.err
		}
		return 0, io.EOF
	}
	n := copy(b, s.unread)
	if s.unread = s.unread[n:]; len(s.unread) == 0 {
		s.unread = nil // what waits for long holds no memory
	}
	back := 0
	if s.owed += n; s.owed >= window/4 && !s.theirs {
		back, s.owed = s.owed, 0
	}
	s.mu.Unlock()
	if back > 0 {
		_ = s.l.send(frame{kind: kindCredit, stream: s.id,
			data: binary.BigEndian.AppendUint32(nil, uint32(back))}) // the next Read says so
	}
	return n, nil
}

// Write says something, as fast as the other end reads it.
func (s *Stream) Write(b []byte) (int, error) {
	sent := 0
	for sent < len(b) {
		n, err := s.room(len(b) - sent)
		if err != nil {
			return sent, err
		}
		if err := s.l.send(frame{kind: kindData, stream: s.id, data: b[sent : sent+n]}); err != nil {
			return sent, err
		}
		sent += n
	}
	return sent, nil
}

// room waits until some of n bytes may be sent, and takes them from the credit.
func (s *Stream) room(n int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.credit == 0 && s.err == nil && !s.ours && !s.theirs && !s.late() {
		s.change.Wait()
	}
	switch {
	case s.err != nil:
		return 0, s.err
	case s.ours || s.theirs:
		return 0, ErrClosed
	case s.credit == 0:
		return 0, os.ErrDeadlineExceeded
	}
	n = min(n, s.credit, maxPayload)
	s.credit -= n
	return n, nil
}

// SetWriteDeadline says when a Write gives up that the other end lets send no more.
// The zero time is never.
func (s *Stream) SetWriteDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alarm != nil {
		s.alarm.Stop()
		s.alarm = nil
	}
	if s.due = t; !t.IsZero() {
		s.alarm = time.AfterFunc(time.Until(t), func() {
			s.mu.Lock() // whoever looks at the time now is asleep before it is woken
			defer s.mu.Unlock()
			s.change.Broadcast()
		})
	}
	s.change.Broadcast()
	return nil
}

// late reports whether the deadline of writing has passed.
func (s *Stream) late() bool { return !s.due.IsZero() && !time.Now().Before(s.due) }

// Close ends the stream both ways.
func (s *Stream) Close() error {
	s.mu.Lock()
	if s.ours || s.err != nil {
		s.mu.Unlock()
		return nil
	}
	s.ours, s.unread = true, nil
	both := s.theirs
	s.change.Broadcast()
	s.mu.Unlock()
	if both {
		s.l.forget(s.id)
	}
	return s.l.send(frame{kind: kindClose, stream: s.id})
}

// fail ends the stream with its link.
func (s *Stream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	s.change.Broadcast()
}
