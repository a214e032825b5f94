// Package stream takes what programs write, however much that is.
package stream

import (
	"fmt"
	"sync"
)

// Output keeps the head and the tail of a stream within a bound.
type Output struct {
	mu     sync.Mutex
	max    int
	head   []byte
	tail   []byte // ring, once it has its full size
	at     int    // where the ring continues
	cut    int64
	closed bool
}

// Write keeps what fits and counts the rest; it never fails, so that a
// command is never stopped by what it prints.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(p)
	if o.closed {
		return n, nil
	}
	half := o.max / 2
	if room := half - len(o.head); room > 0 {
		k := min(room, len(p))
		o.head = append(o.head, p[:k]...)
		p = p[k:]
	}
	size := o.max - half
	if over := len(p) - size; over > 0 {
		o.cut += int64(over)
		p = p[over:]
	}
	if room := size - len(o.tail); room > 0 {
		k := min(room, len(p))
		o.tail = append(o.tail, p[:k]...)
		p = p[k:]
	}
	o.cut += int64(len(p))
	for len(p) > 0 {
		k := copy(o.tail[o.at:], p)
		p = p[k:]
		o.at = (o.at + k) % size
	}
	return n, nil
}

// NewOutput keeps max bytes.
func NewOutput(max int) *Output { return &Output{max: max} }

// Close drops what comes from now on.
func (o *Output) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

// Finish gives what was kept, with a line where bytes are missing; what comes
// later is dropped.
func (o *Output) Finish() ([]byte, int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	b := o.head
	if o.cut > 0 {
		b = fmt.Appendf(b, "\n[%d bytes left out]\n", o.cut)
	}
	b = append(b, o.tail[o.at:]...)
	b = append(b, o.tail[:o.at]...)
	o.head, o.tail = nil, nil
	return b, o.cut
}
