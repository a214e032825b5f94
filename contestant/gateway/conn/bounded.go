// Package conn holds connections to an agent, which may open many and read nothing.
package conn

import (
	"net"
	"sync"
)

// Bound gives a listener that keeps room connections at once: what comes beyond them is
// closed.
func Bound(l net.Listener, room int) net.Listener { return &bounded{Listener: l, room: room} }

type bounded struct {
	net.Listener
	mu   sync.Mutex
	room int
}

// Accept gives the next connection there is room for.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		b.mu.Lock()
		full := b.room == 0
		if !full {
			b.room--
		}
		b.mu.Unlock()
		if !full {
			return &boundedConn{Conn: c, of: b}, nil
		}
		c.Close() // nobody is told: there is no request yet
	}
}

type boundedConn struct {
	net.Conn
	of   *bounded
	once sync.Once
}

// Close closes the connection and gives its room back.
func (c *boundedConn) Close() error {
	c.once.Do(func() {
		c.of.mu.Lock()
		c.of.room++
		c.of.mu.Unlock()
	})
	return c.Conn.Close()
}
