package run

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/choice"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/reports"
	"cookoff/recipe"
	"cookoff/report"
	"cookoff/trial"
)

// narrowing are the flags of "run" that leave some of a recipe's tasks and models.
type narrowing struct {
	tags   choice.Globs
	models string
	failed string // a run; "": all
}

func (n *narrowing) flags(cmd *cobra.Command, d *door.Door) {
	fl := cmd.Flags()
	fl.StringArrayVar((*[]string)(&n.tags), "tag", nil, "run only the tasks that have a tag that matches `GLOB`; "+
		"repeatable, one is enough")
	fl.StringVar(&n.models, "model-glob", "",
		"compare only those models and contestants of the recipe that match `GLOB`, as 'openai/*'")
	fl.StringVar(&n.failed, "failed", "",
		"run only the tasks that a model did not fix in the run `RUN`, given as --failed=RUN (--failed "+
			"alone: the latest)")
	fl.Lookup("failed").NoOptDefVal = "latest"
	_ = cmd.RegisterFlagCompletionFunc("failed", reports.CompleteRuns(d.Common)) // fails only for an unknown flag
}

// check refuses globs that are none.
func (n *narrowing) check() error {
	return errors.Join(n.tags.Check("tag"), choice.Globs{n.models}.Check("model-glob"))
}

// ofModels gives those of models that are left.
func (n *narrowing) ofModels(models []string) ([]string, error) {
	left := slices.DeleteFunc(slices.Clone(models), func(m string) bool { return !choice.Globs{n.models}.Fit(m) })
	if len(left) == 0 {
		return nil, cli.Usage("--model-glob %q matches no model\n  hint: models are %s", n.models,
			strings.Join(models, ", "))
	}
	return left, nil
}

// ofTasks gives those of the tasks that --tag leaves, nil where it is not given.
func (n *narrowing) ofTasks(tasks []recipe.Task) ([]string, error) { return n.tags.Tagged(tasks) }

// narrow leaves of a recipe what the flags say: f names the models and tasks.
func (f runFlags) narrow(d *door.Door, r *recipe.Recipe) (runFlags, error) {
	if len(f.contestants) > 0 {
		if len(f.models) > 0 {
			return f, cli.Usage("--contestants and --models don't go together: --models takes names of " +
				"contestants as well")
		}
		for _, name := range f.contestants {
			if !slices.Contains(r.Names(), name) {
				return f, cli.Usage("--contestants: the recipe has no %q; it has %s", name,
					strings.Join(r.Names(), ", "))
			}
		}
		f.models = f.contestants
	}
	if f.narrowing.models != "" {
		models := f.models
		if len(models) == 0 {
			models = r.Names()
		}
		var err error
		if f.models, err = f.ofModels(models); err != nil {
			return f, err
		}
	}
	tagged, err := f.ofTasks(choice.Standing(r))
	if err != nil {
		return f, err
	}
	f.tasks = both(f.tasks, tagged)
	if f.failed == "" {
		return f, nil
	}
	read, err := reports.Read(d.Common, []string{f.failed}, reports.Reading{})
	if err != nil {
		return f, err
	}
	unfixed := unfixed(read.Report)
	if unfixed == nil {
		return f, cli.Usage("--failed: in %s nothing failed and nothing is left to be done", read.Run.ID)
	}
	f.tasks = both(f.tasks, unfixed)
	if len(f.tasks) == 0 {
		return f, cli.Usage("--failed: what failed in %s has no such tag: %s", read.Run.ID, strings.Join(unfixed, "; "))
	}
	return f, nil
}

// both gives what is in both lists; nil stands for everything.
func both(a, b []string) []string {
	if a == nil || b == nil {
		return append(a, b...)
	}
	out := []string{}
	for _, s := range a {
		if slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// unfixed gives the tasks of a run that a model did not fix, or did not get to.
// Baselines count only where nothing else was compared: one of them never fixes
// anything.
func unfixed(r *report.Report) []string {
	ours := func(m string) bool { return !strings.HasPrefix(r.Run.Behind(m), "baseline/") }
	if !slices.ContainsFunc(r.Run.Models, ours) {
		ours = func(string) bool { return true }
	}
	var out []string
	for _, name := range r.Tasks {
		if slices.ContainsFunc(slices.Concat(r.Trials, r.Pending), func(t report.Trial) bool {
			return t.Task == name && ours(t.Model) && t.Outcome.Status != trial.Pass
		}) {
			out = append(out, name)
		}
	}
	return out
}
