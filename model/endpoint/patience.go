package endpoint

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"cookoff/model"
)

// Patience is how long an answer is waited for: as long as the caller has time, and no part
// of it stays away for longer than Idle. Where the caller's time ends in a reply of which
// the model has written something, and which is silent, its next byte tells whose doing
// that was: a model that is slow, or a provider that has stalled.
type Patience struct {
	idle   time.Duration
	cancel context.CancelCauseFunc
	timer  *time.Timer

	mu      sync.Mutex
	bounded bool // silence is
	wrote   bool // something that the model wrote has come
	late    bool // the caller's time is over
	stalled bool
}

// Wait begins to wait for an answer. It ends with done, or with the context that it gives,
// by ctx or for the causes that sorted knows.
func (e *Endpoint) Wait(ctx context.Context) (own context.Context, p *Patience, done func()) {
	own, cancel := context.WithCancelCause(model.Unlimited(ctx))
	p = &Patience{idle: e.Idle, cancel: cancel}
	p.timer = time.AfterFunc(e.Idle, p.stall)
	p.timer.Stop()
	total := time.AfterFunc(e.Timeout, func() { cancel(errTimeout) })
	left := context.AfterFunc(ctx, func() { p.over(ctx.Err()) })
	return own, p, func() {
		left()
		total.Stop()
		p.timer.Stop()
		cancel(nil)
	}
}

// Bound bounds silence from now on.
func (p *Patience) Bound() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bounded = true
}

// Wrote says that something that the model wrote has come.
func (p *Patience) Wrote() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrote = true
}

// Started says of a part of a reply in one piece that it has come, and reports whether it is
// more than blanks: then the model has written, and what is left comes at once.
func (p *Patience) Started(part []byte) bool {
	begun := len(bytes.TrimSpace(part)) > 0
	if begun {
		p.Bound()
		p.Wrote()
	}
	return begun
}

// Stalled reports whether the answer was given up since it was silent.
func (p *Patience) Stalled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stalled
}

// Read reads a part of the answer.
func (p *Patience) Read(from io.Reader, to []byte) (int, error) {
	p.mu.Lock()
	if p.bounded {
		p.timer.Reset(p.idle)
	}
	p.mu.Unlock()
	n, err := from.Read(to)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer.Stop()
	if p.late && n > 0 {
		p.cancel(context.DeadlineExceeded)
		return 0, context.DeadlineExceeded
	}
	return n, err
}

// stall gives the answer up.
func (p *Patience) stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stalled = true
	p.cancel(errIdle)
}

// over says that the caller waits no longer, for a reason.
func (p *Patience) over(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late = p.bounded && p.wrote && errors.Is(why, context.DeadlineExceeded); !p.late {
		p.cancel(why)
	}
}

// stalled is the error of an answer that was silent. late: the caller's time was over
// meanwhile.
func stalled(e *Endpoint, late bool) error {
	return &model.RetryError{Idle: late, Err: e.Fault("the reply has stalled: no bytes for %v", e.Idle)}
}

// GaveUp is the error of an answer that took longer than it may, or nil.
func (e *Endpoint) GaveUp(ctx, own context.Context) error {
	switch cause := context.Cause(own); {
	case errors.Is(cause, errTimeout):
		return e.Retry(0, "no reply within %v", e.Timeout)
	case errors.Is(cause, errIdle):
		return stalled(e, ctx.Err() != nil)
	}
	return nil
}
