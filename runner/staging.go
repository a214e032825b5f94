package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"cookoff/runner/project"
	"cookoff/sandbox"
)

// staging is what is done with tasks before any model has a part in them: the project
// is copied, worlds are set up, checks are tried.
type staging struct {
	worlds
	idle   bool            // nothing of a recipe is run
	digest string          // of the project's files, once they are copied
	files  project.Counted // those that make the comparison what it is
}

// snapshot gives the staging of copies of what the tasks start with, all that are run
// or those named. done removes the copies.
func (s *staging) snapshot(ctx context.Context, tasks ...string) (at staging, done func(), err error) {
	at = *s
	if tasks == nil {
		tasks = s.Order
	}
	if err := s.refuseGiven(); err != nil {
		return at, nil, err
	}
	if at.roots, done, err = s.gather(ctx, tasks); err != nil {
		return at, nil, err
	}
	err = at.look(tasks)
	if err == nil {
		err = at.unpack(ctx, tasks)
	}
	if err == nil {
		err = at.prepareAll(ctx, tasks, at.idle)
	}
	if err == nil {
		err = at.warmAll(ctx, tasks)
	}
	if err != nil {
		done()
		return at, nil, err
	}
	return at, done, nil
}

// unpack opens what the worlds of tasks have for their roots.
func (s *staging) unpack(ctx context.Context, tasks []string) error {
	s.made = map[string]sandbox.Root{}
	for _, name := range tasks {
		root, err := project.Root(ctx, s.Recipe, s.TaskOf[name].Task)
		if err != nil {
			return err
		}
		s.made[name] = root
	}
	return nil
}

// look takes in what was copied.
func (s *staging) look(tasks []string) (err error) {
	if err := s.lay(tasks); err != nil {
		return err
	}
	for _, r := range s.roots.each(tasks) {
		if s.env.Copied == nil || r.copy == nil {
			continue
		}
		what, err := r.copy.Copied()
		if err != nil {
			return err
		}
		s.env.Copied(what)
	}
	s.digest = s.roots.sum()
	s.files, err = s.roots.counted(tasks)
	return err
}

// lay gives every task's judge the files that only it sees. All that is wrong with
// them is said at once.
func (s *staging) lay(tasks []string) error {
	var errs []error
	for _, name := range tasks {
		t := s.TaskOf[name]
		items, err := project.JudgeOnlyFiles(s.roots[name].dir, s.Recipe, t.Task)
		errs = append(errs, err)
		t.Checks.SetJudgeFiles(items)
	}
	return errors.Join(errs...)
}

// outputs are the files that the run writes for its user, in any of its parts.
func (s *staging) outputs() []string {
	out := slices.Clone(s.env.Outputs)
	if p := s.env.Past; p != nil {
		for _, name := range p.Run.Outputs {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// Stage gives a world of a task as a model would meet it: the project's copy,
// and what the setup made of it. done removes what it rests on, once the
// sandbox is closed. A setup that fails is an error, and so is a before that
// does not hold.
func (s *staging) Stage(ctx context.Context, name string) (sb sandbox.Sandbox, done func(), err error) {
	t, known := s.TaskOf[name]
	if !known {
		return nil, nil, fmt.Errorf("no task %q", name)
	}
	at, done, err := s.snapshot(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	sb, err = at.open(ctx, t, nil, sandbox.Agent)
	if err == nil {
		if _, err = t.Checks.Stage(ctx, sb); err != nil {
			err = errors.Join(err, sb.Close())
		}
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return sb, done, nil
}

// working is how many tasks are worked at at once, where nobody is waited for.
func (s *staging) working() int {
	if s.env.Cores > 0 {
		return min(s.env.Cores, s.env.Parallel)
	}
	return s.env.Parallel
}

// parallel calls f for 0..n-1, so many at once, in order of start. The
// first error ends it: no further call starts, and those under way are
// cancelled.
func parallel(ctx context.Context, atOnce, n int, f func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(atOnce, n) {
		wg.Go(func() {
			for i := range next {
				if err := f(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case <-ctx.Done():
		case next <- i:
			continue
		}
		break
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}
