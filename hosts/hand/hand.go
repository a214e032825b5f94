// Package hand opens worlds on this machine for a brain on another one, which asks
// for them over one connection. Nothing of it outlives the connection: when that ends
// or falls silent, every world is closed.
package hand

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"cookoff/hosts/link"
	"cookoff/hosts/protocol"
	"cookoff/hosts/tree"
	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// Config is a hand.
type Config struct {
	Hello protocol.Hello
	Cache *tree.Cache
	// Make makes the backend that a brain asks for, and gives the tool chains that
	// its worlds show.
	Make func(ctx context.Context, s protocol.Setup) (b sandbox.Backend, tools []string, err error)
	Link link.Options     // its times; zero: the usual ones
	Now  func() time.Time // the machine's clock; nil: time.Now
	// Settle is how long the hand waits before it says that it goes on; 0: the usual time.
	Settle time.Duration
}

// settleTime is how long a signal to all of a job's processes takes, at most, until the
// last of them knows: some end before this hand does.
const settleTime = 150 * time.Millisecond

// Serve serves the brain at the other end of conn until it is gone, or ctx ends, and
// closes every world then. The error says why it ended.
func Serve(ctx context.Context, conn io.ReadWriteCloser, c Config) error {
	if err := c.greet(conn); err != nil {
		return err
	}
	c.Link.Opens = false
	l := link.New(conn, c.Link)
	defer l.Close()
	h := &hand{Config: c, worlds: map[uint64]sandbox.Sandbox{}, states: map[uint64]sandbox.State{}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-ctx.Done()
		l.Close()
	}()
	for {
		s, err := l.Accept()
		if err != nil {
			cancel()
			h.end()
			return err
		}
		go h.serve(ctx, s)
	}
}

// greetTime is how long the other end may take to say who it is.
const greetTime = 30 * time.Second

// greet says who this is, and refuses a brain of another build.
func (c Config) greet(conn io.ReadWriteCloser) error {
	late := time.AfterFunc(greetTime, func() { conn.Close() })
	defer late.Stop()
	mine := c.Hello
	mine.Clock = c.now()
	if err := link.WriteGreeting(conn, mine); err != nil {
		return err
	}
	var brain protocol.Hello
	if err := link.ReadGreeting(conn, &brain); err != nil {
		return fmt.Errorf("no cookoff speaks to this hand: %w\n"+
			"hint: cookoff starts hands by itself: [hosts.NAME] in cookoff.toml says how", err)
	}
	if brain.Build != c.Hello.Build {
		return fmt.Errorf("this hand is %s, and who speaks to it is another build, %s", c.Hello.Version,
			wire.Clean(brain.Version))
	}
	return nil
}

// now is what the machine's clock says.
func (c Config) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

// hand is one that serves.
type hand struct {
	Config

	mu      sync.Mutex
	backend sandbox.Backend
	setup   protocol.Setup
	tools   []string
	worlds  map[uint64]sandbox.Sandbox
	states  map[uint64]sandbox.State
	last    uint64 // state
	ended   bool
}

// end closes every world, all at once, and what the backend holds.
func (h *hand) end() {
	h.mu.Lock()
	h.ended = true
	worlds, states, b := h.worlds, h.states, h.backend
	h.worlds, h.states = nil, nil
	h.mu.Unlock()
	var wg sync.WaitGroup
	for _, w := range worlds {
		wg.Go(func() { _ = w.Close() })
	}
	wg.Wait()
	for _, st := range states {
		_ = st.Release()
	}
	if c, ok := b.(io.Closer); ok {
		_ = c.Close()
	}
}

// serve carries out one call.
func (h *hand) serve(ctx context.Context, s *link.Stream) {
	defer s.Close()
	var c protocol.Call
	if err := wire.ReadFrame(s, &c); err != nil {
		return
	}
	switch c.Op {
	case protocol.OpOpen:
		h.open(ctx, s, c)
		return
	case protocol.OpPut:
		h.put(s, c)
		return
	case protocol.OpAlive:
		select {
		case <-time.After(cmp.Or(h.Settle, settleTime)):
		case <-ctx.Done():
			return
		}
		_ = wire.WriteFrame(s, protocol.Answer{}) // a brain that is gone needs no answer
		return
	}
	a, err := h.carryOut(ctx, c)
	if err != nil {
		a = protocol.Failed(err)
	}
	_ = wire.WriteFrame(s, a) // a brain that is gone needs no answer
}

