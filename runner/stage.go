package runner

import (
	"context"
	"errors"
	"fmt"

	"cookoff/sandbox"
)

// Stage gives a world of a task as a model would meet it: the project's copy,
// and what the setup made of it. done removes what it rests on, once the
// sandbox is closed. A setup that fails is an error, and so is a before that
// does not hold.
func (r *Runner) Stage(ctx context.Context, name string) (sb sandbox.Sandbox, done func(), err error) {
	t, known := r.tasks[name]
	if !known {
		return nil, nil, fmt.Errorf("no task %q", name)
	}
	at, done, err := r.snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	sb, err = at.open(ctx, t, nil, sandbox.Agent)
	if err == nil {
		if _, err = t.checks.Stage(ctx, sb); err != nil {
			err = errors.Join(err, sb.Close())
		}
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return sb, done, nil
}
