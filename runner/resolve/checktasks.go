package resolve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cookoff/recipe"
	"cookoff/runner/project"
	"cookoff/tools"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
	"cookoff/verify"
	"cookoff/verify/lint"
)

// taskChecker resolves the tasks.
type taskChecker struct {
	*checker
	seen    seen
	offered []*repair.Repair // by the recipe
	probed  []*probe.Probe   // by the recipe
}

// all compiles every task, those that stand for repairs included.
func (c *taskChecker) all() {
	if len(c.recipe.Tasks) == 0 {
		c.at("tasks", "write what a model is to do as a bullet under ## Tasks; "+
			"cookoff init makes a recipe with one, extends: builtin:default takes the tasks of the demonstration, "+
			"and in cookoff shootout tasks are typed",
			"no tasks to run")
	}
	c.offered, c.probed = c.offeredRepairs(), c.probes()
	c.findings("", lint.Recipe(c.recipe))
	for i, t := range c.recipe.Tasks {
		key := fmt.Sprintf("tasks[%d]", i)
		for _, one := range c.expand(key, t) {
			one.Repairs, one.Probes = c.offered, c.probed
			c.task(key, one)
		}
	}
	c.contestants()
}

// expand gives the tasks that a bullet "repair: GLOB" stands for, with the
// wrong repairs that their checks must reject; any other task is itself.
func (c *taskChecker) expand(key string, t recipe.Task) []Task {
	if t.Harbor != "" {
		c.at(key, "", "tasks of Harbor are read by whoever finds the recipe: this one was made by a program")
		return nil
	}
	if t.Plant != "" {
		c.at(key, "",
			"tasks of planted faults are made by whoever opens the comparison: this one was made by a program")
		return nil
	}
	if t.Repair == "" {
		return []Task{{Task: t, Shortcuts: shortcuts(t)}}
	}
	var out []Task
	for _, rep := range c.selectRepairs(key, []string{t.Repair}) {
		ts, err := rep.Tasks()
		if err != nil {
			c.at(key, "", "%v", err)
			continue
		}
		tested := slices.DeleteFunc(slices.Clone(rep.Fixes), func(f *repair.Fix) bool { return f.Test == nil })
		for i, t := range ts { // one for each tested fix, in order
			one := Task{Task: t, fix: true}
			for _, s := range tested[i].Test.Shortcuts {
				one.Shortcuts = append(one.Shortcuts, verify.Shortcut{ID: s.ID, Command: s.Command, Why: s.Why})
			}
			out = append(out, one)
		}
	}
	return out
}

// offeredRepairs gives those that the section Tools names; without one, those
// that are the recipe's own.
func (c *taskChecker) offeredRepairs() []*repair.Repair {
	switch {
	case c.recipe.Tools == nil && c.given.Repairs == nil:
		return nil
	case c.recipe.Tools == nil:
		return c.given.Repairs.Own()
	}
	return c.selectRepairs("tools.repairs", c.recipe.Tools.Repairs)
}

func (c *taskChecker) selectRepairs(key string, globs []string) []*repair.Repair {
	if len(globs) == 0 {
		return nil
	}
	if c.given.Repairs == nil {
		c.at(key, "", "there are no repairs to choose from")
		return nil
	}
	reps, err := c.given.Repairs.Select(globs)
	if err != nil {
		c.at(key, "", "%v", err)
	}
	return reps
}

// task checks one task of a recipe, whose keys in the file begin with key, and notes all
// that is wrong with it.
func (c *taskChecker) task(key string, t Task) {
	c.narrow(key, &t)
	for j, name := range t.Tools {
		if !ofLibrary(name) && !slices.Contains(tools.Names(), name) &&
			!c.served(fmt.Sprintf("%s.tools[%d]", key, j), name) {
			c.unknown(fmt.Sprintf("%s.tools[%d]", key, j), "tool", name, tools.Names())
		}
	}
	if t.Image != "" {
		c.image(key + ".image")
	} else if s := c.recipe.Sandbox; s.Backend == "container" && s.Image == "" {
		c.at(key, "give it image:, or the recipe one under Sandbox",
			"the container backend needs an image for every task")
	}
	c.before(key, t.Prepare, t.Warm, cmp.Or(t.Image, c.recipe.Sandbox.Image))
	if t.Probe != "" {
		if _, _, err := repair.ParseProbe(t.Probe); err != nil {
			c.at(key+".probe", "", "%v", err)
		}
	}
	if _, err := project.JudgeFiles(c.recipe, t.Task); err != nil {
		c.at(key+".judge_files", "", "%v", err)
	}
	c.start(key, &t)
	c.fits(key, t)
	c.committed(context.Background(), key, t)
	c.apart(context.Background(), key, t)
	if err := project.CheckRoot(c.recipe, t.Task); err != nil {
		c.at(key+".root", "", "%v", err)
	}
	if err := project.CheckMounts(c.recipe, t.Task); err != nil {
		c.at(key+".mounts", "", "%v", err)
	}
	name := t.Name()
	if _, twice := c.out.TaskOf[name]; twice {
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
	if t.Checks = checks; t.fix {
		checks.MustRepeat()
	}
	c.out.TaskOf[name] = &t
	if c.given.Only == nil || c.given.Only(name) {
		c.out.Order = append(c.out.Order, name)
	}
}

// shortcuts gives the wrong repairs that a task names: each is called by its number,
// and a comment in its first line says why it is wrong.
func shortcuts(t recipe.Task) []verify.Shortcut {
	var out []verify.Shortcut
	for i, text := range t.Shortcuts {
		out = append(out, verify.Shortcut{ID: strconv.Itoa(i + 1), Command: text, Why: ShortcutWhy(text), Runs: true})
	}
	return out
}

// ShortcutWhy gives the comment that a shortcut begins with, "" for none.
func ShortcutWhy(script string) string {
	line, _, _ := strings.Cut(script, "\n")
	why, is := strings.CutPrefix(line, "#")
	if !is {
		return ""
	}
	return strings.TrimSpace(why)
}
