// Package resolve gives the names of a recipe their values: models, tasks with their
// checks, tools, hooks, reminders and servers. It opens no sandbox and asks no model.
package resolve

import (
	"cmp"
	"fmt"

	"cookoff/contestant/agents"
	"cookoff/hooks"
	"cookoff/model"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner/reminder"
	"cookoff/runner/toolset"
	"cookoff/tools/mcp"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/services"
)

// Given is what names are looked up in.
type Given struct {
	Chat     func(id string) (model.Chat, error)         // of every model but baselines, once each
	Agent    func(name string) (agents.Installed, error) // nil: there are none
	Repairs  *repair.Library                             // nil: none
	Prices   *model.Prices                               // nil: every cost is unknown
	Only     func(task string) bool                      // which tasks are run; nil: all
	Dir      string                                      // the working directory
	Allow    []string                                    // permissions of the user
	Offline  bool                                        // servers are answered for: they need no permission
	Attended bool                                        // a person is before a screen
}

// Values are what the names of a recipe mean. Nothing in them is changed.
type Values struct {
	Recipe    *recipe.Recipe
	Models    map[string]contestant
	TaskOf    map[string]*Task // by name, those that are not run too
	Order     []string         // names of the tasks that are run, in recipe order
	Hooks     []hooks.Named
	Reminders []reminder.Reminder
	Triggers  map[string]any      // what triggers may name
	Servers   []mcp.Server        // of all contestants
	Own       map[string]*Own     // what is each contestant's own, also of those that were not chosen
	Dir       string              // on the host: what trials start with; "": nothing
	Without   map[string][]string // parts of the recipe that do not hold for a contestant, which is an agent
	Root      string              // where it lies, relative to the working directory
	base      *Own
}

// Recipe resolves a recipe, what its tasks vary drawn from its seed. All that is wrong
// with it comes back at once; where it
// holds errors, the values are not whole.
func Recipe(r *recipe.Recipe, given Given) (*Values, problem.List) {
	r = r.Drawn()
	c := checker{report: report{recipe: r}, given: given,
		out: &Values{Recipe: r, Models: map[string]contestant{}, TaskOf: map[string]*Task{},
			Without: map[string][]string{}}}
	return c.out, c.check()
}

// Sequential reports whether a model's tasks build on each other.
func (v *Values) Sequential() bool { return v.Recipe.Context.TaskMode == "sequential" }

// Draw decides all that is drawn by chance where a trial is judged: the same for
// each attempt, and when it is judged again.
func (v *Values) Draw(t trial.Trial) string {
	return fmt.Sprintf("%d %s %s %s %d", cmp.Or(v.Recipe.Comparison.Seed, 1), t.ID, t.Model, t.Task, t.N)
}

// Baseline is the model that the others are compared with.
func (v *Values) Baseline() string {
	names := v.Recipe.Names()
	if b := v.Recipe.Comparison.Baseline; b != "" || len(names) == 0 {
		return b
	}
	return names[0]
}

// OwnOf gives what is a contestant's own.
func (v *Values) OwnOf(name string) *Own { return cmp.Or(v.Own[name], v.base) }

// Task is a task of the recipe, its checks compiled.
type Task struct {
	recipe.Task
	Checks    *verify.Case
	Repairs   []*repair.Repair  // offered as tools
	Probes    []*probe.Probe    // offered as tools
	Shortcuts []verify.Shortcut // wrong repairs that admission must reject
	Start     Start             // what its worlds start with
	fix       bool              // it is a repair's: its solution must be fit to be run twice
	without   []string          // tools of servers that are not offered, as server.tool or server.*
}

// Told is what a contestant is told: the prompt, and what services there are.
func (t *Task) Told() string { return t.Prompt + services.Told(t.Services) }

// Offer says which tools, repairs and probes a contestant has at this task.
func (t *Task) Offer(r *recipe.Recipe) toolset.Offer {
	return toolset.Offer{Recipe: r, Task: t.Tools, Repairs: t.Repairs, Probes: t.Probes, Without: t.without}
}

// Plan gives the trials in the order they start: repeat, then task, then
// model, so that drift of a provider or the machine hits all models alike.
// Where tasks build on each other, a model's tasks stand together.
func (v *Values) Plan() []trial.Trial {
	var out []trial.Trial
	add := func(model, task string, n int) {
		out = append(out, trial.Trial{ID: fmt.Sprintf("t%03d", len(out)+1), Model: model, Task: task, N: n})
	}
	names := v.Recipe.Names()
	for n := 1; n <= max(v.Recipe.Comparison.Trials, 1); n++ {
		if v.Sequential() {
			for _, m := range names {
				for _, t := range v.Order {
					add(m, t, n)
				}
			}
			continue
		}
		for _, t := range v.Order {
			for _, m := range names {
				add(m, t, n)
			}
		}
	}
	return out
}
