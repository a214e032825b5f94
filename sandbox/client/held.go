package client

import (
	"fmt"
	"io"
	"sync/atomic"

	"cookoff/sandbox/wire"
)

// Held bounds what several clients together keep of answers that have begun and not
// ended. It is safe for concurrent use; nil bounds nothing.
type Held struct {
	most int64
	full func(error) error
	now  atomic.Int64
}

// NewHeld allows so many bytes; full is told, with the reason, where somebody sends more, and
// gives the error that his client ends with.
func NewHeld(most int64, full func(error) error) *Held { return &Held{most: most, full: full} }

func (h *Held) take(n int) error {
	if h == nil || h.now.Add(int64(n)) <= h.most {
		return nil
	}
	return h.full(fmt.Errorf("%w: answers that never end, of more than %d bytes together", wire.ErrFrame, h.most))
}

func (h *Held) give(n int) {
	if h != nil {
		h.now.Add(-int64(n))
	}
}

// arriving is the connection, what has come of a frame counted until that is whole.
type arriving struct {
	in   io.Reader
	held *Held
	n    int
}

func (a *arriving) Read(b []byte) (int, error) {
	n, err := a.in.Read(b)
	a.n += n
	if full := a.held.take(n); full != nil {
		return n, full
	}
	return n, err
}

func (a *arriving) whole() {
	a.held.give(a.n)
	a.n = 0
}
