package native

import (
	"context"
	"errors"
	"net"
	"sync"

	"cookoff/sandbox"
	"cookoff/sandbox/guest"
)

var _ sandbox.Dialer = (*world)(nil)

// Dial connects to the loopback inside.
func (w *world) Dial(ctx context.Context, port int) (net.Conn, error) {
	id, err := ask[uint64](ctx, w.c, guest.OpDial, port)
	if err != nil {
		return nil, err
	}
	return w.c.speak(id, func() {}), nil
}

// serveGate hands the connections made to the proxy inside to the gate, until
// the sandbox has ended.
func (w *world) serveGate(g sandbox.Gate) {
	l := &proxyPort{c: w.c, slots: make(chan struct{}, guest.MaxConns)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	w.gate = l
	go g.Serve(l)
}

// proxyPort is the listener of the proxy inside.
type proxyPort struct {
	c      *client
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan struct{} // taken by open connections: a hostile guest makes no more of them
}

// Accept waits for a connection.
func (l *proxyPort) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.ctx.Done():
		return nil, net.ErrClosed
	}
	id, err := ask[uint64](l.ctx, l.c, guest.OpAccept, nil)
	if err != nil {
		return nil, errors.Join(net.ErrClosed, err)
	}
	return l.c.speak(id, func() { <-l.slots }), nil
}

// Close ends Accept.
func (l *proxyPort) Close() error {
	l.cancel()
	return nil
}

// Addr is where the proxy is inside.
func (l *proxyPort) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3128}
}

// speak makes a connection of one that the guest holds: what is said here is
// said there. The end of either end, or of the guest, is the end of both, and
// done is called.
func (c *client) speak(id uint64, done func()) net.Conn {
	ours, theirs := net.Pipe()
	hangUp := sync.OnceFunc(func() {
		theirs.Close()
		_ = c.call(context.Background(), guest.OpHangUp, id, nil)
		done()
	})
	go func() {
		defer hangUp()
		for {
			got, err := ask[guest.Received](context.Background(), c, guest.OpReceive, id)
			if err != nil || got.End {
				return
			}
			if _, err := theirs.Write(got.Data); err != nil {
				return
			}
		}
	}()
	go func() {
		defer hangUp()
		b := make([]byte, guest.DrainSize)
		for {
			n, err := theirs.Read(b)
			if n > 0 && c.call(context.Background(), guest.OpSend, guest.SendArgs{Conn: id, Bytes: guest.Bytes{Data: b[:n]}}, nil) != nil {
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return ours
}
