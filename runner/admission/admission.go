// Package admission finds out, without a model, which tasks are fit to be run and what is
// wrong with the others.
package admission

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"cookoff/recipe"
	"cookoff/runner/cores"
	"cookoff/runner/project"
	"cookoff/runner/resolve"
	"cookoff/runner/worlds"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
)

// Settings say which tasks need not be proven again.
type Settings struct {
	Proofs  Proofs // of earlier runs; nil: every task is proven
	Proving string // with Proofs: the program and the tool chain, which an admission depends on
	// AtStep is told which step of the proof of which task begins, and that it is over
	// by a step of ""; nil: nobody is. It is safe for concurrent use.
	AtStep func(task, step string)
}

// Admission proves tasks: each must be broken as staged, and mended by its solution.
type Admission struct {
	*worlds.Staging
	Settings
	Version int // of the rules that tasks are judged by
}

// All proves every task, without a model: broken as staged, mended by its
// solution. It gives the tasks that are not fit to be run.
func (a Admission) All(ctx context.Context, admitting func(done, of int)) (map[string]trial.Exclude, error) {
	out, bare, kinds := map[string]trial.Exclude{}, worldless{}, newKinds(&a.Worlds)
	var mu sync.Mutex
	n := 0
	tell := func() {
		if admitting != nil {
			admitting(n, len(a.Order))
		}
	}
	tell()
	if a.Sequential() {
		return a.inOrder(ctx, func(done int) {
			n = done
			tell()
		})
	}
	err := cores.Parallel(ctx, a.AtOnce, len(a.Order), func(ctx context.Context, i int) error {
		t := a.TaskOf[a.Order[i]]
		key, err := a.keyOf(t)
		if err != nil {
			return err
		}
		if a.known(key, t) {
			err := kinds.open(ctx, &a.Worlds, t)
			mu.Lock()
			defer mu.Unlock()
			if err != nil && !worlds.Worldless(ctx, err) {
				return fmt.Errorf("opening a sandbox of task %q: %w", a.Order[i], err)
			} else if err != nil {
				out[a.Order[i]] = *bare.add(a.Order[i], err)
			}
			n++
			tell()
			return nil
		}
		open := a.Opening(t, nil)
		x, err := a.admit(ctx, t, open)
		if err != nil && !worlds.Worldless(ctx, err) {
			return fmt.Errorf("admitting task %q: %w", a.Order[i], err)
		}
		if err == nil {
			a.remember(key, x, t.Checks.Learned())
		}
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			x = bare.add(a.Order[i], err)
		}
		if n++; x != nil {
			x.Task = a.Order[i]
			out[x.Task] = *x
		}
		tell()
		return nil
	})
	if err == nil {
		err = bare.machine(ctx, &a.Worlds, "admitting")
	}
	return out, err
}

// inOrder proves the tasks of a sequence: each where the solutions of
// those before it lead.
func (a Admission) inOrder(ctx context.Context, tell func(done int)) (out map[string]trial.Exclude, err error) {
	out = map[string]trial.Exclude{}
	bare := worldless{}
	var left sandbox.State // by the solutions so far; nil: nothing
	defer func() { err = errors.Join(err, worlds.Release(left)) }()
	for i, name := range a.Order {
		t := a.TaskOf[name]
		open := a.Opening(t, left)
		x, err := a.steps(ctx, t, open)
		if worlds.Worldless(ctx, err) {
			x, err = bare.add(name, err), nil
		}
		if err != nil {
			return nil, fmt.Errorf("admitting task %q: %w", name, err)
		}
		if x != nil {
			x.Task = name
			out[name] = *x
		} else if left, err = a.solve(ctx, t, left); err != nil {
			return nil, fmt.Errorf("solving task %q: %w", name, err)
		}
		tell(i + 1)
	}
	return out, bare.machine(ctx, &a.Worlds, "admitting")
}

// steps proves one task, and tells its steps.
func (a Admission) steps(ctx context.Context, t *resolve.Task, open verify.Opening) (*trial.Exclude, error) {
	at := a.atStep(t.Name())
	defer at("")
	return t.Checks.Admit(ctx, open, t.Shortcuts, at)
}

