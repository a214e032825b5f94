package resolve

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/internal/nearest"
	"cookoff/model"
	"cookoff/runner/budget"
	"cookoff/runner/reminder"
	"cookoff/runner/toolset"
	"cookoff/tools"
)

// reminderChecker checks what is said when something happens.
type reminderChecker struct{ *checker }

// all compiles the triggers.
func (c *reminderChecker) all() {
	names := append(tools.Names(), toolset.Spawn)
	for _, t := range c.out.TaskOf {
		names = append(names, t.Offer(c.recipe).Set(nil, 0).Names...)
	}
	c.out.Triggers = reminder.Names(names)
	for i, s := range c.recipe.SystemReminders {
		key := fmt.Sprintf("system_reminders[%d].trigger", i)
		r, err := reminder.Compile(s.Name, s.Content, s.Trigger, c.out.Triggers)
		if bad, ok := errors.AsType[*reminder.Error](err); ok {
			c.trigger(key, bad)
			continue
		}
		c.triggerUses(key, r)
		c.out.Reminders = append(c.out.Reminders, r)
	}
}

// trigger reports an expression that can't be read, where it can't be.
func (c *reminderChecker) trigger(key string, e *reminder.Error) {
	hint := "a trigger is a condition over " + strings.Join(slices.Sorted(maps.Keys(reminder.Variables())), ", ")
	if e.Unknown != "" {
		if n := nearest.Name(e.Unknown, slices.Sorted(maps.Keys(c.out.Triggers))); n != "" {
			hint = fmt.Sprintf("did you mean %s? %s", n, hint)
		}
	}
	c.at(key, hint, "trigger: %s", e.Msg)
	if at := &c.problems[len(c.problems)-1].Pos; at.Line > 0 {
		at.Col += e.Column
	}
}

// triggerUses looks at the variables that a trigger uses: one that nothing could
// ever tell is a mistake of the recipe.
func (c *reminderChecker) triggerUses(key string, r reminder.Reminder) {
	if r.Manual && !c.given.Attended {
		c.warn(key, "", "a reminder that a person says by hand is never said in a run")
	}
	for _, id := range c.recipe.Names() {
		if _, priced := budget.Cost(c.given.Prices, c.recipe.Behind(id), model.Usage{Known: true}); r.Uses("cost") &&
			!priced {
			c.at(key, "add its price under [prices] in your cookoff.toml", "trigger: the cost of %s is not known", id)
		}
	}
}
