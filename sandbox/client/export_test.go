package client

import (
	"context"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// ExecCancelled asks for a command, and at once for its end. It gives the result.
func (c *Client) ExecCancelled(ctx context.Context, cmd sandbox.Cmd) (r sandbox.Result, err error) {
	args, err := wire.Encode(cmd)
	if err != nil {
		return r, err
	}
	id, p, err := c.begin()
	if err != nil {
		return r, err
	}
	stop, err := wire.Encode(id)
	if err == nil {
		err = c.send(p.conn, wire.Request{ID: id, Op: wire.OpExec, Args: args})
	}
	if err == nil {
		err = c.send(p.conn, wire.Request{Op: wire.OpCancel, Args: stop})
	}
	if err != nil {
		return r, err
	}
	select {
	case reply := <-p.done:
		return r, wire.Decode(reply.Body, &r)
	case <-ctx.Done():
		return r, ctx.Err()
	}
}
