package guest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"cookoff/sandbox"
)

// conns are connections inside that the host speaks on: those made to the
// proxy, and those the host asked for.
type conns struct {
	mu       sync.Mutex
	listener net.Listener
	last     uint64
	open     map[uint64]net.Conn
}

// listen opens the proxy's port before any command runs.
func (cs *conns) listen() (err error) {
	cs.listener, err = net.Listen("tcp", sandbox.ProxyAddr)
	if err != nil {
		return fmt.Errorf("opening the proxy's port: %w", err)
	}
	return nil
}

// accept waits for the next connection to the proxy. Beyond MaxConns they are
// closed at once.
func (cs *conns) accept() (any, error) {
	if cs.listener == nil {
		return nil, errors.New("there is no proxy")
	}
	for {
		c, err := cs.listener.Accept()
		if err != nil {
			time.Sleep(10 * time.Millisecond) // out of descriptors, perhaps
			continue
		}
		if id, ok := cs.add(c); ok {
			return id, nil
		}
		c.Close()
	}
}

func (cs *conns) add(c net.Conn) (uint64, bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if len(cs.open) >= MaxConns {
		return 0, false
	}
	if cs.open == nil {
		cs.open = map[uint64]net.Conn{}
	}
	cs.last++
	cs.open[cs.last] = c
	return cs.last, true
}

func (cs *conns) get(id uint64) (net.Conn, error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c := cs.open[id]; c != nil {
		return c, nil
	}
	return nil, &sandbox.FileError{Op: "connection", Path: fmt.Sprint(id), Reason: "it is closed"}
}

// dial connects to a port of the loopback.
func (cs *conns) dial(_ uint64, port int) (any, error) {
	c, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 5*time.Second)
	if err != nil {
		return nil, &sandbox.FileError{Op: "connect", Path: fmt.Sprintf("127.0.0.1:%d", port), Reason: "nobody answers there"}
	}
	id, ok := cs.add(c)
	if !ok {
		c.Close()
		return nil, &sandbox.FileError{Op: "connect", Path: fmt.Sprintf("127.0.0.1:%d", port), Reason: "too many connections are open"}
	}
	return id, nil
}

// receive waits for something to be said.
func (cs *conns) receive(_ uint64, id uint64) (any, error) {
	c, err := cs.get(id)
	if err != nil {
		return nil, err
	}
	b := make([]byte, DrainSize)
	n, err := c.Read(b)
	if err == nil || n > 0 {
		return Received{Bytes: Bytes{b[:n]}}, nil
	}
	if errors.Is(err, io.EOF) {
		return Received{End: true}, nil
	}
	return nil, &sandbox.FileError{Op: "connection", Path: fmt.Sprint(id), Reason: "it was broken off"}
}

// send says something, which the other side must take within feedTime.
func (cs *conns) send(_ uint64, a SendArgs) (any, error) {
	c, err := cs.get(a.Conn)
	if err != nil {
		return nil, err
	}
	if len(a.Data) > 0 {
		_ = c.SetWriteDeadline(time.Now().Add(feedTime))
		if _, err := c.Write(a.Data); err != nil {
			return nil, &sandbox.FileError{Op: "connection", Path: fmt.Sprint(a.Conn), Reason: "it takes no more"}
		}
	}
	if t, ok := c.(*net.TCPConn); ok && a.End {
		_ = t.CloseWrite()
	}
	return nil, nil
}

func (cs *conns) hangUp(_ uint64, id uint64) (any, error) {
	c, err := cs.get(id)
	if err != nil {
		return nil, nil
	}
	cs.mu.Lock()
	delete(cs.open, id)
	cs.mu.Unlock()
	return nil, c.Close()
}
