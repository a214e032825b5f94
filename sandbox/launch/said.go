package launch

import (
	"bytes"
	"fmt"
	"sync"
)

// firstMax and lastMax bound what is kept of what a program says: a traceback
// says at its beginning why, most others do at their end.
const (
	firstMax = 2048
	lastMax  = 1024
)

// bothEnds keeps the beginning and the end of what is written to it.
type bothEnds struct {
	mu          sync.Mutex
	first, last []byte
	left        int64 // how much is left out between them
}

func (e *bothEnds) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := min(len(p), firstMax-len(e.first))
	e.first = append(e.first, p[:n]...)
	e.last = append(e.last, p[n:]...)
	if over := len(e.last) - lastMax; over > 0 {
		e.left += int64(over)
		e.last = bytes.Clone(e.last[over:])
	}
	return len(p), nil
}

func (e *bothEnds) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left == 0 {
		return string(e.first) + string(e.last)
	}
	return fmt.Sprintf("%s\n[%d bytes left out]\n%s", e.first, e.left, e.last)
}
