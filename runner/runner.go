// Package runner builds a pinned runner of a recipe, plans its trials and runs
// the loop of each. It is the only place that emits events, and never reads
// them back.
package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"cookoff/hooks"
	"cookoff/recipe"
	"cookoff/runner/budget"
	"cookoff/runner/clock"
	"cookoff/runner/loop"
	"cookoff/runner/project"
	"cookoff/runner/reminder"
	"cookoff/runner/toolset"
	"cookoff/runner/traffic"
	"cookoff/runner/v1"
	"cookoff/sandbox"
	"cookoff/sandbox/gate"
	"cookoff/tools/mcp"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
	"cookoff/trial"
	"cookoff/verify"
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
	control *control
	shared  *loop.Shared // by the conversations of its trials

	servers []mcp.Server
	lists   map[string]*mcp.List // what the servers of this run offer, by name

	env       Env
	recipe    *recipe.Recipe
	version   int
	models    map[string]contestant
	tasks     map[string]*task
	order     []string // task names in recipe order
	hooks     []hooks.Named
	reminders []reminder.Reminder
	triggers  map[string]any  // what triggers may name; never changed
	budget    *budget.Budget  // of the run; nil: no limit
	project   string          // host directory whose content trials start with; "" : empty
	root      string          // where it lies, relative to env.Dir
	digest    string          // of its files, once they are copied
	files     project.Counted // those that make the comparison what it is
	despite   *despite
}

// task is a task of the recipe, its checks compiled.
type task struct {
	recipe.Task
	checks    *verify.Case
	repairs   []*repair.Repair  // offered as tools
	probes    []*probe.Probe    // offered as tools
	shortcuts []verify.Shortcut // wrong repairs that admission must reject
	fix       bool              // it is a repair's: its solution must be fit to be run twice
}

func (t *task) offer(r *recipe.Recipe) toolset.Offer {
	return toolset.Offer{Recipe: r, Task: t.Tools, Repairs: t.repairs, Probes: t.probes}
}

// New resolves every name of the recipe and checks every key, tool and
// sandbox setting. All that is wrong comes back at once as recipe.Problems;
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
	r := &Runner{despite: &despite{}, control: newControl(), env: env, recipe: rr.Recipe(), version: rr.Version(), models: map[string]contestant{}, tasks: map[string]*task{}}
	c := checker{recipe: r.recipe, env: env, runner: r}
	if ps := c.check(); len(ps.Errors()) > 0 {
		return nil, ps
	}
	r.shared = r.share()
	return r, r.limited()
}

// share gives what the conversations of all trials have in common.
func (r *Runner) share() *loop.Shared {
	s := &loop.Shared{Recipe: r.recipe, Clock: r.env.Clock, Prices: r.env.Prices, Habits: loop.NewHabits(), Hooks: r.hooks, Reminders: r.reminders, Names: r.triggers,
		Lines: traffic.NewLines(r.env.Clock, r.env.ProviderWait, r.env.Slots), Person: loop.Person{Asked: r.control.take}}
	if f := r.env.Front; f != nil {
		s.Person.Approve, s.Person.Text = f.Approve, f.Text
	}
	return s
}

// Check gives every problem and warning that New would find.
func Check(r *recipe.Recipe, env Env) recipe.Problems {
	c := checker{recipe: r, env: env, runner: &Runner{env: env, recipe: r, models: map[string]contestant{}, tasks: map[string]*task{}}}
	return c.check()
}

// Plan gives the trials in the order they start: repeat, then task, then
// model, so that drift of a provider or the machine hits all models alike.
// Where tasks build on each other, a model's tasks stand together.
func (r *Runner) Plan() []trial.Trial {
	var out []trial.Trial
	add := func(model, task string, n int) {
		out = append(out, trial.Trial{ID: fmt.Sprintf("t%03d", len(out)+1), Model: model, Task: task, N: n})
	}
	for n := 1; n <= max(r.recipe.Comparison.Trials, 1); n++ {
		if r.sequential() {
			for _, m := range r.recipe.Models {
				for _, t := range r.order {
					add(m, t, n)
				}
			}
			continue
		}
		for _, t := range r.order {
			for _, m := range r.recipe.Models {
				add(m, t, n)
			}
		}
	}
	return out
}

// Tasks gives the names of the tasks in table order.
func (r *Runner) Tasks() []string { return slices.Clone(r.order) }

// baseline is the model that the others are compared with.
func (r *Runner) baseline() string {
	if b := r.recipe.Comparison.Baseline; b != "" || len(r.recipe.Models) == 0 {
		return b
	}
	return r.recipe.Models[0]
}

// open makes a sandbox of a task: its clean start, or, copy-on-write, the files
// that another left.
func (r *Runner) open(ctx context.Context, t *task, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
	return r.openWith(ctx, r.spec(t, p), st, r.gate())
}

// opening opens worlds for the judge of a trial that began with from.
func (r *Runner) opening(t *task, from sandbox.State) verify.Opening {
	return func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		if st == nil {
			st = from
		}
		return r.open(ctx, t, st, p)
	}
}

// draw decides all that is drawn by chance where a trial is judged: the same for
// each attempt, and when it is judged again.
func (r *Runner) draw(t trial.Trial) string {
	return fmt.Sprintf("%d %s %s %s %d", cmp.Or(r.recipe.Comparison.Seed, 1), t.ID, t.Model, t.Task, t.N)
}

// openWith opens a sandbox whose way out, where the recipe allows one, is g.
func (r *Runner) openWith(ctx context.Context, spec sandbox.Spec, st sandbox.State, g *gate.Gate) (sandbox.Sandbox, error) {
	if spec.Network == sandbox.AllowedNetwork {
		spec.Gate = g
	}
	if st != nil {
		spec.Project, spec.State = "", st
	}
	return r.env.Backend.Open(ctx, spec)
}

// spec describes the sandbox of a task.
func (r *Runner) spec(t *task, p sandbox.Profile) sandbox.Spec {
	s := r.recipe.Sandbox
	spec := sandbox.Spec{
		Filesystem: sandbox.Filesystem(s.Filesystem),
		Network:    sandbox.Network(s.Network),
		Project:    r.project,
		Hidden:     project.HiddenGlobs(t.Hidden),
		Profile:    p,
		Path:       t.Path,
		ToolPaths:  r.env.ToolPaths,
		Env:        project.Environment(s.Env, t.Env),
		Image:      cmp.Or(t.Image, s.Image),
		Limits: sandbox.Limits{
			Processes: s.Processes, Memory: s.Memory, Disk: s.Disk, FileSize: s.FileSize,
			Call: cmp.Or(r.recipe.Constraints.BashTimeout, v1.BashTimeout),
		},
	}
	if spec.Filesystem == sandbox.Unrestricted {
		spec.Concealed = r.concealed()
	}
	if p == sandbox.Verify {
		spec.Network = sandbox.NoNetwork
		if t.VerifyEnv == "agent" {
			spec.Profile = sandbox.Agent
		}
	}
	return spec
}

// concealed is what not even a world with the whole host shows: the project's
// place, with the answers and the record of runs, and the files of the recipe.
func (r *Runner) concealed() []string {
	return slices.Concat([]string{r.env.Dir}, r.recipe.LocalFiles(), project.JudgeDirs(r.recipe), r.env.Hidden, r.env.Concealed)
}
