package hosts

import (
	"context"
	"fmt"
	"io"
	"time"

	"cookoff/hosts/link"
	"cookoff/hosts/protocol"
	"cookoff/hosts/tree"
	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// stream opens a stream and says the call on it. It is closed when ctx ends, and the
// hand is given up when the time of the call is over, unless stop was called before.
func (s *session) stream(
	ctx context.Context, c protocol.Call, most time.Duration,
) (st *link.Stream, stop func() bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	late := s.within(string(c.Op), most)
	if st, err = s.link.Open(); err != nil {
		late()
		return nil, nil, s.why(err)
	}
	left := context.AfterFunc(ctx, func() { _ = st.Close() })
	stop = func() bool { late(); return left() }
	if err = wire.WriteFrame(st, c); err != nil {
		stop()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, s.why(err)
	}
	return st, stop, nil
}

// maxAnswer is how many bytes an answer of the hand itself has at most.
const maxAnswer = 1 << 20

// answer reads what the hand says to a call.
func (s *session) answer(ctx context.Context, st *link.Stream) (a protocol.Answer, err error) {
	if err = wire.ReadFrame(io.LimitReader(st, maxAnswer), &a); err == nil {
		return a, a.Error()
	}
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	return a, s.why(err)
}

// why is the error of a stream: that of the link, where that has ended.
func (s *session) why(err error) error {
	if s.link.Err() != nil {
		return s.lost()
	}
	// A hand that breaks the protocol is not asked again.
	s.link.Close()
	return &sandbox.HostError{Host: s.h.Name, Err: fmt.Errorf("it broke off: %v", err)}
}

// call makes a call that has nothing but an answer.
func (s *session) call(ctx context.Context, c protocol.Call) (protocol.Answer, error) {
	return s.callFor(ctx, c, s.patience())
}

// callFor is call for what may take longer, or less.
func (s *session) callFor(ctx context.Context, c protocol.Call, most time.Duration) (protocol.Answer, error) {
	st, stop, err := s.stream(ctx, c, most)
	if err != nil {
		return protocol.Answer{}, err
	}
	defer st.Close()
	defer stop()
	return s.answer(ctx, st)
}

// Trees are what hosts are to have, each read once. What lies at a path must not
// change as long as they are used.
type Trees struct {
	byPath keyed[string, listed]
}

// listed is a tree that was read.
type listed struct {
	list   tree.List
	digest string
}

func (t *Trees) read(path string) (listed, error) {
	return t.byPath.get(path, func() (listed, error) {
		l, err := tree.Read(path)
		return listed{l, l.Digest()}, err
	})
}

// size is that of all trees of a world, in bytes.
func (t *Trees) size(spec sandbox.Spec) (n int64, err error) {
	paths := []string{spec.Project, spec.Prepared, spec.Caches, spec.Root.Dir}
	for _, m := range spec.ReadOnly {
		paths = append(paths, m.Source)
	}
	for _, p := range paths {
		if p == "" {
			continue
		}
		l, err := t.read(p)
		if err != nil {
			return 0, err
		}
		n += l.list.Size()
	}
	return n, nil
}

// have sees that the hand has what is at path, and gives its digest. "" has none.
func (s *session) have(ctx context.Context, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	t, err := s.h.Trees.read(path)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	p := s.trees[t.digest]
	if p == nil {
		p = &placement{turn: make(chan struct{}, 1)}
		s.trees[t.digest] = p
	}
	s.mu.Unlock()
	return t.digest, p.once(ctx, func() error { return s.put(ctx, path, t) })
}

// put sends a tree, unless the hand has it.
func (s *session) put(ctx context.Context, path string, t listed) error {
	st, stop, err := s.stream(ctx, protocol.Call{Op: protocol.OpPut, Digest: t.digest, At: path},
		s.sized(t.list.Size(), slowNetwork))
	if err != nil {
		return err
	}
	defer st.Close()
	defer stop()
	if a, err := s.answer(ctx, st); err != nil || a.Have {
		return err
	}
	if err := tree.Send(steady{st, s}, path, t.list); err != nil && ctx.Err() == nil && s.link.Err() == nil {
		var a protocol.Answer
		// it has said why it takes no more
		if wire.ReadFrame(io.LimitReader(st, maxAnswer), &a) == nil && a.Error() != nil {
			err = a.Error()
		}
		return fmt.Errorf("sending %s to host %s: %w", path, s.h.Name, err)
	}
	_, err = s.answer(ctx, st)
	return err
}
