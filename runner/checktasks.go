package runner

import (
	"fmt"
	"slices"

	"cookoff/recipe"
	"cookoff/runner/project"
	"cookoff/tools"
	"cookoff/tools/repair"
	"cookoff/verify"
	"cookoff/verify/lint"
)

// tasks compiles every task, those that stand for repairs included.
func (c *checker) tasks() {
	if len(c.recipe.Tasks) == 0 {
		c.at("tasks", "write what a model is to do as a bullet under ## Tasks; cookoff init makes a recipe with one, extends: builtin:default takes the tasks of the demonstration, and in cookoff shootout tasks are typed", "no tasks to run")
	}
	offered := c.offeredRepairs()
	probes := c.probes()
	c.findings("", lint.Recipe(c.recipe))
	for i, t := range c.recipe.Tasks {
		key := fmt.Sprintf("tasks[%d]", i)
		for _, one := range c.expand(key, t) {
			one.repairs, one.probes = offered, probes
			c.task(key, one)
		}
	}
}

// expand gives the tasks that a bullet "repair: GLOB" stands for, with the
// wrong repairs that their checks must reject; any other task is itself.
func (c *checker) expand(key string, t recipe.Task) []task {
	if t.Repair == "" {
		return []task{{Task: t}}
	}
	var out []task
	for _, rep := range c.selectRepairs(key, []string{t.Repair}) {
		ts, err := rep.Tasks()
		if err != nil {
			c.at(key, "", "%v", err)
			continue
		}
		tested := slices.DeleteFunc(slices.Clone(rep.Fixes), func(f *repair.Fix) bool { return f.Test == nil })
		for i, t := range ts { // one for each tested fix, in order
			one := task{Task: t, fix: true}
			for _, s := range tested[i].Test.Shortcuts {
				one.shortcuts = append(one.shortcuts, verify.Shortcut(s))
			}
			out = append(out, one)
		}
	}
	return out
}

// offeredRepairs gives those that the section Tools names; without one, those
// that are the recipe's own.
func (c *checker) offeredRepairs() []*repair.Repair {
	switch {
	case c.recipe.Tools == nil && c.env.Repairs == nil:
		return nil
	case c.recipe.Tools == nil:
		return c.env.Repairs.Own()
	}
	return c.selectRepairs("tools.repairs", c.recipe.Tools.Repairs)
}

func (c *checker) selectRepairs(key string, globs []string) []*repair.Repair {
	if len(globs) == 0 {
		return nil
	}
	if c.env.Repairs == nil {
		c.at(key, "", "there are no repairs to choose from")
		return nil
	}
	reps, err := c.env.Repairs.Select(globs)
	if err != nil {
		c.at(key, "", "%v", err)
	}
	return reps
}

func (c *checker) task(key string, t task) {
	c.narrow(key, &t)
	for j, name := range t.Tools {
		if !ofLibrary(name) && !slices.Contains(tools.Names(), name) && !c.served(fmt.Sprintf("%s.tools[%d]", key, j), name) {
			c.unknown(fmt.Sprintf("%s.tools[%d]", key, j), "tool", name, tools.Names())
		}
	}
	if t.Image != "" {
		c.image(key + ".image")
	} else if s := c.recipe.Sandbox; s.Backend == "container" && s.Image == "" {
		c.at(key, "give it image:, or the recipe one under Sandbox", "the container backend needs an image for every task")
	}
	if t.Probe != "" {
		if _, _, err := repair.ParseProbe(t.Probe); err != nil {
			c.at(key+".probe", "", "%v", err)
		}
	}
	if _, err := project.JudgeFiles(c.recipe, t.Task); err != nil {
		c.at(key+".judge_files", "", "%v", err)
	}
	name := t.Name()
	if _, twice := c.runner.tasks[name]; twice {
		c.at(key, "give each task a title of its own", "two tasks are called %q", name)
		return
	}
	checks, err := verify.NewCase(c.recipe, t.Task)
	if err != nil {
		if len(c.problems.Errors()) == 0 { // else Lint has said it better
			c.at(key, "", "%v", err)
		}
		return
	}
	if t.checks = checks; t.fix {
		checks.MustRepeat()
	}
	c.runner.tasks[name] = &t
	if c.env.Only == nil || c.env.Only(name) {
		c.runner.order = append(c.runner.order, name)
	}
}
