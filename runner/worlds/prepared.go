package worlds

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"cookoff/internal/hint"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner/prepare"
	"cookoff/runner/resolve"
	"cookoff/sandbox"
)

// prepareAll has what each of the tasks needs prepared, each thing once. only gives
// what there is already, and makes nothing.
func (s *Staging) prepareAll(ctx context.Context, tasks []string, only bool) error {
	s.prepared = map[string]string{}
	for _, name := range tasks {
		t := s.TaskOf[name]
		work, asked := s.preparing(t)
		if !asked {
			continue
		}
		dir, err := s.machine.Prepare.Ready(work)
		if err == nil && dir == "" && !only {
			dir, err = s.machine.Prepare.Make(ctx, s.machine.preparing(), work)
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			msg, next := hint.Of(err)
			if next != "" {
				next = "\n  hint: " + next
			}
			return fmt.Errorf("%s: prepare: %s%s", s.placeOf(t, "prepare", t.Prepare), msg, next)
		}
		s.prepared[name] = dir
	}
	return nil
}

// preparing is what is to be prepared for a task; asked is false where that is nothing.
func (s *Staging) preparing(t *resolve.Task) (w prepare.Work, asked bool) {
	command := cmp.Or(t.Prepare, s.Recipe.Sandbox.Prepare)
	root := s.roots[t.Name()]
	if command == "" || command == "none" || root == nil {
		return w, false
	}
	return prepare.Work{Command: command, Timeout: s.Recipe.Sandbox.PrepareTimeout, Project: root.dir,
		From: t.Start.Dir, Sum: func() (string, error) { return root.digest, nil },
		Spec: s.Spec(t, sandbox.Agent), Tools: s.machine.Tools}, true
}

// Unprepared reports whether something is still to be prepared for a task.
func (s *Staging) Unprepared(t *resolve.Task) bool {
	_, asked := s.preparing(t)
	return asked && s.prepared[t.Name()] == ""
}

// placeOf is where a key of a task stands, or where its own value is "" that of the
// section Sandbox.
func (s *Staging) placeOf(t *resolve.Task, key, own string) problem.Pos {
	i := slices.IndexFunc(s.Recipe.Tasks, func(o recipe.Task) bool { return o.Name() == t.Name() })
	if i >= 0 && own != "" {
		return s.Recipe.Place(fmt.Sprintf("tasks[%d].%s", i, key))
	}
	return s.Recipe.Place("sandbox." + key)
}
