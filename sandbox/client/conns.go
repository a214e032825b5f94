package client

import (
	"context"
	"io"
	"sync"

	"cookoff/sandbox/wire"
)

// connection is one that the guest holds: what is said here is said there.
type connection struct {
	c     *Client
	id    uint64
	left  []byte // of what was heard last
	close func()
}

// newConnection calls done when the connection is closed.
func newConnection(c *Client, id uint64, done func()) *connection {
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