// atStep tells which step of the proof of a task begins.
func (a Admission) atStep(task string) func(step string) {
	return func(step string) {
		if a.AtStep != nil {
			a.AtStep(task, step)
		}
	}
}

// solve stages a task on what the solutions before it left, runs its own, and gives what
// that leaves in its place. What it rests on is released, and stays where it fails.
func (a Admission) solve(ctx context.Context, t *resolve.Task, from sandbox.State) (sandbox.State, error) {
	st, err := a.solved(ctx, t, from)
	if err != nil {
		return from, err
	}
	return st, worlds.Release(from)
}

func (a Admission) solved(ctx context.Context, t *resolve.Task, from sandbox.State) (st sandbox.State, err error) {
	sb, err := a.Open(ctx, t, from, sandbox.Agent)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	if _, err := t.Checks.Stage(ctx, sb); err != nil {
		return nil, err
	}
	if t.Solution != "" {
		if _, err := sb.Exec(ctx, sandbox.Cmd{Script: t.Solution, Timeout: t.Limits.Solution}); err != nil {
			return nil, err
		}
	}
	if err := t.Checks.Quiet(ctx, sb); err != nil {
		return nil, err
	}
	return sb.Seal(ctx)
}

// keyOf is the proofKey of a task of the run. What lies beside the recipe counts by its
// content and for its own task alone: a task of two recipes is proven once.
func (a Admission) keyOf(t *resolve.Task) (string, error) {
	files, err := a.Files(t)
	if err != nil {
		return "", err
	}
	judge, err := project.JudgeSum(a.Recipe, t.Task)
	return a.proofKey(t, files+" "+judge), err
}

// proofKey gives the key of everything that the admission of a task depends
// on: the task, what is checked of every task, the sandbox, the project, and
// what Env.Proving says of the program and its tool chain. It is "" where an
// admission must not be remembered: with a network or the whole host, tomorrow
// may differ.
func (a Admission) proofKey(t *resolve.Task, project string) string {
	spec := a.Spec(t, sandbox.Agent)
	if a.Proofs == nil || spec.Network != sandbox.NoNetwork && spec.Network != "" ||
		spec.Filesystem == sandbox.Unrestricted {
		return ""
	}
	spec.Project, spec.Caches = "", "" // which make checks quicker, and nothing else
	task := t.Task
	task.JudgeFiles = ""           // see keyOf
	task.Tags, task.Date = nil, "" // labels
	text, err := json.Marshal(struct {
		Version   int
		Proving   string
		Task      recipe.Task
		Shortcuts []verify.Shortcut
		Verify    []recipe.VerifyBlock
		Criteria  []recipe.Criterion
		Spec      sandbox.Spec
		Project   string
	}{a.Version, a.Proving, task, t.Shortcuts, a.Recipe.Verify, a.Recipe.SuccessCriteria, spec, project})
	if err != nil { // plain values always encode
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// remember keeps an admission.
func (a Admission) remember(key string, x *trial.Exclude, learned []byte) {
	if key != "" && x == nil {
		a.Proofs.Add(key, learned)
	}
}

// known reports whether a task was admitted before, and gives its checks what
// was learned then.
func (a Admission) known(key string, t *resolve.Task) bool {
	if key == "" {
		return false
	}
	learned, is := a.Proofs.Known(key)
	return is && t.Checks.Learn(learned) == nil
}

// Proofs remembers which tasks were admitted. It is safe for concurrent use.
type Proofs interface {
	// Known reports whether the task with this key was admitted before, and
	// gives what was learned then.
	Known(key string) (learned []byte, is bool)
	// Add remembers it. What can't be kept is proved again next time.
	Add(key string, learned []byte)
}

// maxLost is how many machines in a row may be lost with a task before it is given up.
const maxLost = 6

// admit proves a task, again where the machine was lost on which that was tried.
func (a Admission) admit(ctx context.Context, t *resolve.Task, open verify.Opening) (x *trial.Exclude, err error) {
	for range maxLost {
		if x, err = a.steps(ctx, t, open); !worlds.LostHost(err) || ctx.Err() != nil {
			break
		}
	}
	return x, err
}
