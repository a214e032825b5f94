// Package client is the host's side of the connection to a guest: what may be
// asked of a world. It believes nothing that the guest says.
package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// maxParts is what a client allows all parts of one answer together, in bytes.
const maxParts = 256 << 20

// sendTime is how long a guest may leave a request unread: it reads at all times.
const sendTime = time.Minute

// lastWords is how long a guest that takes no more requests may still be heard.
const lastWords = 5 * time.Second

// Client is the host's side of the socket. The guest may be hostile: whatever
// breaks the protocol ends the connection, and every call with it.
type Client struct {
	maxParts int           // bounds all parts of one answer in bytes
	patience time.Duration // how long the guest may leave a request unread
	held     *Held         // what it keeps with others; nil: nobody counts
	ended    chan struct{} // closed with dead

	sendMu sync.Mutex

	door    door
	sleeper Sleeper // nil: the guest stays

	mu      sync.Mutex
	conn    io.ReadWriteCloser // to the guest that is there; nil: none is
	last    uint64
	pending map[uint64]*pending
	left    map[uint64]bool // requests nobody waits for any more
	dead    error
	memory  memory
}

// pending is a request whose answer is awaited.
type pending struct {
	conn  io.ReadWriteCloser // to the guest that is asked
	parts []wire.Reply
	size  int
	done  chan wire.Reply // one reply; closed without one when the client dies
	away  bool            // it was closed as the guest went, for the next one to be asked
}

// New speaks with the guest at the other end of conn, once Serve is called.
func New(conn io.ReadWriteCloser) *Client {
	return &Client{conn: conn, maxParts: maxParts, patience: sendTime, ended: make(chan struct{}),
		pending: map[uint64]*pending{}, left: map[uint64]bool{}}
}

// Within counts what it keeps of answers that have not ended. It comes before Serve.
func (c *Client) Within(h *Held) *Client {
	c.held = h
	return c
}

// Serve takes replies until the connection ends, for whatever reason, and
// gives the reason.
func (c *Client) Serve() error {
	conn := c.guest()
	in := &arriving{in: bufio.NewReaderSize(conn, ahead(conn)), held: c.held}
	for {
		var r wire.Reply
		err := wire.ReadFrame(in, &r)
		if err == nil {
			err = c.take(conn, r)
		}
		in.whole()
		if err != nil {
			c.broken(conn, err)
			return err
		}
	}
}

// guest is the connection to the one that is there.
func (c *Client) guest() io.ReadWriteCloser {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn
}

// broken ends every call, unless the connection is that of a guest which went before.
func (c *Client) broken(conn io.ReadWriteCloser, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == conn {
		c.end(err)
	}
}

// take hands a reply to whoever waits for it.
func (c *Client) take(conn io.ReadWriteCloser, r wire.Reply) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != conn {
		return io.EOF
	}
	if r.ID == 0 && r.Short {
		return sandbox.ShortOf(wire.Clean(r.Err))
	}
	if r.ID == 0 && r.Err != "" {
		return errors.New(wire.Clean(r.Err))
	}
	if !r.More {
		c.memory.heard(r.Full)
	}
	p := c.pending[r.ID]
	if p == nil {
		if !c.left[r.ID] {
			return fmt.Errorf("%w: an answer to request %d, which was not made", wire.ErrFrame, r.ID)
		}
		if !r.More {
			delete(c.left, r.ID)
			c.rested()
		}
		return nil
	}
	if r.More {
		p.parts = append(p.parts, r)
		n := len(r.Body) + len(r.Data) + 64
		if p.size += n; p.size > c.maxParts {
			p.size -= n
			return fmt.Errorf("%w: an answer of more than %d bytes", wire.ErrFrame, c.maxParts)
		}
		return c.held.take(n)
	}
	delete(c.pending, r.ID)
	p.done <- r
	return nil
}

// End ends every call. The first reason stays.
func (c *Client) End(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(err)
}

// end is End; the lock is held.
func (c *Client) end(err error) {
	if c.dead != nil {
		return
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = c.memory.explain(errGone)
	}
	c.dead = err
	close(c.ended)
	for _, p := range c.pending {
		close(p.done)
	}
	c.pending = nil
	if c.conn != nil {
		c.conn.Close()
	}
	c.door.changed()
}

