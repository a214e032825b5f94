package worlds

import (
	"context"
	"errors"
	"fmt"

	"cookoff/runner/project"
	"cookoff/runner/resolve"
	"cookoff/sandbox"
)

// Staging is what is done with tasks before any model has a part in them: the project
// is copied, worlds are set up, checks are tried.
type Staging struct {
	Worlds
	AtOnce int             // how many tasks are worked at at once, where nobody is waited for
	Idle   bool            // nothing of a recipe is run
	Digest string          // of the project's files, once they are copied
	Listed project.Counted // those that make the comparison what it is
}

// newStaging gives the staging of a recipe's tasks.
func New(v *resolve.Values, m Machine, p Project, atOnce int) Staging {
	return Staging{Worlds: Worlds{Values: v, machine: m, project: p}, AtOnce: atOnce}
}

// On gives the staging in whose worlds another machine is.
func (s Staging) On(b sandbox.Backend) Staging {
	s.machine.Backend = b
	return s
}

// Snapshot gives the staging of copies of what the tasks start with, all that are run
// or those named. done removes the copies.
func (s *Staging) Snapshot(ctx context.Context, tasks ...string) (at Staging, done func(), err error) {
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
		err = at.prepareAll(ctx, tasks, at.Idle)
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
func (s *Staging) unpack(ctx context.Context, tasks []string) error {
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
func (s *Staging) look(tasks []string) (err error) {
	if err := s.lay(tasks); err != nil {
		return err
	}
	for _, r := range s.roots.each(tasks) {
		if s.project.Copied == nil || r.copy == nil {
			continue
		}
		what, err := r.copy.Copied()
		if err != nil {
			return err
		}
		s.project.Copied(what)
	}
	s.Digest = s.roots.sum()
	s.Listed, err = s.roots.counted(tasks)
	return err
}

// lay gives every task's judge the files that only it sees. All that is wrong with
// them is said at once.
func (s *Staging) lay(tasks []string) error {
	var errs []error
	for _, name := range tasks {
		t := s.TaskOf[name]
		items, err := project.JudgeOnlyFiles(s.roots[name].dir, s.Recipe, t.Task)
		errs = append(errs, err)
		t.Checks.SetJudgeFiles(items)
	}
	return errors.Join(errs...)
}

// refuseGiven refuses to give a contestant the value of a key.
func (s *Staging) refuseGiven() error {
	var errs []error
	for _, c := range s.Recipe.Contestants {
		own := s.OwnOf(c.Name)
		errs = append(errs, project.RefuseKeys(c.Name, own.Files, s.project.Secrets))
	}
	return errors.Join(errs...)
}

// Stage gives a world of a task as a model would meet it: the project's copy,
// and what the setup made of it. done removes what it rests on, once the
// sandbox is closed. A setup that fails is an error, and so is a before that
// does not hold.
func (s *Staging) Stage(ctx context.Context, name string) (sb sandbox.Sandbox, done func(), err error) {
	t, known := s.TaskOf[name]
	if !known {
		return nil, nil, fmt.Errorf("no task %q", name)
	}
	at, done, err := s.Snapshot(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	sb, err = at.Open(ctx, t, nil, sandbox.Agent)
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
