// Package hosts opens worlds on other machines. A host is a command that gives the
// standard input and output of a hand there: a process that opens worlds with that
// machine's backend. What is trusted with keys and money stays here; a host that
// lies, dies or is cut voids the trials that it has, and nothing else.
package hosts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"cookoff/hosts/link"
	"cookoff/hosts/protocol"
	"cookoff/sandbox"
	"cookoff/sandbox/client"
)

// Local is the name of this machine among hosts.
const Local = "local"

// MaxFaults is how often a host may be lost before it is given up.
const MaxFaults = 3

// MaxProcessors bounds how many a hand may say that its machine has.
const MaxProcessors = 4096

// Host is a machine that opens worlds: a sandbox.Backend. It is reached when it is
// first needed, and again after it was lost.
type Host struct {
	Name  string
	Dial  func(ctx context.Context) (Conn, error)
	Hello protocol.Hello // of this program
	Setup protocol.Setup
	Trees *Trees
	Link  link.Options // its times; zero: the usual ones

	Reach    time.Duration // the way to a hand may take; 0: 45 seconds
	Patience time.Duration // with a call that moves no files; 0: two minutes
	Hold     int64         // bytes that are kept of its answers which have not ended; 0: 1 GiB

	mu       sync.Mutex
	now      *session      // nil: not reached
	reaching chan struct{} // closed when whoever reaches for a hand has done so; nil: nobody does
	faults   int
	why      error // of the last fault
	closed   bool
}

// Conn is the connection to a hand, and what its command said on standard error.
type Conn interface {
	io.ReadWriteCloser
	Stderr() string
}

// session is one life of a hand.
type session struct {
	h     *Host
	conn  Conn
	link  *link.Link
	hello protocol.Hello
	held  *client.Held  // of the answers of all its worlds
	ahead time.Duration // its machine's clock, at least

	mu    sync.Mutex
	last  uint64                // world
	trees map[string]*placement // by digest
}

// session gives the hand that lives, or reaches for a new one: one at a time does, and
// the others wait for it.
func (h *Host) session(ctx context.Context) (*session, error) {
	for {
		s, turn, err := h.turn()
		if err != nil || s != nil {
			return s, err
		}
		if turn != nil {
			select {
			case <-turn:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		s, err = h.reach(ctx)
		h.reached(s, err, ctx.Err() != nil)
		if err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, &sandbox.HostError{Host: h.Name, Err: err}
		}
		return s, nil
	}
}

// turn gives the hand that lives, or what is closed when another caller has reached for
// one; with neither it is this caller's to do, who says reached afterwards.
func (h *Host) turn() (s *session, other <-chan struct{}, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, nil, &sandbox.HostError{Host: h.Name, Err: link.ErrClosed}
	case h.now != nil && h.now.link.Err() == nil:
		return h.now, nil, nil
	case h.reaching != nil:
		return nil, h.reaching, nil
	case h.now != nil:
		h.fault(h.now.link.Err())
		h.now = nil
	}
	if h.faults >= MaxFaults {
		return nil, nil, &sandbox.HostError{Host: h.Name,
			Err: fmt.Errorf("given up after %d faults, the last: %w", h.faults, h.why)}
	}
	h.reaching = make(chan struct{})
	return nil, nil, nil
}

// reached ends a turn. Whoever left has found no fault.
func (h *Host) reached(s *session, err error, left bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.reaching)
	h.reaching, h.now = nil, s
	if err != nil && !left {
		h.fault(err)
	}
	if s != nil && h.closed {
		h.now = nil
		s.link.Close()
	}
}

// fault notes that the host was lost.
func (h *Host) fault(why error) {
	h.faults++
	h.why = why
}

// Fault notes that the host lives and can't be used, as with a full disk, and gives the
// *sandbox.HostError that says so.
func (h *Host) Fault(why error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fault(why)
	return &sandbox.HostError{Host: h.Name, Err: why}
}

// Out reports whether the host was given up, and why. It never waits.
func (h *Host) Out() (why error, out bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	why, n := h.why, h.faults
	if h.now != nil && h.now.link.Err() != nil {
		why, n = h.now.link.Err(), n+1
	}
	return why, n >= MaxFaults
}

