package native

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/guest"
)

// endTime bounds the wait for a killed sandbox to be really gone. Where the
// machine is busy, an engine alone may take many seconds to kill one.
const endTime = time.Minute

func (w *world) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	r, err := ask[sandbox.Result](ctx, w.c, guest.OpExec, c)
	if err != nil {
		return sandbox.Result{}, err
	}
	return r, nil
}

func (w *world) FS() sandbox.FS { return files{w.c} }

// end kills every process and waits until none is left.
func (w *world) end(ctx context.Context) error {
	if w.shut != nil {
		w.shut()
	}
	w.c.die(errors.New("the sandbox has ended"))
	w.kill()
	w.group.kill()
	late := time.NewTimer(endTime)
	defer late.Stop()
	select {
	case <-w.gone:
		w.group.remove()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		return unavailable("ending a sandbox", fmt.Errorf("processes still live after %v", endTime))
	}
}

// Seal kills everything and freezes the files.
func (w *world) Seal(ctx context.Context) (sandbox.State, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed || w.closed {
		return nil, unavailable("sealing", errors.New("the sandbox has ended already"))
	}
	if died := w.c.reason(); died != nil {
		return nil, unavailable("sealing", w.explain(died))
	}
	if !w.b.testOnlyOff.has(killAtSeal) {
		if err := w.end(ctx); err != nil {
			return nil, err
		}
	}
	if err := w.forgetElsewhere(); err != nil {
		return nil, unavailable("sealing", err)
	}
	top := newStratum(filepath.Join(w.dir, topDir))
	s := &state{by: w.b, dir: w.dir, layers: append([]stratum{top}, w.lower...), below: w.from}
	if w.plain {
		s.layers = []stratum{top}
		if err := w.unhide(top); err != nil {
			return nil, unavailable("sealing", err)
		}
	}
	w.sealed, w.from = true, nil // the state holds it now
	w.b.returnUID(w.uid)
	return s, nil
}

// Close ends the sandbox and removes its files.
func (w *world) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed || w.closed {
		w.closed = true
		return nil
	}
	if err := w.end(context.Background()); err != nil {
		return err // the directory stays: something still lives in it
	}
	w.closed = true
	return w.remove()
}

// abandon takes away what a failed Open left.
func (w *world) abandon() {
	if w.c != nil {
		if w.end(context.Background()) != nil {
			return
		}
	}
	w.group.remove()
	_ = w.remove()
}

func (w *world) remove() error {
	w.b.returnUID(w.uid)
	var err error
	if w.from != nil {
		err = w.from.drop()
		w.from = nil
	}
	if w.dir != "" {
		err = errors.Join(err, removeTree(w.dir))
	}
	return err
}

// errOther says that a state can't be opened by the backend that it is given to.
var errOther = errors.New("a state of another backend")

// state is the files of a sealed sandbox. It lives until it is released and
// nothing that rests on it is left.
type state struct {
	by     *backend
	dir    string
	layers []stratum // newest first
	below  *state    // whose files some of the layers are

	mu       sync.Mutex
	users    int
	released bool
}

// hold says that a sandbox rests on the state.
func (s *state) hold() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released {
		return errors.New("the state was released")
	}
	s.users++
	return nil
}

func (s *state) drop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	return s.removeUnused()
}

// Release removes the files, at once or when the last user is gone.
func (s *state) Release() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released {
		return nil
	}
	s.released = true
	return s.removeUnused()
}

func (s *state) removeUnused() error {
	if !s.released || s.users > 0 {
		return nil
	}
	err := removeTree(s.dir)
	if s.below != nil {
		err = errors.Join(err, s.below.drop())
		s.below = nil
	}
	return err
}
