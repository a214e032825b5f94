package client

import (
	"context"
	"errors"
	"io"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// Sleeper is a world whose guest may go while nothing of it lives and nobody asks. Its
// methods are called without a lock.
type Sleeper interface {
	// Idle says that nothing is asked any more, Busy that something is again.
	Idle()
	Busy()
	// Asleep has the guest go, who has left this for the next one.
	Asleep(left wire.Hibernated) error
	// Awake brings the next one, whose connection Attach is called with.
	Awake(left wire.Hibernated) error
}

// errAway says that the guest went while it was waited for.
var errAway = errors.New("the guest went")

// door is who is with the guest, and whether it is there. The lock is the exchange's.
type door struct {
	*exchange
	sleeper  Sleeper       // nil: the guest stays
	inside   int           // requests whose answer somebody waits for
	away     bool          // no guest is there
	changing bool          // it is about to go, or to come
	news     chan struct{} // closed, and made anew, when that has changed
	kept     wire.Hibernated
}

// Hibernates lets the guest go at times. It comes before anything is asked.
func (d *door) Hibernates(s Sleeper) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sleeper = s
}

// changed wakes whoever waits for a change.
func (d *door) changed() {
	if d.news != nil {
		close(d.news)
		d.news = nil
	}
}

// change is what to wait for.
func (d *door) change() <-chan struct{} {
	if d.news == nil {
		d.news = make(chan struct{})
	}
	return d.news
}

// Call makes a request and waits for the answer, which goes into each part by
// part: part is called for every frame of it. A guest that went is back by then.
func (d *door) Call(ctx context.Context, op wire.Op, args any, part func(wire.Reply) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.exit()
	return d.Ask(ctx, op, args, part)
}

// enter waits until the guest is there, whom somebody has to bring back then.
func (d *door) enter(ctx context.Context) error {
	d.mu.Lock()
	for d.dead == nil && (d.away || d.changing) {
		if !d.changing {
			d.changing = true
			go d.wake()
		}
		if err := d.wait(ctx); err != nil {
			d.mu.Unlock()
			return err
		}
	}
	d.inside++
	first := d.inside == 1 && d.sleeper != nil
	d.mu.Unlock()
	if first {
		d.sleeper.Busy()
	}
	return nil
}

// wait waits for a change; the lock is held before and after.
func (d *door) wait(ctx context.Context) error {
	change := d.change()
	d.mu.Unlock()
	defer d.mu.Lock()
	select {
	case <-change:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exit is the end of what enter began.
func (d *door) exit() {
	d.mu.Lock()
	d.inside--
	idle := d.idle()
	d.mu.Unlock()
	if idle {
		d.sleeper.Idle()
	}
}

// idle reports whether nothing is asked; the lock is held.
func (d *door) idle() bool {
	return d.sleeper != nil && d.inside == 0 && len(d.left) == 0 && d.dead == nil && !d.away &&
		!d.changing
}

// rested tells the sleeper of the end of a request that nobody waited for; the lock is held.
func (d *door) rested() {
	if d.idle() {
		go d.sleeper.Idle()
	}
}

// Hibernate has the guest go, if nobody asks anything and it has nothing to stay for. It
// gives what keeps it; "": it has gone, or the world has ended.
func (d *door) Hibernate(ctx context.Context) (keeps string) {
	d.mu.Lock()
	if !d.idle() {
		d.mu.Unlock()
		return "it is asked something"
	}
	d.changing = true
	d.mu.Unlock()
	var h wire.Hibernation
	err := d.Ask(ctx, wire.OpHibernate, nil, func(r wire.Reply) error { return wire.Decode(r.Body, &h) })
	if err != nil {
		h.Keeps = err.Error()
	}
	if h.Keeps == "" {
		d.detach()
		if err := d.sleeper.Asleep(h.Left); err != nil {
			d.End(sandbox.Unavailable("hibernating", err))
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changing, d.away, d.kept = false, h.Keeps == "", h.Left
	d.changed()
	return h.Keeps
}

// detach lets go of the guest's connection. Those that wait for no answer but for the
// world to ask them something ask the next guest.
func (d *door) detach() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, p := range d.pending {
		p.away = true
		close(p.done)
		delete(d.pending, id)
	}
	if d.conn != nil && d.dead == nil {
		d.conn.Close()
		d.conn = nil
	}
}

// wake brings the next guest.
func (d *door) wake() {
	err := d.sleeper.Awake(d.kept)
	if err != nil {
		d.End(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changing, d.away, d.kept = false, false, wire.Hibernated{}
	d.changed()
}

// Attach speaks with another guest at the other end of conn, once Serve is called.
func (d *door) Attach(conn io.ReadWriteCloser) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conn = conn
	if d.dead != nil {
		conn.Close()
	}
}

// Halt is End after which no guest comes or goes any more.
func (d *door) Halt(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.end(err)
	for d.changing {
		_ = d.wait(context.Background())
	}
}

// accept waits for the next connection to the proxy or the gateway. It keeps no guest from
// going: nobody connects where no process is.
func (d *door) accept(ctx context.Context, which wire.AcceptArgs) (id uint64, err error) {
	for {
		d.mu.Lock()
		for d.dead == nil && (d.away || d.changing) {
			if err := d.wait(ctx); err != nil {
				d.mu.Unlock()
				return 0, err
			}
		}
		if d.dead != nil {
			d.mu.Unlock()
			return 0, sandbox.Unavailable("asking the guest", d.Reason())
		}
		number, p := d.register()
		d.mu.Unlock()
		err := d.await(ctx, number, p, wire.OpAccept, which,
			func(r wire.Reply) error { return wire.Decode(r.Body, &id) })
		if !errors.Is(err, errAway) {
			return id, err
		}
	}
}
