package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cookoff/model/baseline"
	"cookoff/runner/loop"
	"cookoff/runner/reminder"
	"cookoff/runner/resolve"
	v1 "cookoff/runner/v1"
	"cookoff/trial"
)

// control carries what a person asks of trials to their loops, which look
// between two steps. What is asked of a trial that has not begun waits for it.
type control struct {
	of *resolve.Values

	mu       sync.Mutex
	requests map[string]*personRequests
}

// personRequests are what a person asked of one trial.
type personRequests struct {
	compact bool
	remind  []string
	stopped bool
	stop    context.CancelCauseFunc // of the attempt under way; nil: none is
}

func newControl(of *resolve.Values) *control {
	return &control{of: of, requests: map[string]*personRequests{}}
}

// at gives what was asked of a trial to f.
func (c *control) at(id string, f func(d *personRequests)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests[id] == nil {
		c.requests[id] = &personRequests{}
	}
	f(c.requests[id])
}

// begin gives the context of an attempt at a trial, which a person can end.
func (c *control) begin(ctx context.Context, id string) (own context.Context, end func()) {
	own, cancel := context.WithCancelCause(ctx)
	c.at(id, func(d *personRequests) {
		d.stop = cancel
		if d.stopped {
			cancel(loop.ErrStopped)
		}
	})
	return own, func() {
		c.at(id, func(d *personRequests) { d.stop = nil })
		cancel(nil)
	}
}

// take gives what was asked of a trial since the last look.
func (c *control) take(id string) (compact bool, remind []string) {
	c.at(id, func(d *personRequests) {
		compact, remind = d.compact, d.remind
		d.compact, d.remind = false, nil
	})
	return compact, remind
}

// Stop ends the loop of a trial at once, whatever runs there; one that has not
// begun ends as it begins. Its final state is judged, and its outcome is void:
// cancelled. The error says that there is no such trial.
func (c *control) Stop(id string) error {
	if _, err := c.planned(id); err != nil {
		return err
	}
	c.at(id, func(d *personRequests) {
		d.stopped = true
		if d.stop != nil {
			d.stop(loop.ErrStopped)
		}
	})
	return nil
}

// Compact puts a summary in the place of what was said in a trial, before its
// next step. The error says why that can't be.
func (c *control) Compact(id string) error {
	t, err := c.planned(id)
	switch {
	case err != nil:
		return err
	case !slices.Contains([]string{v1.AutoCompact, v1.ManualCompact}, c.of.Recipe.Context.Strategy):
		return errors.New("the recipe compacts nothing\n  hint: write strategy: manual or auto_compact in ## Context")
	case c.of.Models[t.Model].Agent != nil:
		return fmt.Errorf("%s keeps its conversation itself", t.Model)
	case baseline.Is(c.of.Models[t.Model].ID):
		return fmt.Errorf("%s reads its conversation as a whole", t.Model)
	}
	c.at(id, func(d *personRequests) { d.compact = true })
	return nil
}

// Remind says the reminder of that name in a trial before its next step, if its
// trigger holds with manual being true. The error says why that can't be.
func (c *control) Remind(id, name string) error {
	if t, err := c.planned(id); err != nil {
		return err
	} else if c.of.Models[t.Model].Agent != nil {
		return fmt.Errorf("%s is not reminded: it is an agent with a conversation of its own", t.Model)
	}
	i := slices.IndexFunc(c.of.Reminders, func(m reminder.Reminder) bool { return m.Name == name })
	switch names := c.ManualReminders(); {
	case i < 0 && len(names) == 0:
		return fmt.Errorf("no reminder is called %q\n"+
			"  hint: a block in ## System Reminders with trigger: manual makes one to be said by hand", name)
	case i < 0:
		return fmt.Errorf("no reminder is called %q; said by hand are: %s", name, strings.Join(names, ", "))
	case !c.of.Reminders[i].Manual:
		return fmt.Errorf("the reminder %q says itself when it is due: its trigger does not name manual", name)
	}
	c.at(id, func(d *personRequests) { d.remind = append(d.remind, name) })
	return nil
}

// ManualReminders gives the names of the reminders that Remind can say.
func (c *control) ManualReminders() []string {
	var out []string
	for _, m := range c.of.Reminders {
		if m.Manual {
			out = append(out, m.Name)
		}
	}
	return out
}

// planned finds a trial of the plan.
func (c *control) planned(id string) (trial.Trial, error) {
	plan := c.of.Plan()
	i := slices.IndexFunc(plan, func(t trial.Trial) bool { return t.ID == id })
	if i < 0 {
		return trial.Trial{}, fmt.Errorf("there is no trial %q", id)
	}
	return plan[i], nil
}
