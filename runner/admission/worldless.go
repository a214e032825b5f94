package admission

import (
	"context"
	"fmt"
	"sync"

	"cookoff/internal/hint"
	"cookoff/runner/resolve"
	"cookoff/runner/worlds"
	"cookoff/sandbox"
	"cookoff/trial"
)

// worldless are the tasks that no sandbox could be had for, and why.
type worldless map[string]error

// phaseSandbox is where a task is left out that has no sandbox on this machine.
const phaseSandbox = "sandbox"

// add notes a task, and gives why it is left out.
func (b worldless) add(name string, err error) *trial.Exclude {
	b[name] = err
	return &trial.Exclude{Task: name, Phase: phaseSandbox,
		Why: "no sandbox could be had for it here: " + hint.OneLine(err.Error())}
}

// openable bounds in how many tasks' sandboxes the machine is tried.
const openable = 3

// machine gives the error of the first task without a sandbox, unless another task has
// one now: else it is the machine that has none. doing is what was done with the tasks.
func (b worldless) machine(ctx context.Context, w *worlds.Worlds, doing string) error {
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
		if w.Empty(ctx, t) == nil {
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

func kindOf(w *worlds.Worlds, t *resolve.Task) kind {
	spec := w.Spec(t, sandbox.Agent)
	return kind{spec.Image, spec.Root.Dir, spec.User}
}

// kinds are the sandboxes that tasks need, each tried once.
type kinds struct {
	several bool // one alone is tried before the run
	mu      sync.Mutex
	tried   map[kind]error
}

func newKinds(w *worlds.Worlds) *kinds {
	all := map[kind]bool{}
	for _, name := range w.Order {
		all[kindOf(w, w.TaskOf[name])] = true
	}
	return &kinds{several: len(all) > 1, tried: map[kind]error{}}
}

// open tries whether a task has a sandbox that was proven in an earlier run.
func (k *kinds) open(ctx context.Context, w *worlds.Worlds, t *resolve.Task) error {
	if !k.several {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key := kindOf(w, t)
	err, tried := k.tried[key]
	if !tried {
		err = w.Empty(ctx, t)
		k.tried[key] = err
	}
	return err
}
