package runner

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"cookoff/runner/budget"
	"cookoff/runner/project"
	"cookoff/runner/resumed"
	"cookoff/trial"
)

// Left gives the trials of a plan that are still to be done: those without an
// end, those that were void for a cause that may pass, and in a sequence all of
// a model's go of which one is, since each starts with what the one before left.
func (r *Runner) Left() []trial.Trial { return slices.Concat(r.chains()...) }

// same refuses to go on with a run that was begun with something else. servers
// are compared once they have been asked.
func (r *Runner) same(servers bool) error {
	p := r.env.Journal
	if p == nil {
		return nil
	}
	now := r.describeRun(p.Run.ID, nil)
	var what []string
	differs := func(differ bool, text string) {
		if differ {
			what = append(what, text)
		}
	}
	differs(now.Version != p.Run.Version, fmt.Sprintf("it was begun by cookoff %s, and this is %s", p.Run.Version,
		now.Version))
	differs(now.Tools != p.Run.Tools && p.Run.Tools != "",
		"programs of this machine that tasks use were changed since"+resumed.Differing(p.Run.Programs, now.Programs))
	what = append(what, redefined(p.Run.Contestants, now.Contestants)...)
	planted := resumed.Replanted(p.Run.Planted, now.Planted)
	what = append(what, planted...)
	differs(now.Digest != p.Run.Digest && len(planted) == 0,
		"the recipe was changed since, or what it extends"+resumed.Changes(p.Run.Markdown, now.Markdown))
	changed, told := r.Listed.Changes(p.Run.ProjectFiles)
	differs(now.ProjectSum != p.Run.ProjectSum && (!told || len(changed) > 0),
		"the project's files were changed since"+project.Listed(changed))
	differs(servers && !maps.Equal(now.MCP, p.Run.MCP), "its MCP servers offer other tools now")
	if r.env.DespiteChanges {
		r.despite.add(what)
		what = nil
	}
	differs(!slices.Equal(now.Trials, p.Run.Trials), "it has other models, tasks or trials now")
	if len(what) == 0 {
		return nil
	}
	return &resumed.ChangedError{Run: p.Run.ID, What: what}
}

// repriced names the contestants whose model had another price when the run began, in the
// recipe's order.
func (r *Runner) repriced() (names []string) {
	if r.env.Journal == nil {
		return nil
	}
	for _, name := range r.Recipe.Names() {
		b, paid := r.env.Journal.BillOf(name)
		m, known := r.Models[name]
		if !paid || !known || slices.Contains(names, name) {
			continue
		}
		usd, priced := budget.Cost(r.env.Prices, m.ID, b.Usage)
		if !priced || math.Abs(usd-b.USD) > 1e-6*b.USD {
			names = append(names, name)
		}
	}
	return names
}

// despite is what was changed since a run began that goes on all the same.
type despite struct{ what []string }

func (d *despite) add(what []string) {
	for _, w := range what {
		if !slices.Contains(d.what, w) {
			d.what = append(d.what, w)
		}
	}
}
