package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"cookoff/internal/hint"
	"cookoff/runner/resolve"
	"cookoff/sandbox"
	"cookoff/trial"
)

// bare are the tasks that no sandbox could be had for, and why.
type bare map[string]error

// phaseSandbox is where a task is left out that has no sandbox on this machine.
const phaseSandbox = "sandbox"

// worldless reports whether an error says that a task has no sandbox here, which the
// other tasks may have. A machine that is short of memory, or lost, is none for any.
func worldless(ctx context.Context, err error) bool {
	return errors.Is(err, sandbox.ErrUnavailable) && !errors.Is(err, sandbox.ErrShort) && !lostHost(err) &&
		ctx.Err() == nil
}

// add notes a task, and gives why it is left out.
func (b bare) add(name string, err error) *trial.Exclude {
	b[name] = err
	return &trial.Exclude{Task: name, Phase: phaseSandbox,
		Why: "no sandbox could be had for it here: " + hint.OneLine(err.Error())}
}

// openable bounds in how many tasks' sandboxes the machine is tried.
const openable = 3

// machine gives the error of the first task without a sandbox, unless another task has
// one now: else it is the machine that has none. doing is what was done with the tasks.
func (w *worlds) machine(ctx context.Context, doing string, b bare) error {
	first, others := "", []*resolve.Task(nil)
	for _, name := range w.Order {
		switch {
		case b[name] == nil:
			others = append(others, w.TaskOf[name])
		case first == "":
			first = name
		}
	}
	if first == "" {
		return nil
	}
	for _, t := range others[:min(len(others), openable)] {
		if w.empty(ctx, t) == nil {
			return nil
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s task %q: %w", doing, first, b[first])
}

// kind is what decides whether a sandbox can be had.
type kind struct {
	image, root string
	user        sandbox.User
}

func (w *worlds) kindOf(t *resolve.Task) kind {
	spec := w.spec(t, sandbox.Agent)
	return kind{spec.Image, spec.Root.Dir, spec.User}
}

// kinds are the sandboxes that tasks need, each tried once.
type kinds struct {
	several bool // one alone is tried before the run
	mu      sync.Mutex
	tried   map[kind]error
}

func newKinds(w *worlds) *kinds {
	all := map[kind]bool{}
	for _, name := range w.Order {
		all[w.kindOf(w.TaskOf[name])] = true
	}
	return &kinds{several: len(all) > 1, tried: map[kind]error{}}
}

// open tries whether a task has a sandbox that was proven in an earlier run.
func (k *kinds) open(ctx context.Context, w *worlds, t *resolve.Task) error {
	if !k.several {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key := w.kindOf(t)
	err, tried := k.tried[key]
	if !tried {
		err = w.empty(ctx, t)
		k.tried[key] = err
	}
	return err
}
