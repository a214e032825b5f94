package hosts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"cookoff/hosts/link"
	"cookoff/hosts/protocol"
	"cookoff/sandbox"
	"cookoff/sandbox/client"
)

// world is an open sandbox on a host.
type world struct {
	*client.Client
	s    *session
	id   uint64
	disk int64  // bytes that it may have
	shut func() // ends the proxy and the gateway

	mu     sync.Mutex
	sealed bool
	closed bool
}

var _ interface {
	sandbox.Starter
	sandbox.Background
	sandbox.Dialer
	sandbox.Copier
	sandbox.Waker
} = (*world)(nil)

// state is a sandbox.State that lies on a host.
type state struct {
	s  *session
	id uint64
}

// Open makes a sandbox on the host.
func (h *Host) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	sb, err := h.open(ctx, spec)
	switch {
	case err == nil:
		return sb, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, sandbox.Unavailable("opening a sandbox on host "+h.Name, err)
}

// open opens a world on the host, after refusing what another machine can not give: its
// whole file system, or a state that lies elsewhere.
func (h *Host) open(ctx context.Context, spec sandbox.Spec) (*world, error) {
	if spec.Filesystem == sandbox.Unrestricted {
		return nil, errors.New("filesystem: unrestricted shows the files of a machine, and hosts differ in theirs\n" +
			"hint: run it without --hosts, or with filesystem: project_only")
	}
	if spec.Network == sandbox.AllowedNetwork != (spec.Gate != nil) {
		return nil, errors.New("network policy \"allow\" needs a gate, and no other policy has one")
	}
	for _, m := range spec.ReadOnly {
		if !filepath.IsAbs(m.Target) {
			return nil, fmt.Errorf("a mount at %q, which is not absolute", m.Target)
		}
	}
	s, err := h.session(ctx)
	if st, ok := spec.State.(*state); ok { // it is where it is, whatever became of the host since
		if st.s.h != h {
			return nil, errors.New("the state lies on another host")
		}
		if s, err = st.s, nil; s.link.Err() != nil {
			return nil, s.lost()
		}
	} else if spec.State != nil {
		return nil, errors.New("the state is of another sandbox")
	}
	if err != nil {
		return nil, err
	}
	o, err := s.opening(ctx, spec)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, o, spec)
}

// Holds reports whether a state lies on the host.
func (h *Host) Holds(st sandbox.State) bool {
	s, ok := st.(*state)
	return ok && s.s.h == h
}

// opening describes a world to the hand, which is given what it is made of.
func (s *session) opening(ctx context.Context, spec sandbox.Spec) (o protocol.Open, err error) {
	if spec.User.Many() && (spec.Root.Dir != "" || spec.Prepared != "") {
		return o, sandbox.Unavailable("opening a sandbox on another machine", errors.New(
			"user: root+others with root or prepare: owners of files do not go there yet\n"+
				"hint: play the task on this machine, without --hosts"))
	}
	o = protocol.Open{Spec: spec, Gate: spec.Gate != nil, Gateway: spec.Gateway != nil}
	if st, ok := spec.State.(*state); ok {
		o.State = st.id
	}
	o.Spec.State, o.Spec.Gate, o.Spec.Gateway, o.Spec.Root, o.Spec.Concealed = nil, nil, nil, sandbox.Root{}, nil
	o.Spec.Project, o.Spec.Prepared, o.Spec.Caches, o.Spec.ReadOnly = "", "", "", make([]sandbox.Mount,
		len(spec.ReadOnly))
	if o.Project, err = s.have(ctx, spec.Project); err != nil {
		return o, err
	}
	if o.Prepared, err = s.have(ctx, spec.Prepared); err != nil {
		return o, err
	}
	if o.Caches, err = s.have(ctx, spec.Caches); err != nil {
		return o, err
	}
	if o.Root, err = s.have(ctx, spec.Root.Dir); err != nil {
		return o, err
	}
	for i, m := range spec.ReadOnly {
		digest, err := s.have(ctx, m.Source)
		if err != nil {
			return o, err
		}
		o.Spec.ReadOnly[i].Target = m.Target
		o.ReadOnly = append(o.ReadOnly, digest)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	o.World = s.last
	return o, nil
}

// open has the hand open a world, and speaks with its guest from then on.
func (s *session) open(ctx context.Context, o protocol.Open, spec sandbox.Spec) (*world, error) {
	size, err := s.h.Trees.size(spec)
	if err != nil {
		return nil, err
	}
	if spec.State != nil {
		size = disk(spec)
	}
	st, stop, err := s.stream(ctx, protocol.Call{Op: protocol.OpOpen, Open: &o}, s.sized(size, slowDisk))
	if err != nil {
		return nil, err
	}
	_, err = s.answer(ctx, st)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = st.Close()
		if ctx.Err() != nil { // it may stand by now, or will soon
			s.abandon(o.World)
		}
		return nil, err
	}
	w := &world{Client: client.New(guestConn{st, s}).Within(s.held), s: s, id: o.World, disk: size + disk(spec)}
	go func() { _ = w.Serve() }()
	w.shut = w.ServeGates(spec.Gate, spec.Gateway)
	return w, nil
}

