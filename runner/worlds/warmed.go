package worlds

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"cookoff/runner/cores"
	"cookoff/runner/resolve"
	"cookoff/runner/warm"
	"cookoff/sandbox"
)

// warmAll fills the build caches of the tasks' worlds. Where nothing of a recipe is to
// be run, there are those that were filled before.
func (s *Staging) warmAll(ctx context.Context, tasks []string) error {
	s.warm = nil
	filled := make([]string, len(tasks)) // s.warm is read meanwhile, where worlds are described
	err := cores.Parallel(ctx, s.AtOnce, len(tasks), func(ctx context.Context, i int) error {
		t := s.TaskOf[tasks[i]]
		work, asked := s.warming(t)
		if !asked {
			return nil
		}
		dir := s.machine.Warm.Ready(work)
		if dir == "" && !s.Idle {
			var err error
			if dir, err = s.machine.Warm.Make(ctx, s.machine.preparing(), work); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if Worldless(ctx, err) {
					return nil // its admission says so, where the task has no sandbox
				}
				return fmt.Errorf("%s: warm: %w", s.placeOf(t, "warm", t.Warm), err)
			}
		}
		filled[i] = dir
		return nil
	})
	s.warm = make(map[string]string, len(tasks))
	for i, dir := range filled {
		s.warm[tasks[i]] = dir
	}
	return err
}

// warming is how the caches of a task are filled; asked is false where nothing of it
// compiles. The tasks of the program are made to do without.
func (s *Staging) warming(t *resolve.Task) (w warm.Work, asked bool) {
	command := cmp.Or(t.Warm, s.Recipe.Sandbox.Warm)
	w = warm.Work{Task: t.Name(), Setup: t.Setup, Limit: t.Limits.Setup, From: t.Start.Dir,
		Spec: s.Spec(t, sandbox.Agent), Tools: s.machine.Tools}
	switch {
	case command == "false" || s.machine.Warm.Dir == "" || w.Spec.Image != "" || w.Spec.Filesystem == sandbox.Unrestricted:
		return w, false
	case command != "" && command != "true":
		w.Commands, w.Named = []warm.Command{{Line: command}}, true
	case !strings.HasPrefix(s.Recipe.SectionSource("tasks"), "builtin:") && len(t.Services) == 0:
		var scripts []warm.Script // with services, they would wait for what does not run
		for _, c := range t.Checks.Named() {
			scripts = append(scripts, warm.Script{Text: c.Text, Limit: c.Timeout})
		}
		w.Commands = warm.Commands(scripts)
		if slices.ContainsFunc(w.Commands, func(c warm.Command) bool { return strings.Contains(c.Line, "go test") }) {
			w.Stands = warm.StandIns(s.projectOf(t), t.Checks.JudgeFiles())
		}
	}
	if root := s.roots[t.Name()]; root != nil {
		w.Sum = root.digest
	}
	return w, len(w.Commands) > 0
}

// projectOf is where the files lie that the worlds of a task start with.
func (s *Staging) projectOf(t *resolve.Task) string {
	if root := s.roots[t.Name()]; root != nil {
		return root.dir
	}
	return t.Start.Dir
}
