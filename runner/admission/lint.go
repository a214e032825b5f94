package admission

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner/cores"
	"cookoff/runner/resolve"
	"cookoff/runner/worlds"
	"cookoff/verify"
	"cookoff/verify/cheat"
	"cookoff/verify/lint"
)

// Lint tries tasks before any model does. Its errors are ctx's, or the sandbox's.
type Lint struct{ Admission }

// Mutate tries the checks of every task that is run on states that
// are wrong in known ways, without a model, and gives what it found of each:
// checks that never decide, work that no check misses. tell, when not nil, is
// told how far it is.
func (l Lint) Mutate(ctx context.Context, tell func(done, of int)) (problem.List, error) {
	return l.try(ctx, tell, func(ctx context.Context, t *resolve.Task, open verify.Opening) ([]lint.Finding, error) {
		return cheat.Mutate(ctx, t.Checks, open, t.Shortcuts)
	})
}

// Lacking gives what the checks of tasks need and their sandboxes do not have,
// by looking: no command of a task is run. What is still to be prepared may get it.
func (l Lint) Lacking(ctx context.Context) (problem.List, error) {
	looking := *l.Staging
	looking.Idle = true
	l.Staging = &looking
	return l.tryIn(ctx, nil, func(ctx context.Context, at *worlds.Staging, t *resolve.Task,
		open verify.Opening) ([]lint.Finding, error) {
		if at.Unprepared(t) {
			return nil, nil
		}
		return t.Checks.Lacking(ctx, open)
	})
}

// Prove proves the tasks as a run does before its first trial, and gives why
// those that are not fit to be run are not. Nothing that was proven earlier is
// believed; what is proven now, the next run believes.
func (l Lint) Prove(ctx context.Context) (problem.List, error) {
	return l.tryIn(ctx, nil, func(ctx context.Context, at *worlds.Staging, t *resolve.Task,
		open verify.Opening) ([]lint.Finding, error) {
		a := l.Admission
		a.Staging = at
		x, err := a.steps(ctx, t, open)
		if err != nil {
			return nil, err
		}
		if x == nil {
			if !at.Sequential() { // where the others lead is proven in their order
				key, err := a.keyOf(t)
				if err != nil {
					return nil, err
				}
				a.remember(key, nil, t.Checks.Learned())
			}
			return nil, nil
		}
		return []lint.Finding{{Key: x.Phase, Msg: x.Why}}, nil
	})
}

// try does something with every task that is run, in sandboxes over
// the project as it is now, and gives what was found: of a task that has no sandbox
// here, that.
func (l Lint) try(ctx context.Context, tell func(done, of int),
	do func(context.Context, *resolve.Task, verify.Opening) ([]lint.Finding, error)) (problem.List, error) {
	return l.tryIn(ctx, tell, func(ctx context.Context, _ *worlds.Staging, t *resolve.Task,
		open verify.Opening) ([]lint.Finding, error) {
		return do(ctx, t, open)
	})
}

// tryIn is try, and tells over what copy of the project.
func (l Lint) tryIn(ctx context.Context, tell func(done, of int),
	do func(context.Context, *worlds.Staging, *resolve.Task,
		verify.Opening) ([]lint.Finding, error)) (problem.List, error) {
	at, done, err := l.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	var mu sync.Mutex
	var all problem.List
	bare := worldless{}
	n := 0
	err = cores.Parallel(ctx, at.AtOnce, len(at.Order), func(ctx context.Context, i int) error {
		t := at.TaskOf[at.Order[i]]
		open := at.Opening(t, nil)
		found, err := do(ctx, &at, t, open)
		if err != nil && !worlds.Worldless(ctx, err) {
			return fmt.Errorf("trying task %q: %w", at.Order[i], err)
		}
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			x := bare.add(at.Order[i], err)
			found = []lint.Finding{{Key: x.Phase, Msg: x.Why, Warning: at.Idle}}
		}
		all = append(all, problems(&at, at.Order[i], found)...)
		if n++; tell != nil {
			tell(n, len(at.Order))
		}
		return nil
	})
	if err == nil {
		err = bare.machine(ctx, &at.Worlds, "trying")
	}
	all.Sort()
	return all, err
}

// problems gives findings of a task their positions.
func problems(s *worlds.Staging, name string, found []lint.Finding) problem.List {
	key := "tasks"
	if i := slices.IndexFunc(s.Recipe.Tasks, func(t recipe.Task) bool { return t.Name() == name }); i >= 0 {
		key = fmt.Sprintf("tasks[%d]", i)
	}
	var out problem.List
	for _, f := range found {
		said := f.Key + ": " + f.Msg
		out = append(out, problem.Problem{Pos: s.Recipe.At(key + "." + f.Key), InTask: said,
			Msg: fmt.Sprintf("task %q: %s", name, said), Hint: f.Hint, Warning: f.Warning})
	}
	return out
}
