package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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

// exchange is requests and their answers. The guest may be hostile: whatever breaks the
// protocol ends the connection, and every call with it.
type exchange struct {
	maxParts int           // bounds all parts of one answer in bytes
	patience time.Duration // how long the guest may leave a request unread
	held     *Held         // what it keeps with others; nil: nobody counts
	ended    chan struct{} // closed with dead
	atEnd    func()        // called when it ends; the lock is held
	atRest   func()        // called when what nobody waited for is answered; the lock is held

	sendMu sync.Mutex

	mu      sync.Mutex
	conn    io.ReadWriteCloser // to the guest that is there; nil: none is
	last    uint64
	pending map[uint64]*pending
	left    map[uint64]bool // requests nobody waits for any more
	dead    error
	memory  memory
	blame   func(error) error // says more of why it ends; nil: nobody does. The lock is held
}

// pending is a request whose answer is awaited.
type pending struct {
	conn  io.ReadWriteCloser // to the guest that is asked
	parts []wire.Reply
	size  int
	done  chan wire.Reply // one reply; closed without one when the client dies
	away  bool            // it was closed as the guest went, for the next one to be asked
}

// Serve takes replies until the connection ends, for whatever reason, and
// gives the reason.
func (x *exchange) Serve() error {
	conn := x.guest()
	in := &arriving{in: bufio.NewReaderSize(conn, ahead(conn)), held: x.held}
	for {
		var r wire.Reply
		err := wire.ReadFrame(in, &r)
		if err == nil {
			err = x.take(conn, r)
		}
		in.whole()
		if err != nil {
			x.broken(conn, err)
			return err
		}
	}
}

// guest is the connection to the one that is there.
func (x *exchange) guest() io.ReadWriteCloser {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.conn
}

// broken ends every call, unless the connection is that of a guest which went before.
func (x *exchange) broken(conn io.ReadWriteCloser, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.conn == conn {
		x.end(err)
	}
}

// take hands a reply to whoever waits for it.
func (x *exchange) take(conn io.ReadWriteCloser, r wire.Reply) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.conn != conn {
		return io.EOF
	}
	if r.ID == 0 && r.Err != "" {
		return r.Failure()
	}
	if !r.More {
		x.memory.noteAlive(r.Full)
	}
	p := x.pending[r.ID]
	if p == nil {
		if !x.left[r.ID] {
			return fmt.Errorf("%w: an answer to request %d, which was not made", wire.ErrFrame, r.ID)
		}
		if !r.More {
			delete(x.left, r.ID)
			x.atRest()
		}
		return nil
	}
	if r.More {
		p.parts = append(p.parts, r)
		n := len(r.Body) + len(r.Data) + 64
		if p.size += n; p.size > x.maxParts {
			p.size -= n
			return fmt.Errorf("%w: an answer of more than %d bytes", wire.ErrFrame, x.maxParts)
		}
		return x.held.take(n)
	}
	delete(x.pending, r.ID)
	p.done <- r
	return nil
}

// silent are the errors of a connection to a guest that said nothing as it went: which of them comes depends on
// what was on its way then.
var silent = []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE}

// isSilent says whether the guest went without a word. A host that is lost is none: its connection has ended, not
// the guest's.
func isSilent(err error) bool {
	if _, lost := errors.AsType[*sandbox.HostError](err); lost {
		return false
	}
	return slices.ContainsFunc(silent, func(is error) bool { return errors.Is(err, is) })
}

// End ends every call. The first reason stays.
func (x *exchange) End(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.end(err)
}

// end is End; the lock is held.
func (x *exchange) end(err error) {
	if x.dead != nil {
		return
	}
	if isSilent(err) {
		err = x.memory.explain(errGone)
	}
	if x.blame != nil {
		err = x.blame(err)
	}
	x.dead = err
	close(x.ended)
	for _, p := range x.pending {
		close(p.done)
	}
	x.pending = nil
	if x.conn != nil {
		x.conn.Close()
	}
	x.atEnd()
}

// begin registers a request.
func (x *exchange) begin() (uint64, *pending, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.dead != nil {
		return 0, nil, sandbox.Unavailable("asking the guest", x.dead)
	}
	id, p := x.register()
	return id, p, nil
}

// register is begin of one that lives; the lock is held.
func (x *exchange) register() (uint64, *pending) {
	x.last++
	p := &pending{conn: x.conn, done: make(chan wire.Reply, 1)}
	x.pending[x.last] = p
	return x.last, p
}

// Ask makes a request of the guest that is there, and waits for the answer, which goes into
// each part by part: part is called for every frame of it.
func (x *exchange) Ask(ctx context.Context, op wire.Op, args any, part func(wire.Reply) error) error {
	id, p, err := x.begin()
	if err != nil {
		return err
	}
	return x.await(ctx, id, p, op, args, part)
}

// await makes a request that is registered, and waits for the answer.
func (x *exchange) await(ctx context.Context, id uint64, p *pending, op wire.Op, args any,
	part func(wire.Reply) error) error {
	raw, err := wire.Encode(args)
	if err != nil {
		x.leave(id)
		return err
	}
	defer x.settle(p)
	sent := x.sending(p.conn, wire.Request{ID: id, Op: op, Args: raw, Bytes: wire.Bytes{Data: wire.Carried(args)}})
	select {
	case <-sent.done:
		if sent.err != nil {
			x.leave(id)
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
			return sandbox.Unavailable(string(op), x.Reason())
		}
		return p.finish(r, op, part)
	case <-ctx.Done():
		x.leave(id)
		if op == wire.OpExec {
			stop, _ := wire.Encode(id)
			go func() {
				<-sent.done
				_ = x.send(p.conn, wire.Request{Op: wire.OpCancel, Args: stop}) // it is dead then
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
func (x *exchange) sending(conn io.ReadWriteCloser, q wire.Request) *sending {
	s := &sending{done: make(chan struct{})}
	q.Data = bytes.Clone(q.Data)
	go func() {
		defer close(s.done)
		err := x.send(conn, q)
		if errors.Is(err, wire.ErrFrame) {
			s.err = err
		} else if err != nil {
			x.unsent(conn, err)
		}
	}()
	return s
}

// unsent ends every call after a request that could not be sent. What a guest said before it
// went is read first: the end of its words ends them then.
func (x *exchange) unsent(conn io.ReadWriteCloser, err error) {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		time.AfterFunc(lastWords, func() { x.broken(conn, err) })
		return
	}
	x.broken(conn, err)
}

// finish turns an answer into a result.
func (p *pending) finish(r wire.Reply, op wire.Op, part func(wire.Reply) error) error {
	switch {
	case r.File != nil:
		return r.File
	case r.Err != "" || r.Short:
		return sandbox.Unavailable(string(op), r.Failure())
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
func (x *exchange) leave(id uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, waiting := x.pending[id]; waiting {
		delete(x.pending, id)
		x.left[id] = true
	}
}

// settle counts no more what was kept of an answer.
func (x *exchange) settle(p *pending) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.held.give(p.size)
	p.size = 0
}

// Reason says why the connection ended; nil: it has not.
func (x *exchange) Reason() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.dead
}

func (x *exchange) send(conn io.Writer, q wire.Request) error {
	x.sendMu.Lock()
	defer x.sendMu.Unlock()
	if d, ok := conn.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = d.SetWriteDeadline(time.Now().Add(x.patience))
	}
	return wire.WriteFrame(conn, q)
}
