package client

import (
	"context"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// Launch starts a command in the background.
func (c *Client) Launch(ctx context.Context, cmd sandbox.Cmd) (int, error) {
	return ask[int](ctx, c, wire.OpLaunch, cmd)
}

// Job asks for news of one.
func (c *Client) Job(ctx context.Context, job int, wait time.Duration) (sandbox.JobNews, error) {
	return ask[sandbox.JobNews](ctx, c, wire.OpJob, wire.JobArgs{Job: job, Wait: wait})
}

// StopJob ends one.
func (c *Client) StopJob(ctx context.Context, job int) error {
	return c.Call(ctx, wire.OpStopJob, job, nil)
}
