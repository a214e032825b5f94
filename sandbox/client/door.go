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

// Hibernates lets the guest go at times. It comes before anything is asked.
func (c *Client) Hibernates(s Sleeper) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sleeper = s
}

// errAway says that the guest went while it was waited for.
var errAway = errors.New("the guest went")

// door is who is with the guest, and whether it is there. The lock is the client's.
type door struct {
	inside   int           // requests whose answer somebody waits for
	away     bool          // no guest is there
	changing bool          // it is about to go, or to come
	news     chan struct{} // closed, and made anew, when that has changed
	left     wire.Hibernated
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

// enter waits until the guest is there, whom somebody has to bring back then.
func (c *Client) enter(ctx context.Context) error {
	c.mu.Lock()
	for c.dead == nil && (c.door.away || c.door.changing) {
		if !c.door.changing {
			c.door.changing = true
			go c.wake()
		}
		if err := c.wait(ctx); err != nil {
			c.mu.Unlock()
			return err
		}
	}
	c.door.inside++
	first := c.door.inside == 1 && c.sleeper != nil
	c.mu.Unlock()
	if first {
		c.sleeper.Busy()
	}
	return nil
}

// wait waits for a change; the lock is held before and after.
func (c *Client) wait(ctx context.Context) error {
	change := c.door.change()
	c.mu.Unlock()
	defer c.mu.Lock()
	select {
	case <-change:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exit is the end of what enter began.
func (c *Client) exit() {
	c.mu.Lock()
	c.door.inside--
	idle := c.idle()
	c.mu.Unlock()
	if idle {
		c.sleeper.Idle()
	}
}

// idle reports whether nothing is asked; the lock is held.
func (c *Client) idle() bool {
	return c.sleeper != nil && c.door.inside == 0 && len(c.left) == 0 && c.dead == nil && !c.door.away &&
		!c.door.changing
}

// rested tells the sleeper of the end of a request that nobody waited for; the lock is held.
func (c *Client) rested() {
	if c.idle() {
		go c.sleeper.Idle()
	}
}

// Hibernate has the guest go, if nobody asks anything and it has nothing to stay for. It
// gives what keeps it; "": it has gone, or the world has ended.
func (c *Client) Hibernate(ctx context.Context) (keeps string) {
	c.mu.Lock()
	if !c.idle() {
		c.mu.Unlock()
		return "it is asked something"
	}
	c.door.changing = true
	c.mu.Unlock()
	var h wire.Hibernation
	err := c.Ask(ctx, wire.OpHibernate, nil, func(r wire.Reply) error { return wire.Decode(r.Body, &h) })
	if err != nil {
		h.Keeps = err.Error()
	}
	if h.Keeps == "" {
		c.detach()
		if err := c.sleeper.Asleep(h.Left); err != nil {
			c.End(sandbox.Unavailable("hibernating", err))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.door.changing, c.door.away, c.door.left = false, h.Keeps == "", h.Left
	c.door.changed()
	return h.Keeps
}

// detach lets go of the guest's connection. Those that wait for no answer but for the
// world to ask them something ask the next guest.
func (c *Client) detach() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, p := range c.pending {
		p.away = true
		close(p.done)
		delete(c.pending, id)
	}
	if c.conn != nil && c.dead == nil {
		c.conn.Close()
		c.conn = nil
	}
}

// wake brings the next guest.
func (c *Client) wake() {
	err := c.sleeper.Awake(c.door.left)
	if err != nil {
		c.End(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.door.changing, c.door.away, c.door.left = false, false, wire.Hibernated{}
	c.door.changed()
}

// Attach speaks with another guest at the other end of conn, once Serve is called.
func (c *Client) Attach(conn io.ReadWriteCloser) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = conn
	if c.dead != nil {
		conn.Close()
	}
}

// Halt is End after which no guest comes or goes any more.
func (c *Client) Halt(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(err)
	for c.door.changing {
		_ = c.wait(context.Background())
	}
}

// accept waits for the next connection to the proxy or the gateway. It keeps no guest from
// going: nobody connects where no process is.
func (c *Client) accept(ctx context.Context, which wire.AcceptArgs) (id uint64, err error) {
	for {
		c.mu.Lock()
		for c.dead == nil && (c.door.away || c.door.changing) {
			if err := c.wait(ctx); err != nil {
				c.mu.Unlock()
				return 0, err
			}
		}
		if c.dead != nil {
			c.mu.Unlock()
			return 0, sandbox.Unavailable("asking the guest", c.Reason())
		}
		number, p := c.register()
		c.mu.Unlock()
		err := c.await(ctx, number, p, wire.OpAccept, which,
			func(r wire.Reply) error { return wire.Decode(r.Body, &id) })
		if !errors.Is(err, errAway) {
			return id, err
		}
	}
}
