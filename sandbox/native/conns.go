package native

import (
	"context"
	"io"
	"sync"

	"cookoff/sandbox"
	"cookoff/sandbox/guest"
)

var _ sandbox.Dialer = (*world)(nil)

// Dial connects to the loopback inside.
func (w *world) Dial(ctx context.Context, port int) (io.ReadWriteCloser, error) {
	id, err := ask[uint64](ctx, w.c, guest.OpDial, port)
	if err != nil {
		return nil, err
	}
	return w.c.connection(id, func() {}), nil
}

// serveGate hands the connections made to the proxy inside to the gate, until
// the sandbox has ended.
func (w *world) serveGate(g sandbox.Gate) {
	ctx, cancel := context.WithCancel(context.Background())
	w.shut = cancel
	slots := make(chan struct{}, guest.MaxConns) // taken by open connections: a hostile guest makes no more of them
	go g.Serve(func() (io.ReadWriteCloser, error) {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		id, err := ask[uint64](ctx, w.c, guest.OpAccept, nil)
		if err != nil {
			return nil, err
		}
		return w.c.connection(id, func() { <-slots }), nil
	})
}

// connection is one that the guest holds: what is said here is said there.
type connection struct {
	c     *client
	id    uint64
	left  []byte // of what was heard last
	close func()
}

// connection calls done when the connection is closed.
func (c *client) connection(id uint64, done func()) *connection {
	return &connection{c: c, id: id, close: sync.OnceFunc(func() {
		_ = c.call(context.Background(), guest.OpHangUp, id, nil)
		done()
	})}
}

func (n *connection) Read(b []byte) (int, error) {
	if len(n.left) == 0 {
		got, err := ask[guest.Received](context.Background(), n.c, guest.OpReceive, n.id)
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
	for k := 0; k < len(b); k += guest.DrainSize {
		piece := b[k:min(k+guest.DrainSize, len(b))]
		if err := n.c.call(context.Background(), guest.OpSend, guest.SendArgs{Conn: n.id, Bytes: guest.Bytes{Data: piece}}, nil); err != nil {
			return k, err
		}
	}
	return len(b), nil
}

func (n *connection) Close() error {
	n.close()
	return nil
}
