package endpoint

import (
	"bytes"
	"context"
	"errors"
	"time"

	"cookoff/model"
)

// Left is the error of a request of asked whose caller's ctx has ended: the caller's own
// doing, no fault of the provider. It is the provider's where the time ran out, and open, a
// stream had begun that was no event yet, for longer than one may be silent.
func (e *Endpoint) Left(ctx context.Context, asked time.Time, open bool) error {
	if gone := model.Unlimited(ctx).Err(); errors.Is(gone, context.Canceled) {
		return gone
	}
	took := time.Since(asked)
	if !open || took <= e.Idle || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	err := e.Fault("nothing came for %v but what keeps a connection open, no event of a reply", took.Round(time.Second))
	return &model.RetryError{Idle: true, Err: err}
}

// ping reports whether an event says nothing but that the connection is there.
func ping(data []byte) bool {
	return len(data) < 64 && bytes.Contains(data, []byte(`"ping"`))
}
