package native

import (
	"context"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/guest"
)

var _ sandbox.Background = (*world)(nil)

// Launch starts a command in the background.
func (w *world) Launch(ctx context.Context, c sandbox.Cmd) (int, error) {
	return ask[int](ctx, w.c, guest.OpLaunch, c)
}

// Job asks for news of one.
func (w *world) Job(ctx context.Context, job int, wait time.Duration) (sandbox.JobNews, error) {
	return ask[sandbox.JobNews](ctx, w.c, guest.OpJob, guest.JobArgs{Job: job, Wait: wait})
}

// StopJob ends one.
func (w *world) StopJob(ctx context.Context, job int) error {
	return w.c.call(ctx, guest.OpStopJob, job, nil)
}