// carryOut does what one call from the machine that leads asks for. What it asks of a
// sandbox goes to the sandbox that it names.
func (h *hand) carryOut(ctx context.Context, c protocol.Call) (a protocol.Answer, err error) {
	switch c.Op {
	case protocol.OpSetup:
		return a, h.setUp(ctx, c.Setup)
	case protocol.OpCheck:
		b, _, err := h.ready()
		if err == nil {
			err = b.Check(ctx)
		}
		return a, err
	case protocol.OpRelease:
		h.mu.Lock()
		st := h.states[c.State]
		delete(h.states, c.State)
		h.mu.Unlock()
		if st == nil {
			return a, nil
		}
		return a, st.Release()
	}
	w, err := h.world(c.World)
	if err != nil {
		return a, err
	}
	switch c.Op {
	case protocol.OpSeal:
		return h.kept(w.Seal(ctx))
	case protocol.OpCopy:
		can, ok := w.(sandbox.Copier)
		if !ok {
			return a, errors.New("this sandbox can't be copied while it lives")
		}
		return h.kept(can.Copy(ctx))
	case protocol.OpClose:
		h.mu.Lock()
		delete(h.worlds, c.World)
		h.mu.Unlock()
		return a, w.Close()
	case protocol.OpSleeping, protocol.OpWake:
		can, ok := w.(sandbox.Waker)
		if !ok {
			return a, nil
		}
		if c.Op == protocol.OpWake {
			a.N = can.Wake(c.PIDs)
		} else {
			a.PIDs = can.Sleeping(c.PIDs)
		}
		return a, nil
	}
	return a, fmt.Errorf("no call is named %q", c.Op)
}

var (
	errNoState = errors.New("the state was released")
	errNoWorld = errors.New("the sandbox has ended")
)

// kept gives a state a number.
func (h *hand) kept(st sandbox.State, err error) (protocol.Answer, error) {
	if err != nil {
		return protocol.Answer{}, err
	}
	h.mu.Lock()
	if h.ended {
		h.mu.Unlock()
		return protocol.Answer{}, errors.Join(errNoWorld, st.Release())
	}
	defer h.mu.Unlock()
	h.last++
	h.states[h.last] = st
	return protocol.Answer{State: h.last}, nil
}

func (h *hand) world(id uint64) (sandbox.Sandbox, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w := h.worlds[id]; w != nil {
		return w, nil
	}
	return nil, errNoWorld
}

// setUp makes the backend.
func (h *hand) setUp(ctx context.Context, s *protocol.Setup) error {
	if s == nil {
		return errors.New("nothing to set up")
	}
	b, tools, err := h.Make(ctx, *s)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.backend != nil {
		return errors.New("this hand is set up already")
	}
	h.backend, h.setup, h.tools = b, *s, tools
	return nil
}

func (h *hand) ready() (sandbox.Backend, []string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.backend == nil || h.ended {
		return nil, nil, errors.New("this hand is not set up")
	}
	return h.backend, h.tools, nil
}

// put takes a tree, unless it is there.
func (h *hand) put(s *link.Stream, c protocol.Call) {
	digest := c.Digest
	have := filepath.IsLocal(digest) && filepath.Base(digest) == digest && h.Cache.Get(digest) != ""
	if err := wire.WriteFrame(s, protocol.Answer{Have: have}); err != nil || have {
		return
	}
	l, err := tree.ReceiveList(s)
	if err == nil && l.Digest() != digest {
		err = errors.New("the tree is another than was said")
	}
	if err == nil {
		_, err = tree.Receive(s, h.Cache, l, c.At)
	}
	a := protocol.Answer{Have: true}
	if err != nil {
		a = protocol.Failed(err)
	}
	_ = wire.WriteFrame(s, a) // a brain that is gone needs no answer
}
