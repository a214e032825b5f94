// Package clock tells time and waits, so that tests need not.
package clock

import (
	"context"
	"time"
)

// Clock tells time and waits. Durations are differences of Now.
type Clock interface {
	Now() time.Time
	// Sleep waits for d, or returns ctx's error.
	Sleep(ctx context.Context, d time.Duration) error
}

// Real is the machine's clock.
type Real struct{}

// Now is the time of day.
func (Real) Now() time.Time { return time.Now() }

// Sleep waits for d, or until ctx ends.
func (Real) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