// guestConn is the stream to a guest: its errors are those of the host.
type guestConn struct {
	*link.Stream
	s *session
}

// SetWriteDeadline is for a socket: here each piece has its own.
func (c guestConn) SetWriteDeadline(time.Time) error { return nil }

// Ahead is little, as there may be thousands of worlds: the stream holds what has come.
func (c guestConn) Ahead() int { return 4 << 10 }

func (c guestConn) Read(b []byte) (int, error) {
	n, err := c.Stream.Read(b)
	if err != nil && c.s.link.Err() != nil {
		err = c.s.lost()
	}
	return n, err
}

func (c guestConn) Write(b []byte) (int, error) {
	n, err := c.s.steadily(c.Stream, b)
	if err != nil && c.s.link.Err() != nil {
		err = c.s.lost()
	}
	return n, err
}

// disk is how many bytes a world may write.
func disk(spec sandbox.Spec) int64 { return cmp.Or(spec.Limits.Disk, sandbox.DefaultLimits().Disk) }

// endTime bounds what ends a world.
const endTime = 2 * time.Minute

// abandon closes a world that nobody waits for any more.
func (s *session) abandon(id uint64) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), endTime)
		defer cancel()
		for range 50 { // it may not stand yet
			if _, err := s.call(ctx, protocol.Call{Op: protocol.OpClose, World: id}); err == nil || s.link.Err() != nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
}

// Exec runs a command to its end. Where it fails, the hand has to say that it goes on: a
// job that is cancelled ends everything in it, and a command may end before the hand does.
func (w *world) Exec(ctx context.Context, cmd sandbox.Cmd) (sandbox.Result, error) {
	r, err := w.Client.Exec(ctx, cmd)
	if err != nil || r.OK() {
		return r, err
	}
	switch _, err = w.s.call(ctx, protocol.Call{Op: protocol.OpAlive}); {
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		return sandbox.Result{}, ctx.Err()
	}
	return sandbox.Result{}, sandbox.Unavailable("a command that ended as its host did", err)
}

// end ends what is under way in the world.
func (w *world) end() {
	w.shut()
	w.End(errors.New("the sandbox has ended"))
}

// Seal has the hand kill everything and freeze the files.
func (w *world) Seal(ctx context.Context) (sandbox.State, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed || w.closed {
		return nil, sandbox.Unavailable("sealing", errors.New("the sandbox has ended already"))
	}
	if died := w.Reason(); died != nil {
		return nil, sandbox.Unavailable("sealing", died)
	}
	st, err := w.kept(ctx, protocol.OpSeal)
	if err != nil {
		return nil, err
	}
	w.end()
	w.sealed = true
	return st, nil
}

// Copy has the hand copy the files as they are now.
func (w *world) Copy(ctx context.Context) (sandbox.State, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed || w.closed {
		return nil, sandbox.Unavailable("copying", errors.New("the sandbox has ended already"))
	}
	return w.kept(ctx, protocol.OpCopy)
}

func (w *world) kept(ctx context.Context, op protocol.Op) (sandbox.State, error) {
	a, err := w.s.callFor(ctx, protocol.Call{Op: op, World: w.id}, w.s.sized(w.disk, slowDisk))
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, sandbox.Unavailable(string(op), err)
	}
	return &state{w.s, a.State}, nil
}

// Close ends the world. On a host that is lost it has ended.
func (w *world) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	w.end()
	return w.s.drop(protocol.Call{Op: protocol.OpClose, World: w.id})
}

// Release removes the files.
func (st *state) Release() error {
	return st.s.drop(protocol.Call{Op: protocol.OpRelease, State: st.id})
}

// drop makes a call that ends something; on a host that is lost there is nothing left.
func (s *session) drop(c protocol.Call) error {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	_, err := s.call(ctx, c)
	if err != nil && s.link.Err() == nil {
		return fmt.Errorf("host %s: %s: %w", s.h.Name, c.Op, err)
	}
	return nil
}

// wakeTime bounds the questions that have no context.
const wakeTime = 10 * time.Second

// Sleeping names those of its processes that wait for a time to pass.
func (w *world) Sleeping(pids []int) []int {
	ctx, cancel := context.WithTimeout(context.Background(), wakeTime)
	defer cancel()
	// of a world that is lost none is known
	a, _ := w.s.call(ctx, protocol.Call{Op: protocol.OpSleeping, World: w.id, PIDs: pids})
	return a.PIDs
}

// Wake has them go on.
func (w *world) Wake(pids []int) int {
	ctx, cancel := context.WithTimeout(context.Background(), wakeTime)
	defer cancel()
	// Of a world that is lost none goes on.
	a, _ := w.s.call(ctx, protocol.Call{Op: protocol.OpWake, World: w.id, PIDs: pids})
	return a.N
}

var _ sandbox.Backend = (*Host)(nil)
