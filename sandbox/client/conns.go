package client

import (
	"context"
	"io"
	"sync"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// Dial connects to the loopback inside.
func (c *Client) Dial(ctx context.Context, port int) (io.ReadWriteCloser, error) {
	id, err := ask[uint64](ctx, c, wire.OpDial, port)
	if err != nil {
		return nil, err
	}
	return c.connection(id, func() {}), nil
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
		id, err := ask[uint64](ctx, c, wire.OpAccept, which)
		if err != nil {
			return nil, err
		}
		return c.connection(id, func() { <-slots }), nil
	})
	return cancel
}

// connection is one that the guest holds: what is said here is said there.
type connection struct {
	c     *Client
	id    uint64
	left  []byte // of what was heard last
	close func()
}

// connection calls done when the connection is closed.
func (c *Client) connection(id uint64, done func()) *connection {
	return &connection{c: c, id: id, close: sync.OnceFunc(func() {
		_ = c.Call(context.Background(), wire.OpHangUp, id, nil)
		done()
	})}
}

func (n *connection) Read(b []byte) (int, error) {
	if len(n.left) == 0 {
		got, err := ask[wire.Received](context.Background(), n.c, wire.OpReceive, n.id)
		if err == nil && got.End {
			err = io.EOF
		}
		if err != nil {
			return 0, err
		}
		n.left = got.Data
	}
	k := copy(b, n.left)
	n.left = n.left[k:]
	return k, nil
}

func (n *connection) Write(b []byte) (int, error) {
	for k := 0; k < len(b); k += wire.DrainSize {
		piece := b[k:min(k+wire.DrainSize, len(b))]
		if err := n.c.Call(context.Background(), wire.OpSend, wire.SendArgs{Conn: n.id, Bytes: wire.Bytes{Data: piece}},
			nil); err != nil {
			return k, err
		}
	}
	return len(b), nil
}

func (n *connection) Close() error {
	n.close()
	return nil
}
