// Package runner builds a pinned runner of a recipe, plans its trials and runs
// the loop of each. It is the only place that emits events, and never reads
// them back.
package runner

import (
	"fmt"
	"maps"
	"slices"

	"cookoff/model"
	"cookoff/model/baseline"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner/admission"
	"cookoff/runner/budget"
	"cookoff/runner/clock"
	"cookoff/runner/closing"
	"cookoff/runner/cores"
	"cookoff/runner/loop"
	"cookoff/runner/resolve"
	"cookoff/runner/traffic"
	"cookoff/runner/worlds"
	"cookoff/trial"
)

// Asker is a trial that asks a server, or the run before its trials (Trial is
// zero).
type Asker struct {
	Server  string
	Trial   trial.Trial
	Attempt int
}

// Runner is a recipe resolved against an Env: every name is known to mean
// something. It is safe for concurrent use; but for what Stop, Compact and
// Remind ask of trials, nothing in it changes.
type Runner struct {
	worlds.Staging
	*control
	env     Env
	late    *closing.Late // sandboxes that are closed when the run is recorded; nil: none
	shared  *loop.Shared  // by the conversations of its trials
	servers servers
	budget  *budget.Budget // of the run; nil: no limit
	cores   *cores.Cores   // of trials that work at once; nil: any number
	version int
	despite *despite
}

// New resolves every name of the recipe and checks every key, tool and
// sandbox setting. All that is wrong comes back at once as problem.List;
// no model is called and nothing is run.
func New(rr recipe.Runner, env Env) (*Runner, error) {
	if rr.Version() != 1 {
		return nil, fmt.Errorf("this runner carries out version 1, not %d", rr.Version())
	}
	if env.Clock == nil {
		env.Clock = clock.Real{}
	}
	if env.Parallel < 1 {
		env.Parallel = 1
	}
	res, ps := resolve.Recipe(rr.Recipe(), env.given())
	if len(ps.Errors()) > 0 {
		return nil, ps
	}
	env.Outputs = env.outputs()
	r := &Runner{Staging: worlds.New(res, env.Machine, env.Project, env.working()), env: env, control: newControl(res),
		servers: servers{Values: res, Providers: env.Providers},
		despite: &despite{}, cores: cores.New(env.Cores), version: rr.Version()}
	r.shared = r.share()
	return r, r.limited()
}

// share gives what the conversations of all trials have in common.
func (r *Runner) share() *loop.Shared {
	s := &loop.Shared{Recipe: r.Recipe, Clock: r.env.Clock, Prices: r.env.Prices, Habits: loop.NewHabits(),
		Hooks: r.Hooks, Reminders: r.Reminders, Names: r.Triggers,
		Lines:  traffic.NewLines(r.env.Clock, r.env.ProviderWait, r.env.Slots),
		Person: loop.Person{Asked: r.control.take}}
	if f := r.env.Front; f != nil {
		s.Person.Approve, s.Person.Text = f.Approve, f.Text
	}
	return s
}

// given is what the names of recipes are looked up in.
func (e Env) given() resolve.Given {
	return resolve.Given{Chat: e.Chat, Agent: e.Agent, Repairs: e.Repairs, Prices: e.Prices, Only: e.Only, Dir: e.Dir,
		Allow: e.Allow, Offline: e.Offline, Attended: e.Front != nil}
}

// outputs are the files that the run writes for its user, in any of its parts.
func (e Env) outputs() []string {
	out := slices.Clone(e.Outputs)
	if p := e.Journal; p != nil {
		for _, name := range p.Run.Outputs {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// working is how many tasks are worked at at once, where nobody is waited for.
func (e Env) working() int {
	if e.Cores > 0 {
		return min(e.Cores, e.Parallel)
	}
	return e.Parallel
}

// Check gives every problem and warning that New would find.
func Check(r *recipe.Recipe, env Env) problem.List {
	_, ps := resolve.Recipe(r, env.given())
	return ps
}

// Tasks gives the names of the tasks in table order.
func (r *Runner) Tasks() []string { return slices.Clone(r.Order) }

// admission gives what proves the tasks that are run.
func (r *Runner) admission() admission.Admission {
	return admission.Admission{Staging: &r.Staging, Settings: r.env.Settings, Version: r.version}
}

// Lint gives what tries the tasks that are run before any model does.
func (r *Runner) Lint() admission.Lint { return admission.Lint{Admission: r.admission()} }

// Spend counts against the limit of the run what was spent beside its trials, in USD.
func (r *Runner) Spend(usd float64) { r.budget.Spend(usd) }

// limited gives the run its budget, and refuses models of which nobody could say
// in advance what a request costs at most.
func (r *Runner) limited() error {
	if r.env.MaxCost == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(r.Models)) {
		id := r.Models[name].ID
		if _, ok := budget.Cost(r.env.Prices, id, model.Usage{Known: true}); !ok {
			return fmt.Errorf("the price of %q is not known, so a limit of what the run costs can't be kept\n"+
				"  hint: [prices.%q] in cookoff.toml sets it; cookoff prices lists those that are known", id, id)
		}
		if !baseline.Is(id) && r.Models[name].Agent == nil && r.OwnOf(name).Recipe.ModelParams.MaxTokens == nil &&
			r.env.Journal == nil {
			return fmt.Errorf("nobody knows how long a reply of %q may get, so a limit of what the run costs "+
				"can't be kept\n"+
				"  hint: set max_tokens under Model Parameters in the recipe", id)
		}
	}
	var before budget.SpentBefore
	if p := r.env.Journal; p != nil {
		before = p.Budget()
	}
	r.budget = budget.New(r.env.MaxCost, r.env.Expect, before)
	return nil
}
