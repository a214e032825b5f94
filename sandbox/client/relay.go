package client

import (
	"bufio"
	"context"
	"io"
	"sync"

	"cookoff/sandbox/wire"
)

// Relay has whoever is at the other end of conn ask the guest as if it held the
// connection itself, until one of both is gone. It closes conn.
func (c *Client) Relay(conn io.ReadWriteCloser) error {
	r := &relay{c: c, conn: conn, ids: map[uint64]uint64{}}
	defer conn.Close()
	ended := make(chan struct{})
	defer close(ended)
	go r.farewell(ended)
	in := bufio.NewReaderSize(conn, 32<<10)
	for {
		var q wire.Request
		if err := wire.ReadFrame(in, &q); err != nil {
			return err
		}
		if err := r.ask(q); err != nil {
			r.say(gone(err))
			return err
		}
	}
}

// relay is somebody who asks a guest through this process.
type relay struct {
	c    *Client
	conn io.ReadWriteCloser

	sendMu sync.Mutex

	mu  sync.Mutex
	ids map[uint64]uint64 // of the guest, by those of the one who asks
}

// ask passes a request on under a number of this end's.
func (r *relay) ask(q wire.Request) error {
	if q.Op == wire.OpCancel {
		return r.cancel(q)
	}
	theirs := q.ID
	if theirs == 0 {
		return wire.ErrFrame
	}
	if err := r.c.enter(context.Background()); err != nil {
		return err
	}
	id, p, err := r.c.begin()
	if err != nil {
		r.c.exit()
		return err
	}
	r.mu.Lock()
	r.ids[theirs] = id
	r.mu.Unlock()
	go r.answer(theirs, p)
	q.ID = id
	if err := r.c.send(p.conn, q); err != nil {
		r.c.unsent(p.conn, err) // farewell says why
	}
	return nil
}

// cancel passes on that a request is not to go on.
func (r *relay) cancel(q wire.Request) error {
	var theirs uint64
	if err := wire.Decode(q.Args, &theirs); err != nil {
		return err
	}
	r.mu.Lock()
	id, known := r.ids[theirs]
	r.mu.Unlock()
	if !known {
		return nil // it has ended
	}
	args, err := wire.Encode(id)
	if err != nil {
		return err
	}
	return r.c.send(r.c.guest(), wire.Request{Op: wire.OpCancel, Args: args})
}

// answer passes on what the guest says to a request.
func (r *relay) answer(theirs uint64, p *pending) {
	last, ok := <-p.done
	defer r.c.exit()
	r.mu.Lock()
	delete(r.ids, theirs)
	r.mu.Unlock()
	if !ok {
		r.say(gone(r.c.Reason()))
		r.conn.Close()
		return
	}
	for _, part := range append(p.parts, last) {
		part.ID = theirs
		r.say(part)
	}
}

// farewell says why the guest is gone, once it is.
func (r *relay) farewell(ended <-chan struct{}) {
	select {
	case <-r.c.ended:
		r.say(gone(r.c.Reason()))
		r.conn.Close()
	case <-ended:
	}
}

func (r *relay) say(reply wire.Reply) {
	r.sendMu.Lock()
	defer r.sendMu.Unlock()
	if err := wire.WriteFrame(r.conn, reply); err != nil {
		r.conn.Close()
	}
}

// gone is the reply that says that there is no guest any more.
func gone(why error) wire.Reply {
	if why == nil {
		why = context.Canceled
	}
	r := wire.Failed(why, false)
	r.Err = wire.Clean(r.Err)
	return r
}
