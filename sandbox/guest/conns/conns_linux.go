// Package conns holds the connections of a world: of programs inside to the proxy and the gateway, which the host
// answers, and of the host to ports inside.
package conns

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// How long a port inside may leave a connection waiting, and its program what was sent to it.
const (
	dialTime = 5 * time.Second
	sendTime = 10 * time.Second
)

// Set are the connections inside that the host speaks on: those made to the
// proxy and to the gateway, and those the host asked for.
type Set struct {
	mu             sync.Mutex
	proxy, gateway *os.File // listen; nil: there is none
	last           uint64
	open           map[uint64]*os.File
}

// Listen opens the ports of the proxy and the gateway before any command runs.
func (cs *Set) Listen(c wire.Config) (err error) {
	if c.Proxy {
		if cs.proxy, err = listenAt(sandbox.ProxyAddr, "proxy"); err != nil {
			return err
		}
	}
	if c.Gateway {
		cs.gateway, err = listenAt(sandbox.GatewayAddr, "gateway")
	}
	return err
}

func listenAt(addr, what string) (*os.File, error) {
	_, text, _ := strings.Cut(addr, ":")
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, fmt.Errorf("opening the port of the %s: %w", what, err)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	}
	if err == nil {
		err = unix.Bind(fd, loopback(port))
	}
	if err == nil {
		err = unix.Listen(fd, wire.MaxConns)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the port of the %s: %w", what, err)
	}
	return os.NewFile(uintptr(fd), what), nil
}

func loopback(port int) unix.Sockaddr {
	return &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
}

// tcp makes a file of a connected socket.
func tcp(fd int) *os.File {
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	return os.NewFile(uintptr(fd), "connection")
}

// next waits for the next connection to a listener.
func next(listener *os.File) (*os.File, error) {
	raw, err := listener.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd, refused := -1, error(nil)
	err = raw.Read(func(l uintptr) bool {
		fd, _, refused = unix.Accept4(int(l), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		return refused != unix.EAGAIN
	})
	if err = errors.Join(err, refused); err != nil {
		return nil, err
	}
	return tcp(fd), nil
}

// connect connects to a port of the loopback.
func connect(port int) (*os.File, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err = unix.Connect(fd, loopback(port)); err == unix.EINPROGRESS {
		err = connected(fd)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return tcp(fd), nil
}

// connected waits for the end of a connect.
func connected(fd int) error {
	end := time.Now().Add(dialTime)
	for {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		n, err := unix.Poll(ready, int(max(0, time.Until(end).Milliseconds())))
		if err == unix.EINTR {
			continue
		}
		if err == nil && n == 0 {
			err = unix.ETIMEDOUT
		}
		if err != nil {
			return err
		}
		failed, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
		if err == nil && failed != 0 {
			err = syscall.Errno(failed)
		}
		return err
	}
}

// Accept waits for the next connection to the proxy or the gateway. Beyond MaxConns
// they are closed at once.
func (cs *Set) Accept(_ uint64, a wire.AcceptArgs) (any, error) {
	listener := cs.proxy
	if a.Gateway {
		listener = cs.gateway
	}
	if listener == nil {
		return nil, errors.New("nobody listens there")
	}
	for {
		c, err := next(listener)
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

// Any reports whether one is open.
func (cs *Set) Any() bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return len(cs.open) > 0
}

func (cs *Set) add(c *os.File) (uint64, bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if len(cs.open) >= wire.MaxConns {
		return 0, false
	}
	if cs.open == nil {
		cs.open = map[uint64]*os.File{}
	}
	cs.last++
	cs.open[cs.last] = c
	return cs.last, true
}

func (cs *Set) get(id uint64) (*os.File, error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c := cs.open[id]; c != nil {
		return c, nil
	}
	return nil, &sandbox.FileError{Op: "connection", Path: fmt.Sprint(id), Reason: "it is closed"}
}

// Dial connects to a port of the loopback.
func (cs *Set) Dial(_ uint64, port int) (any, error) {
	c, err := connect(port)
	if err != nil {
		return nil, &sandbox.FileError{Op: "connect", Path: fmt.Sprintf("127.0.0.1:%d", port),
			Reason: "nobody answers there"}
	}
	id, ok := cs.add(c)
	if !ok {
		c.Close()
		return nil, &sandbox.FileError{Op: "connect", Path: fmt.Sprintf("127.0.0.1:%d", port),
			Reason: "too many connections are open"}
	}
	return id, nil
}

// Receive waits for something to be said.
func (cs *Set) Receive(_ uint64, id uint64) (any, error) {
	c, err := cs.get(id)
	if err != nil {
		return nil, err
	}
	b := make([]byte, wire.DrainSize)
	n, err := c.Read(b)
	if err == nil || n > 0 {
		return wire.Received{Bytes: wire.Bytes{Data: b[:n]}}, nil
	}
	if errors.Is(err, io.EOF) {
		return wire.Received{End: true}, nil
	}
	return nil, &sandbox.FileError{Op: "connection", Path: fmt.Sprint(id), Reason: "it was broken off"}
}

// Send says something, which the other side must take within sendTime.
func (cs *Set) Send(_ uint64, a wire.SendArgs) (any, error) {
	c, err := cs.get(a.Conn)
	if err != nil {
		return nil, err
	}
	_ = c.SetWriteDeadline(time.Now().Add(sendTime))
	if _, err := c.Write(a.Data); err != nil {
		return nil, &sandbox.FileError{Op: "connection", Path: fmt.Sprint(a.Conn), Reason: "it takes no more"}
	}
	return nil, nil
}

// HangUp closes a connection.
func (cs *Set) HangUp(_ uint64, id uint64) (any, error) {
	c, err := cs.get(id)
	if err != nil {
		return nil, nil
	}
	cs.mu.Lock()
	delete(cs.open, id)
	cs.mu.Unlock()
	return nil, c.Close()
}
