// Package client is the host's side of the connection to a guest: what may be
// asked of a world. It believes nothing that the guest says.
package client

import (
	"context"
	"io"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/noted"
	"cookoff/sandbox/wire"
)

// Client is the host's side of the socket: what a world can do.
type Client struct {
	door
	noted func() noted.List // nil: no sums are known
}

// New speaks with the guest at the other end of conn, once Serve is called.
func New(conn io.ReadWriteCloser) *Client {
	c := &Client{door: door{exchange: &exchange{conn: conn, maxParts: maxParts, patience: sendTime,
		ended: make(chan struct{}), pending: map[uint64]*pending{}, left: map[uint64]bool{}}}}
	c.atEnd, c.atRest = c.changed, c.rested
	return c
}

// Within counts what it keeps of answers that have not ended. It comes before Serve.
func (c *Client) Within(h *Held) *Client {
	c.held = h
	return c
}

// Notes says what files need not be read to be described. It comes before anything is asked.
func (c *Client) Notes(list func() noted.List) { c.noted = list }

// Blames has say tell more of why the exchange ends, before any call hears of it. It comes before
// Serve, and must not ask the client.
func (c *Client) Blames(say func(error) error) { c.blame = say }

// ask makes a request whose answer is one value.
func ask[T any](ctx context.Context, c *Client, op wire.Op, args any) (T, error) {
	var v T
	err := c.Call(ctx, op, args, func(r wire.Reply) error {
		wire.Carry(&v, r.Data)
		return wire.Decode(r.Body, &v)
	})
	return v, err
}

// Exec runs a command to its end.
func (c *Client) Exec(ctx context.Context, cmd sandbox.Cmd) (sandbox.Result, error) {
	return ask[sandbox.Result](ctx, c, wire.OpExec, cmd)
}

// FS is the world's file system.
func (c *Client) FS() sandbox.FS { return files{c} }

// Start starts a program.
func (c *Client) Start(ctx context.Context, cmd sandbox.Cmd) (sandbox.Program, error) {
	id, err := ask[uint64](ctx, c, wire.OpStart, cmd)
	if err != nil {
		return nil, err
	}
	return &program{c: c, id: id}, nil
}

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

// Dial connects to the loopback inside.
func (c *Client) Dial(ctx context.Context, port int) (io.ReadWriteCloser, error) {
	id, err := ask[uint64](ctx, c, wire.OpDial, port)
	if err != nil {
		return nil, err
	}
	return newConnection(c, id, func() {}), nil
}

// ServeGates hands the connections made to the proxy inside, and to the gateway,
// to what is behind them, until shut is called. A nil one is not there.
func (c *Client) ServeGates(proxy, gateway sandbox.Gate) (shut func()) {
	shutProxy, shutGateway := func() {}, func() {}
	if proxy != nil {
		shutProxy = c.serveGate(proxy, wire.AcceptArgs{})
	}
	if gateway != nil {
		shutGateway = c.serveGate(gateway, wire.AcceptArgs{Gateway: true})
	}
	return func() {
		shutProxy()
		shutGateway()
	}
}

func (c *Client) serveGate(g sandbox.Gate, which wire.AcceptArgs) (shut func()) {
	ctx, cancel := context.WithCancel(context.Background())
	slots := make(chan struct{}, wire.MaxConns) // taken by open connections: a hostile guest makes no more of them
	go g.Serve(func() (io.ReadWriteCloser, error) {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		id, err := c.accept(ctx, which)
		if err != nil {
			return nil, err
		}
		return newConnection(c, id, func() { <-slots }), nil
	})
	return cancel
}
