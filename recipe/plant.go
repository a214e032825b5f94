package recipe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cookoff/recipe/builtin"
	"cookoff/recipe/dialect"
)

// Bounds of what a task plants.
const (
	mostVariants = 200
	mostFaults   = 20
)

// plantKeys are the keys of a task that stands for tasks of planted faults.
func plantKeys(t *Task) []dialect.Key {
	return []dialect.Key{
		dialect.TextKey("plant", &t.Plant),
		dialect.IntKey("variants", &t.Variants, 1),
		dialect.IntKey("seed", &t.Seed, 1),
		dialect.IntKey("faults", &t.Faults, 1),
		dialect.ListKey("below", &t.Below),
	}
}

// planting checks a task that stands for tasks of planted faults, or that has keys of
// one without being one.
func (p *taskReader) planting(t *Task, off int) {
	if t.Plant == "" {
		if t.Variants != 0 || t.Seed != 0 || t.Faults != 0 || t.Below != nil {
			p.Problem(off, "plant: COMMAND names the command that tests the project; "+
				"a task that varies takes its seed from ## Comparison",
				"task %q has variants, seed, faults or below, and plants nothing", t.Title)
		}
		return
	}
	if t.Variants > mostVariants || t.Faults > mostFaults {
		p.Problem(off, "", "task %q: at most %d variants, of at most %d faults each", t.Title, mostVariants, mostFaults)
	}
	if t.Title == "" {
		p.Problem(off, "write it as a block, \"### A fault in the parser\"", "tasks of planted faults have no title")
	}
	p.plantingIn(t, off)
	own := *t
	own.Plant, own.Variants, own.Seed, own.Faults, own.Below = "", 0, 0, 0, nil
	free := Task{Title: t.Title, Prompt: t.Prompt, Path: t.Path, Env: t.Env, Timeout: t.Timeout, MaxSteps: t.MaxSteps,
		Tools: t.Tools, Tags: t.Tags, Network: t.Network, Memory: t.Memory, Disk: t.Disk, Needs: t.Needs}
	if !reflect.DeepEqual(own, free) {
		p.Problem(off, "beside plant, variants, seed, faults and below it has a prompt, path, env, timeout, "+
			"max_steps, tools, tags, network, memory, disk and needs",
			"task %q stands for tasks of planted faults: its fences, and what may change, are made", t.Title)
	}
}

// PlantedIn names the built-in recipe in the worlds of whose tasks a task has faults planted;
// "": it has them planted in the project.
func (t *Task) PlantedIn() string {
	if strings.HasPrefix(t.Plant, builtin.Prefix) {
		return t.Plant
	}
	return ""
}

// plantingIn checks a task whose faults are planted in the worlds of a built-in recipe.
func (p *taskReader) plantingIn(t *Task, off int) {
	in := t.PlantedIn()
	if in == "" {
		return
	}
	if !slices.Contains(builtin.Names(), strings.TrimPrefix(in, builtin.Prefix)) {
		p.Problem(off, "there are "+builtin.Prefix+strings.Join(builtin.Names(), ", "+builtin.Prefix),
			"task %q: plant: no recipe %q comes with the program", t.Title, in)
	}
	if t.Faults > 1 || t.Below != nil {
		p.Problem(off, "each fault is tried in a world of its own, in any of its programs",
			"task %q: faults, and below, are of the project, and it plants in the worlds of %s", t.Title, in)
	}
}

// plantedNames refuses a task that is called as one that another stands for.
func (p *taskReader) plantedNames(bs []dialect.SubBlock) {
	for _, t := range p.r.Tasks {
		if t.Plant == "" {
			continue
		}
		set := []Planted{{Task: t, Tasks: max(1, t.Variants)}}
		for _, b := range bs {
			if name := b.Name.Plain(); name != t.Title && IsPlanted(set, name) {
				p.Problem(b.Name.Off, "", "%q is one of the tasks that %q stands for", name, t.Title)
			}
		}
	}
}

// IsPlanted reports whether a task of this name stands in for one of these.
func IsPlanted(sets []Planted, name string) bool {
	return slices.ContainsFunc(sets, func(s Planted) bool {
		for n := range s.Tasks {
			if s.Name(n) == name {
				return true
			}
		}
		return false
	})
}

// Planted is a task that stands for tasks of planted faults, and where the tasks stand
// that it stands for.
type Planted struct {
	Task  Task
	First int // of Recipe.Tasks
	Tasks int
}

// Standing gives the recipe in which others stand in for the tasks of planted faults,
// which are made when a run starts, under the names that they will have.
func (r *Recipe) Standing() (*Recipe, []Planted) {
	if !slices.ContainsFunc(r.Tasks, func(t Task) bool { return t.Plant != "" }) {
		return r, nil
	}
	var sets []Planted
	next := 0
	out := replaced(r, func(_ int, t Task) (list []Task, path string) {
		list = []Task{t}
		if t.Plant != "" {
			sets = append(sets, Planted{Task: t, First: next, Tasks: max(1, t.Variants)})
			list = sets[len(sets)-1].standIns()
		}
		next += len(list)
		return list, ""
	})
	return out, sets
}

// standIns are tasks in place of those that are not made yet.
func (s Planted) standIns() (list []Task) {
	for n := range s.Tasks {
		t := s.Task
		t.Plant, t.Variants, t.Seed, t.Faults, t.Below = "", 0, 0, 0, nil
		t.Title = s.Name(n)
		script := s.Task.Plant
		if s.Task.PlantedIn() != "" {
			script = "test -e .planted"
		}
		if t.Prompt == "" {
			t.Prompt = "`" + script + "` fails."
		}
		t.After, t.Solution = []Check{{Script: script}}, ":"
		list = append(list, t)
	}
	return list
}

// Name is what the n-th task, from 0, is called.
func (s Planted) Name(n int) string {
	if s.Tasks == 1 {
		return s.Task.Title
	}
	return fmt.Sprintf("%s %d", s.Task.Title, n+1)
}

// WithPlanted gives the recipe of Standing in which the tasks that were made have taken
// the places of those that stand in; by their names. Where fewer were made, the others
// are left out.
func (r *Recipe) WithPlanted(sets []Planted, made map[string]Task) *Recipe {
	var of = func(i int) bool {
		return slices.ContainsFunc(sets, func(s Planted) bool { return i >= s.First && i < s.First+s.Tasks })
	}
	return replaced(r, func(i int, t Task) ([]Task, string) {
		if !of(i) {
			return []Task{t}, ""
		}
		if m, ok := made[t.Title]; ok {
			return []Task{m}, ""
		}
		return nil, ""
	})
}
