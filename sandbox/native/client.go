package native

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/guest"
)

// maxParts is what a client allows all parts of one answer together, in bytes.
const maxParts = 256 << 20

// sendTime is how long a guest may leave a request unread: it reads at all times.
const sendTime = time.Minute

// client is the host's side of the socket. The guest may be hostile: whatever
// breaks the protocol ends the connection, and every call with it.
type client struct {
	conn     io.ReadWriteCloser
	maxParts int           // bounds all parts of one answer in bytes
	patience time.Duration // how long the guest may leave a request unread
	starved  func() bool   // nil, or whether the machine ended processes for want of memory since

	sendMu sync.Mutex

	mu      sync.Mutex
	last    uint64
	pending map[uint64]*pending
	left    map[uint64]bool // requests nobody waits for any more
	dead    error
}

// pending is a request whose answer is awaited.
type pending struct {
	parts []guest.Reply
	size  int
	done  chan guest.Reply // one reply; closed without one when the client dies
}

func newClient(conn io.ReadWriteCloser) *client {
	return &client{conn: conn, maxParts: maxParts, patience: sendTime, pending: map[uint64]*pending{}, left: map[uint64]bool{}}
}

// read takes replies until the connection ends, for whatever reason, and
// gives the reason.
func (c *client) read() error {
	in := bufio.NewReaderSize(c.conn, 64<<10)
	for {
		var r guest.Reply
		err := guest.ReadFrame(in, &r)
		if err == nil {
			err = c.take(r)
		}
		if err != nil {
			c.die(err)
			return err
		}
	}
}

// take hands a reply to whoever waits for it.
func (c *client) take(r guest.Reply) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.ID == 0 && r.Err != "" {
		return errors.New(clean(r.Err))
	}
	p := c.pending[r.ID]
	if p == nil {
		if !c.left[r.ID] {
			return fmt.Errorf("%w: an answer to request %d, which was not made", guest.ErrFrame, r.ID)
		}
		if !r.More {
			delete(c.left, r.ID)
		}
		return nil
	}
	if r.More {
		p.parts = append(p.parts, r)
		if p.size += len(r.Body) + len(r.Data) + 64; p.size > c.maxParts {
			return fmt.Errorf("%w: an answer of more than %d bytes", guest.ErrFrame, c.maxParts)
		}
		return nil
	}
	delete(c.pending, r.ID)
	p.done <- r
	return nil
}

// die ends every call. The first reason stays.
func (c *client) die(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the guest is gone")
		if c.starved != nil && c.starved() {
			err = fmt.Errorf("%w and ended processes: %w\nhint: fewer trials at once (--parallel), or less memory for each (limits)", sandbox.ErrShort, err)
		}
	}
	c.dead = err
	for _, p := range c.pending {
		close(p.done)
	}
	c.pending = nil
	c.conn.Close()
}

// begin registers a request.
func (c *client) begin() (uint64, *pending, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return 0, nil, unavailable("asking the guest", c.dead)
	}
	c.last++
	p := &pending{done: make(chan guest.Reply, 1)}
	c.pending[c.last] = p
	return c.last, p, nil
}

// call makes a request and waits for the answer, which goes into each part by
// part: part is called for every frame of it.
func (c *client) call(ctx context.Context, op guest.Op, args any, part func(guest.Reply) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	raw, err := guest.Encode(args)
	if err != nil {
		return err
	}
	id, p, err := c.begin()
	if err != nil {
		return err
	}
	if err := c.send(guest.Request{ID: id, Op: op, Args: raw, Bytes: guest.Bytes{Data: guest.Carried(args)}}); err != nil {
		if errors.Is(err, guest.ErrFrame) {
			c.leave(id)
			return err
		}
		c.die(err)
	}
	select {
	case r, ok := <-p.done:
		if !ok {
			return unavailable(string(op), c.reason())
		}
		return p.finish(r, op, part)
	case <-ctx.Done():
		c.leave(id)
		if op == guest.OpExec {
			stop, _ := guest.Encode(id)
			_ = c.send(guest.Request{Op: guest.OpCancel, Args: stop})
		}
		return ctx.Err()
	}
}

// finish turns an answer into a result.
func (p *pending) finish(r guest.Reply, op guest.Op, part func(guest.Reply) error) error {
	switch {
	case r.File != nil:
		return r.File
	case r.Short:
		return unavailable(string(op), fmt.Errorf("%w%s", sandbox.ErrShort, strings.TrimPrefix(clean(r.Err), sandbox.ErrShort.Error())))
	case r.Err != "":
		return unavailable(string(op), errors.New(clean(r.Err)))
	}
	for _, b := range append(p.parts, r) {
		if part == nil {
			break
		}
		if err := part(b); err != nil {
			return unavailable(string(op), fmt.Errorf("%w: %v", guest.ErrFrame, err))
		}
	}
	return nil
}

func (c *client) leave(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, waiting := c.pending[id]; waiting {
		delete(c.pending, id)
		c.left[id] = true
	}
}

func (c *client) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead
}

func (c *client) send(q guest.Request) error {
	c.sendMu.Lock()
	defer c.sendMu.Unlock()
	if d, ok := c.conn.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = d.SetWriteDeadline(time.Now().Add(c.patience))
	}
	return guest.WriteFrame(c.conn, q)
}

// ask makes a request whose answer is one value.
func ask[T any](ctx context.Context, c *client, op guest.Op, args any) (T, error) {
	var v T
	err := c.call(ctx, op, args, func(r guest.Reply) error {
		guest.Carry(&v, r.Data)
		return guest.Decode(r.Body, &v)
	})
	return v, err
}

// clean makes a text of the guest short and safe to print.
func clean(s string) string {
	if len(s) > 2000 {
		s = s[:2000] + "…"
	}
	return printable(s)
}

// printable shows what controls a terminal as question marks.
func printable(s string) string {
	b := []rune{}
	for _, r := range s {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 {
			r = '?'
		}
		b = append(b, r)
	}
	return string(b)
}
