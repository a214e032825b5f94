package losing

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cookoff/contestant"
	"cookoff/recipe"
	"cookoff/runner/cores"
	"cookoff/runner/resolve"
	"cookoff/runner/worlds"
	"cookoff/trial"
	"cookoff/verify"
)

// Failed is a trial of an earlier run that failed.
type Failed struct {
	Trial   trial.Trial
	Outcome trial.Outcome
	Events  []trial.Event // of its last attempt, in order
}

// FindAll looks for the losing move of each trial, by its own calls and the solutions
// that the recipe has now, in worlds over the project as it is now. The findings come
// in the order of the list, nil where nobody got to. tell, when not nil, is told how far it is. An error is
// ctx's, or the sandbox's.
func FindAll(ctx context.Context, s *worlds.Staging, atOnce int, list []Failed,
	tell func(done, of int)) ([]*trial.Loss, error) {
	at, done, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	looked := &whys{Worlds: &at.Worlds, list: list, out: make([]*trial.Loss, len(list)), tell: tell}
	byTask := map[string][]int{}
	var names []string
	for i, f := range list {
		if !slices.Contains(names, f.Trial.Task) {
			names = append(names, f.Trial.Task)
		}
		byTask[f.Trial.Task] = append(byTask[f.Trial.Task], i)
	}
	err = cores.Parallel(ctx, max(atOnce, 1), len(names), func(ctx context.Context, i int) error {
		return looked.task(ctx, names[i], byTask[names[i]])
	})
	return looked.out, err
}

// whys are the findings on trials, as they come.
type whys struct {
	*worlds.Worlds
	list []Failed
	tell func(done, of int)

	mu   sync.Mutex
	done int
	out  []*trial.Loss
}

func (w *whys) found(i int, f trial.Loss) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out[i] = &f
	if w.done++; w.tell != nil {
		w.tell(w.done, len(w.list))
	}
}

// task looks at the trials of one task, once it is shown that it is still mended by
// its solution.
func (w *whys) task(ctx context.Context, name string, trials []int) error {
	t, open, unfit, err := w.fit(ctx, name)
	if err != nil {
		return err
	}
	for _, i := range trials {
		f := trial.Loss{Unknown: unfit}
		own := w.OwnOf(w.list[i].Trial.Model)
		if f.Unknown == "" {
			f.Unknown = w.unlike(w.list[i].Trial.Model)
		}
		if f.Unknown == "" {
			f, err = find(ctx, Task{Task: own.Task(t), Recipe: own.Recipe, Open: open, Files: own.Files},
				w.list[i].Events, w.list[i].Outcome)
			if err != nil {
				return fmt.Errorf("looking at trial %s: %w", w.list[i].Trial.ID, err)
			}
		}
		w.found(i, f)
	}
	return nil
}

// unlike says why the calls of a contestant can't be made again; "": they can.
func (w *whys) unlike(name string) string {
	behind := name
	if i := slices.IndexFunc(w.Recipe.AllContestants(), func(c recipe.ContestantConfig) bool {
		return c.Name == name
	}); i >= 0 {
		behind = w.Recipe.AllContestants()[i].Behind()
	}
	if agent, _ := contestant.Split(behind); agent != "" {
		return "its calls are of tools of " + agent + ", which can't be made again here"
	}
	if !strings.Contains(behind, "/") {
		return fmt.Sprintf("the recipe has no contestant %q any more", name)
	}
	return ""
}

// fit gives a task and worlds of it, or says why its trials can't be looked at.
func (w *whys) fit(ctx context.Context, name string) (t *resolve.Task, open verify.Opening, unfit string, err error) {
	t = w.TaskOf[name]
	switch {
	case t == nil:
		return nil, nil, "the recipe has no such task any more", nil
	case w.Sequential():
		return nil, nil, "tasks of this recipe build on each other: a trial can't be repeated alone", nil
	case len(t.Checks.Solutions) == 0:
		return nil, nil, "the task has no solution that could be tried after each move", nil
	}
	open = w.Opening(t, nil)
	x, err := t.Checks.Admit(ctx, open, nil)
	if x != nil {
		unfit = fmt.Sprintf("the task is not fit to be run any more: %s: %s", x.Phase, x.Why)
	}
	return t, open, unfit, err
}