// maxHeld is how many bytes of answers that have not ended are kept of one host.
const maxHeld = 1 << 30

// reachTime bounds the way to a hand.
const reachTime = 45 * time.Second

// reach starts a hand and has it set up.
func (h *Host) reach(ctx context.Context) (*session, error) {
	asked := time.Now()
	conn, err := h.Dial(ctx)
	if err != nil {
		return nil, err
	}
	s := &session{h: h, conn: conn, trees: map[string]*placement{}}
	most := cmp.Or(h.Reach, reachTime)
	late := time.AfterFunc(most, func() { conn.Close() })
	left := context.AfterFunc(ctx, func() { conn.Close() })
	err = s.greet(asked)
	if !left() {
		err = cmp.Or(ctx.Err(), err)
	}
	if !late.Stop() && ctx.Err() == nil {
		err = unanswered(err, most)
	}
	if err != nil {
		conn.Close()
		return nil, Explained(err, conn)
	}
	o := h.Link
	o.Opens = true
	s.link = link.New(conn, o)
	s.held = client.NewHeld(cmp.Or(h.Hold, maxHeld), s.fail)
	if _, err := s.call(ctx, protocol.Call{Op: protocol.OpSetup, Setup: &h.Setup}); err != nil {
		s.link.Close()
		if lost, ok := errors.AsType[*sandbox.HostError](err); ok {
			return nil, lost.Err // which says all
		}
		return nil, Explained(err, conn)
	}
	return s, nil
}

// greet has both ends say who they are. The way to the hand began at asked.
func (s *session) greet(asked time.Time) error {
	heard := make(chan error, 1)
	go func() { heard <- link.ReadGreeting(s.conn, &s.hello) }()
	mine := s.h.Hello
	if err := link.WriteGreeting(s.conn, mine); err != nil {
		select { // what it said may tell why it is gone
		case said := <-heard:
			return cmp.Or(said, err)
		case <-time.After(time.Second):
			return err
		}
	}
	if err := <-heard; err != nil {
		return err
	}
	s.ahead = ahead(s.hello.Clock, asked, time.Now())
	if s.hello.Build != mine.Build {
		return fmt.Errorf("its cookoff is another build: %.200q there, %q here\n"+
			"hint: --copy-self sends this very program there", s.hello.Version, mine.Version)
	}
	if n := s.hello.Processors; n < 1 || n > MaxProcessors {
		return fmt.Errorf("it says that it has %d processors, and 1 to %d are allowed", n, MaxProcessors)
	}
	return nil
}

// reason says why the session ended, with what its command said.
func (s *session) reason() error { return Explained(s.link.Err(), s.conn) }

// fail ends the session for a reason, and gives the error of whatever is under way.
func (s *session) fail(why error) error {
	s.link.Fail(why)
	return s.lost()
}

// lost is the error of whatever was under way.
func (s *session) lost() error { return &sandbox.HostError{Host: s.h.Name, Err: s.reason()} }

// Close ends the hand, and every world of it.
func (h *Host) Close() error {
	h.mu.Lock()
	s := h.now
	h.now, h.closed = nil, true
	h.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.link.Close()
}

// About is what the hand says of itself, once it is reached; else nothing.
func (h *Host) About() protocol.Hello {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now == nil {
		return protocol.Hello{}
	}
	return h.now.hello
}

// Processors is how many the machine has, once it is reached; else 0.
func (h *Host) Processors() int {
	return h.About().Processors
}

// RoundTrip is what a message took there and back last; 0: not known.
func (h *Host) RoundTrip() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now == nil {
		return 0
	}
	return h.now.link.RoundTrip()
}

// Check reaches the host and tries a world there.
func (h *Host) Check(ctx context.Context) error {
	s, err := h.session(ctx)
	if err == nil {
		_, err = s.call(ctx, protocol.Call{Op: protocol.OpCheck})
	}
	if _, said := errors.AsType[*sandbox.HostError](err); said && ctx.Err() == nil {
		return sandbox.OfKinds(err.Error(), sandbox.ErrUnavailable, err)
	}
	if err != nil && ctx.Err() == nil {
		return sandbox.Unavailable("host "+h.Name, err)
	}
	return err
}
