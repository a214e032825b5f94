package native

import (
	"context"
	"sync"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/launch"
	"cookoff/sandbox/wire"
)

// A world in which no process is left is a directory, and a mount of what lies in memory:
// its guest may go until something is asked of it again (decision 103).

// hibernateTime bounds how long a guest may take to say what it stays for, and to go.
const hibernateTime = 10 * time.Second

// running is the process of a world, which it has none of while it hibernates.
type running struct {
	mu  sync.Mutex
	now *launch.Process
}

func (r *running) is(p *launch.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = p
}

// process is nil where there is none.
func (r *running) process() *launch.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// mayHibernate reports whether all that a world is can outlive its guest: not what it was
// shown of the host as it was then.
func (w *world) mayHibernate() bool {
	return w.b.naps.when != never && w.b.builder.Facts().Keeps && w.spec.Filesystem != sandbox.Unrestricted &&
		len(w.b.testOnlyOff) == 0
}

// keep takes the mount of what lies in memory, instead of the one before, which has gone
// into the world.
func (w *world) keep(process *launch.Process) error {
	if process.Kept == nil {
		return nil
	}
	kept, err := process.Kept()
	if err != nil {
		return w.explain(sandbox.Unavailable("opening a sandbox", err))
	}
	err = w.forgetMemory()
	w.memory = kept
	return err
}

func (w *world) forgetMemory() error {
	if w.memory == nil {
		return nil
	}
	defer func() { w.memory = nil }()
	return w.memory.Close()
}

// Idle is told by the client, and Busy.
func (w *world) Idle() { w.b.naps.idle(w) }

// Busy says that something is asked again.
func (w *world) Busy() { w.b.naps.forget(w) }

// nap has the guest go if it can.
func (w *world) nap() {
	ctx, cancel := context.WithTimeout(context.Background(), hibernateTime)
	defer cancel()
	_ = w.Hibernate(ctx)
}

// Asleep ends the guest, which has nothing to stay for.
func (w *world) Asleep(wire.Hibernated) error {
	ctx, cancel := context.WithTimeout(context.Background(), hibernateTime)
	defer cancel()
	if err := w.run.process().End(ctx); err != nil {
		return err
	}
	w.run.is(nil)
	return nil
}

// Awake starts the next one.
func (w *world) Awake(left wire.Hibernated) error {
	if err := w.again(left); err != nil {
		return sandbox.Unavailable("opening a sandbox again", cramped(w.files.Crowded(err)))
	}
	return nil
}

func (w *world) again(left wire.Hibernated) error {
	p, err := w.b.plan(w.spec)
	if err != nil {
		return err
	}
	p.LastPID = left.LastPID
	mounts, err := w.files.Again(&p, w.spec)
	defer launch.CloseAll(mounts)
	if err != nil {
		return err
	}
	return w.start(context.Background(), p, mounts, &left)
}
