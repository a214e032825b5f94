package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"cookoff/recipe"
	"cookoff/runner/project"
	"cookoff/runner/resolve"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
)

// admission proves tasks: each must be broken as staged, and mended by its solution.
type admission struct {
	*staging
	version int // of the rules that tasks are judged by
}

// all proves every task, without a model: broken as staged, mended by its
// solution. It gives the tasks that are not fit to be run.
func (a *admission) all(ctx context.Context, admitting func(done, of int)) (map[string]trial.Exclude, error) {
	out, bare, kinds := map[string]trial.Exclude{}, bare{}, newKinds(&a.worlds)
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
	err := parallel(ctx, a.working(), len(a.Order), func(ctx context.Context, i int) error {
		t := a.TaskOf[a.Order[i]]
		key, err := a.keyOf(t)
		if err != nil {
			return err
		}
		if a.known(key, t) {
			err := kinds.open(ctx, &a.worlds, t)
			mu.Lock()
			defer mu.Unlock()
			if err != nil && !worldless(ctx, err) {
				return fmt.Errorf("opening a sandbox of task %q: %w", a.Order[i], err)
			} else if err != nil {
				out[a.Order[i]] = *bare.add(a.Order[i], err)
			}
			n++
			tell()
			return nil
		}
		open := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
			return a.open(ctx, t, st, p)
		}
		x, err := a.admit(ctx, t, open)
		if err != nil && !worldless(ctx, err) {
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
		err = a.machine(ctx, "admitting", bare)
	}
	return out, err
}

// inOrder proves the tasks of a sequence: each where the solutions of
// those before it lead.
func (a *admission) inOrder(ctx context.Context, tell func(done int)) (out map[string]trial.Exclude, err error) {
	out = map[string]trial.Exclude{}
	bare := bare{}
	hand := &handover{}
	defer func() { err = errors.Join(err, hand.release()) }()
	for i, name := range a.Order {
		t := a.TaskOf[name]
		open := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
			if st == nil {
				st = hand.state
			}
			return a.open(ctx, t, st, p)
		}
		x, err := a.steps(ctx, t, open)
		if worldless(ctx, err) {
			x, err = bare.add(name, err), nil
		}
		if err != nil {
			return nil, fmt.Errorf("admitting task %q: %w", name, err)
		}
		if x != nil {
			x.Task = name
			out[name] = *x
		} else if err := a.solve(ctx, t, hand); err != nil {
			return nil, fmt.Errorf("solving task %q: %w", name, err)
		}
		tell(i + 1)
	}
	return out, a.machine(ctx, "admitting", bare)
}

// steps proves one task, and tells its steps.
func (a *admission) steps(ctx context.Context, t *resolve.Task, open verify.Opening) (*trial.Exclude, error) {
	at := a.atStep(t.Name())
	defer at("")
	return t.Checks.Admit(ctx, open, t.Shortcuts, at)
}

// atStep tells which step of the proof of a task begins.
func (s *staging) atStep(task string) func(step string) {
	return func(step string) {
		if s.env.AtStep != nil {
			s.env.AtStep(task, step)
		}
	}
}

// solve stages a task on what a handover holds, runs its solution, and keeps
// what that leaves.
func (a *admission) solve(ctx context.Context, t *resolve.Task, hand *handover) error {
	st, err := a.solved(ctx, t, hand.state)
	if err != nil {
		return err
	}
	return hand.take("", st, nil)
}

func (a *admission) solved(ctx context.Context, t *resolve.Task, from sandbox.State) (st sandbox.State, err error) {
	sb, err := a.open(ctx, t, from, sandbox.Agent)
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
func (a *admission) keyOf(t *resolve.Task) (string, error) {
	files := ""
	if r := a.roots[t.Name()]; r != nil && r.copy != nil {
		var err error
		if files, err = r.copy.Files(); err != nil {
			return "", err
		}
	}
	judge, err := project.JudgeSum(a.Recipe, t.Task)
	return a.proofKey(t, files+" "+judge), err
}

// proofKey gives the key of everything that the admission of a task depends
// on: the task, what is checked of every task, the sandbox, the project, and
// what Env.Proving says of the program and its tool chain. It is "" where an
// admission must not be remembered: with a network or the whole host, tomorrow
// may differ.
func (a *admission) proofKey(t *resolve.Task, project string) string {
	spec := a.spec(t, sandbox.Agent)
	if a.env.Proofs == nil || spec.Network != sandbox.NoNetwork && spec.Network != "" ||
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
	}{a.version, a.env.Proving, task, t.Shortcuts, a.Recipe.Verify, a.Recipe.SuccessCriteria, spec, project})
	if err != nil { // plain values always encode
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// remember keeps an admission.
func (a *admission) remember(key string, x *trial.Exclude, learned []byte) {
	if key != "" && x == nil {
		a.env.Proofs.Add(key, learned)
	}
}

// known reports whether a task was admitted before, and gives its checks what
// was learned then.
func (a *admission) known(key string, t *resolve.Task) bool {
	if key == "" {
		return false
	}
	learned, is := a.env.Proofs.Known(key)
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