// begin registers a request.
func (c *Client) begin() (uint64, *pending, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return 0, nil, sandbox.Unavailable("asking the guest", c.dead)
	}
	id, p := c.register()
	return id, p, nil
}

// register is begin of one that lives; the lock is held.
func (c *Client) register() (uint64, *pending) {
	c.last++
	p := &pending{conn: c.conn, done: make(chan wire.Reply, 1)}
	c.pending[c.last] = p
	return c.last, p
}

// Call makes a request and waits for the answer, which goes into each part by
// part: part is called for every frame of it. A guest that went is back by then.
func (c *Client) Call(ctx context.Context, op wire.Op, args any, part func(wire.Reply) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.exit()
	return c.Ask(ctx, op, args, part)
}

// Ask is Call of the guest that is there.
func (c *Client) Ask(ctx context.Context, op wire.Op, args any, part func(wire.Reply) error) error {
	id, p, err := c.begin()
	if err != nil {
		return err
	}
	return c.await(ctx, id, p, op, args, part)
}

// await makes a request that is registered, and waits for the answer.
func (c *Client) await(ctx context.Context, id uint64, p *pending, op wire.Op, args any,
	part func(wire.Reply) error) error {
	raw, err := wire.Encode(args)
	if err != nil {
		c.leave(id)
		return err
	}
	defer c.settle(p)
	sent := c.sending(p.conn, wire.Request{ID: id, Op: op, Args: raw, Bytes: wire.Bytes{Data: wire.Carried(args)}})
	select {
	case <-sent.done:
		if sent.err != nil {
			c.leave(id)
			return sent.err
		}
	case <-ctx.Done():
	}
	select {
	case r, ok := <-p.done:
		if !ok && p.away {
			return errAway
		}
		if !ok {
			return sandbox.Unavailable(string(op), c.Reason())
		}
		return p.finish(r, op, part)
	case <-ctx.Done():
		c.leave(id)
		if op == wire.OpExec {
			stop, _ := wire.Encode(id)
			go func() {
				<-sent.done
				_ = c.send(p.conn, wire.Request{Op: wire.OpCancel, Args: stop}) // it is dead then
			}()
		}
		return ctx.Err()
	}
}

// sending is a request on its way.
type sending struct {
	done chan struct{}
	err  error // set before done is closed: what can't be sent at all
}

// sending sends a request: whoever makes it need not wait for a guest that reads
// nothing. Its bytes are the caller's, who may go on before they are sent.
func (c *Client) sending(conn io.ReadWriteCloser, q wire.Request) *sending {
	s := &sending{done: make(chan struct{})}
	q.Data = bytes.Clone(q.Data)
	go func() {
		defer close(s.done)
		err := c.send(conn, q)
		if errors.Is(err, wire.ErrFrame) {
			s.err = err
		} else if errors.Is(err, syscall.EPIPE) { // it has gone: what it said last is read first
			time.AfterFunc(lastWords, func() { c.broken(conn, err) })
		} else if err != nil {
			c.broken(conn, err)
		}
	}()
	return s
}

// finish turns an answer into a result.
func (p *pending) finish(r wire.Reply, op wire.Op, part func(wire.Reply) error) error {
	switch {
	case r.File != nil:
		return r.File
	case r.Short:
		return sandbox.Unavailable(string(op), sandbox.ShortOf(wire.Clean(r.Err)))
	case r.Err != "":
		return sandbox.Unavailable(string(op), errors.New(wire.Clean(r.Err)))
	}
	for _, b := range append(p.parts, r) {
		if part == nil {
			break
		}
		if err := part(b); err != nil {
			return sandbox.Unavailable(string(op), fmt.Errorf("%w: %v", wire.ErrFrame, err))
		}
	}
	return nil
}

// leave says that nobody waits for an answer any more.
func (c *Client) leave(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, waiting := c.pending[id]; waiting {
		delete(c.pending, id)
		c.left[id] = true
	}
}

// settle counts no more what was kept of an answer.
func (c *Client) settle(p *pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held.give(p.size)
	p.size = 0
}

// Reason says why the connection ended; nil: it has not.
func (c *Client) Reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead
}

func (c *Client) send(conn io.Writer, q wire.Request) error {
	c.sendMu.Lock()
	defer c.sendMu.Unlock()
	if d, ok := conn.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = d.SetWriteDeadline(time.Now().Add(c.patience))
	}
	return wire.WriteFrame(conn, q)
}
