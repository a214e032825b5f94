package native

import (
	"context"
	"errors"
	"os"
	"sync"

	"cookoff/sandbox"
	"cookoff/sandbox/client"
	"cookoff/sandbox/launch"
	"cookoff/sandbox/layers"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/users"
	"cookoff/sandbox/wake"
	"cookoff/sandbox/wire"
)

// world is an open sandbox: files, processes, and the guest that is asked.
type world struct {
	b     *backend
	spec  sandbox.Spec
	agent users.Agent
	files *layers.Files
	*client.Client
	twoUsers bool   // the guest is another user than what it starts
	shut     func() // ends the proxy and the gateway inside; nil: it did not open

	run    running
	memory *os.File // a mount of what lies in memory, where the guest may go; else nil

	mu     sync.Mutex
	sealed bool
	closed bool
}

var _ interface {
	sandbox.Starter
	sandbox.Background
	sandbox.Dialer
	sandbox.Copier
	sandbox.Partial
	sandbox.Waker
} = (*world)(nil)

// open does the work; what it leaves half done, abandon takes away.
func (w *world) open(ctx context.Context) error {
	var err error
	if w.files, err = w.b.store.Begin(w.spec, w.agent); err != nil {
		return err
	}
	p, err := w.b.plan(w.spec)
	if err != nil {
		return err
	}
	mounts, err := w.files.Lay(&p, w.spec)
	defer launch.CloseAll(mounts)
	if err != nil {
		return err
	}
	if err := w.start(ctx, p, mounts, nil); err != nil {
		return err
	}
	if err := w.files.Built(); err != nil {
		return err
	}
	if w.memory != nil {
		w.Hibernates(w)
	}
	w.shut = w.ServeGates(w.spec.Gate, w.spec.Gateway)
	return nil
}

// start builds the world and configures its guest, the first one or one that goes on with
// what the one before has left.
func (w *world) start(ctx context.Context, p plan.Plan, mounts []*os.File, left *wire.Hibernated) error {
	group := w.b.group(p.Dir, w.spec.Limits)
	process, err := launch.Start(w.b.builder, launch.Order{Plan: &p, Agent: w.agent, Mounts: mounts, Group: group,
		Keep: w.mayHibernate(), Memory: w.memory}, &w.b.thread)
	if err != nil {
		return err
	}
	w.run.is(process)
	if w.Client == nil {
		w.Client = client.New(process.Conn)
		w.Blames(w.files.Crowded)
		w.Notes(w.files.Noted)
		w.twoUsers = len(p.Helper) > 0
	} else {
		w.Attach(process.Conn)
	}
	w.WatchMemory(group.Events)
	go w.serve(process)
	if err := wire.WriteFrame(process.Conn, p.Inner()); err != nil {
		return w.explain(sandbox.Unavailable("sending the plan", err))
	}
	ctx, cancel := context.WithTimeout(ctx, w.b.builder.Facts().Patience)
	defer cancel()
	cfg := w.config(p, process.Path, group)
	cfg.Hibernated = left
	if err := w.Ask(ctx, wire.OpConfig, cfg, nil); err != nil {
		return w.explain(err)
	}
	return w.keep(process)
}

// explain adds what a dying guest said.
func (w *world) explain(err error) error {
	w.End(err) // whoever gave up waiting leaves a guest that lives
	if process := w.run.process(); process != nil {
		return process.Explain(err)
	}
	return err
}

// serve takes the guest's replies; a guest that breaks the protocol dies.
func (w *world) serve(process *launch.Process) {
	_ = w.Client.Serve()
	process.Kill()
}

// end kills every process and waits until none is left.
func (w *world) end(ctx context.Context) error {
	if w.shut != nil {
		w.shut()
	}
	if w.Client != nil {
		w.Halt(errors.New("the sandbox has ended"))
	}
	w.b.naps.forget(w)
	if process := w.run.process(); process != nil {
		if err := process.End(ctx); err != nil {
			return err
		}
	}
	return w.forgetMemory()
}

// Seal kills everything and freezes the files.
func (w *world) Seal(ctx context.Context) (sandbox.State, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed || w.closed {
		return nil, sandbox.Unavailable("sealing", errors.New("the sandbox has ended already"))
	}
	if died := w.Reason(); died != nil {
		return nil, sandbox.Unavailable("sealing", w.explain(died))
	}
	if !w.b.testOnlyOff.Has(plan.KillAtSeal) {
		if err := w.end(ctx); err != nil {
			return nil, err
		}
	}
	s, err := w.files.Freeze()
	if err != nil {
		return nil, sandbox.Unavailable("sealing", w.files.Crowded(err))
	}
	w.sealed = true
	w.b.users.Return(w.agent)
	return s, nil
}

// Copy copies the files as they are now. Processes may write
// meanwhile: what they have not finished is in the copy as it happens to be.
func (w *world) Copy(ctx context.Context) (sandbox.State, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed || w.closed {
		return nil, sandbox.Unavailable("copying", errors.New("the sandbox has ended already"))
	}
	s, err := w.files.Copy()
	if err != nil {
		return nil, sandbox.Unavailable("copying", w.files.Crowded(err))
	}
	return s, ctx.Err()
}

// Sleeping names those of its processes that wait for a time to pass.
func (w *world) Sleeping(pids []int) []int {
	if process := w.run.process(); process != nil {
		return wake.World{Root: process.First}.Sleeping(pids)
	}
	return nil
}

// Wake has them go on.
func (w *world) Wake(pids []int) int {
	if process := w.run.process(); process != nil {
		return wake.World{Root: process.First}.Wake(pids)
	}
	return 0
}

// NotShown says what of the host a world with Unrestricted lacks, and why.
func (w *world) NotShown() []string { return w.files.NotShown() }

// ChangedElsewhere names what was changed outside of project and home.
func (w *world) ChangedElsewhere() (some []string, more int) { return w.files.ChangedElsewhere() }

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

// abandon takes away what a failed open left.
func (w *world) abandon() {
	if w.end(context.Background()) != nil {
		return
	}
	_ = w.remove()
}

func (w *world) remove() error {
	w.b.users.Return(w.agent)
	return w.files.Remove()
}
