package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cookoff/runner/reminder"
	"cookoff/trial"
)

// Front is what only a person before a screen can give. A run without one
// decides by its recipe alone.
type Front struct {
	// Approve decides about a repair whose class the recipe does not allow; nil:
	// it is refused. It is asked from the trial's own goroutine, under a ctx that
	// ends with the trial; the wait is charged to nobody. An error refuses.
	Approve func(ctx context.Context, a Approval) (Answer, error)
	// Text gets what a model writes, as it arrives where the provider can stream;
	// nil: nobody looks. It is called from the trial's own goroutine: what shows
	// it drops on its own side. It is no part of the record.
	Text func(p Piece)
	// Typed says that a person typed the tasks: they are not proven before they
	// are run, and what becomes of them is for the person to judge.
	Typed bool
	// Before has what was said with each model before, which its trials go on
	// with; a model without starts anew.
	Before map[string]*Said
}

// Approval is a repair that a model asks for and the recipe does not allow.
type Approval struct {
	Trial   trial.Trial
	Agent   string // path of the sub-agent; "": the contestant
	Tool    string
	Class   string // shared or destructive
	Command string // what would be run, safe to print
}

// Answer is what a person says to an Approval. The zero Answer refuses.
type Answer string

// Answers to an Approval.
const (
	Deny      Answer = "deny"
	Once      Answer = "once"
	ThisTrial Answer = "this trial" // this class, until the trial ends
)

// Piece is a piece of a reply under way. What came before of the same step with
// a smaller Try counts for nothing: that try failed.
type Piece struct {
	Trial   string
	Attempt int
	Agent   string // path of the sub-agent; "": the contestant
	Step    int
	Try     int // from 1
	Text    string
}

// approval is what the journal calls the hook that a person is.
const approval = "approval"

// errStopped is why a trial's context ends when a person stopped it.
var errStopped = errors.New("stopped by hand")

// control carries what a person asks of trials to their loops, which look
// between two steps. What is asked of a trial that has not begun waits for it.
type control struct {
	mu    sync.Mutex
	desks map[string]*desk
}

// desk is what was asked of one trial.
type desk struct {
	compact bool
	remind  []string
	stopped bool
	stop    context.CancelCauseFunc // of the attempt under way; nil: none is
}

func newControl() *control { return &control{desks: map[string]*desk{}} }

// at gives the desk of a trial to f.
func (c *control) at(id string, f func(d *desk)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.desks[id] == nil {
		c.desks[id] = &desk{}
	}
	f(c.desks[id])
}

// begin gives the context of an attempt at a trial, which a person can end.
func (c *control) begin(ctx context.Context, id string) (own context.Context, end func()) {
	own, cancel := context.WithCancelCause(ctx)
	c.at(id, func(d *desk) {
		d.stop = cancel
		if d.stopped {
			cancel(errStopped)
		}
	})
	return own, func() {
		c.at(id, func(d *desk) { d.stop = nil })
		cancel(nil)
	}
}

// take gives what was asked of a trial since the last look.
func (c *control) take(id string) (compact bool, remind []string) {
	c.at(id, func(d *desk) {
		compact, remind = d.compact, d.remind
		d.compact, d.remind = false, nil
	})
	return compact, remind
}

// Stop ends the loop of a trial at once, whatever runs there; one that has not
// begun ends as it begins. Its final state is judged, and its outcome is void:
// cancelled. The error says that there is no such trial.
func (r *Runner) Stop(id string) error {
	if _, err := r.planned(id); err != nil {
		return err
	}
	r.control.at(id, func(d *desk) {
		d.stopped = true
		if d.stop != nil {
			d.stop(errStopped)
		}
	})
	return nil
}

// Compact puts a summary in the place of what was said in a trial, before its
// next step. The error says why that can't be.
func (r *Runner) Compact(id string) error {
	t, err := r.planned(id)
	switch {
	case err != nil:
		return err
	case !slices.Contains([]string{autoCompact, manualCompact}, r.recipe.Context.Strategy):
		return errors.New("the recipe compacts nothing\n  hint: write strategy: manual or auto_compact in ## Context")
	case r.models[t.Model].baseline != "":
		return fmt.Errorf("%s reads its conversation as a whole", t.Model)
	}
	r.control.at(id, func(d *desk) { d.compact = true })
	return nil
}

// Remind says the reminder of that name in a trial before its next step, if its
// trigger holds with manual being true. The error says why that can't be.
func (r *Runner) Remind(id, name string) error {
	if _, err := r.planned(id); err != nil {
		return err
	}
	i := slices.IndexFunc(r.reminders, func(m reminder.Reminder) bool { return m.Name == name })
	switch names := r.ManualReminders(); {
	case i < 0 && len(names) == 0:
		return fmt.Errorf("no reminder is called %q\n  hint: a block in ## System Reminders with trigger: manual makes one to be said by hand", name)
	case i < 0:
		return fmt.Errorf("no reminder is called %q; said by hand are: %s", name, strings.Join(names, ", "))
	case !r.reminders[i].Manual:
		return fmt.Errorf("the reminder %q says itself when it is due: its trigger does not name manual", name)
	}
	r.control.at(id, func(d *desk) { d.remind = append(d.remind, name) })
	return nil
}

// ManualReminders gives the names of the reminders that Remind can say.
func (r *Runner) ManualReminders() []string {
	var out []string
	for _, m := range r.reminders {
		if m.Manual {
			out = append(out, m.Name)
		}
	}
	return out
}

// planned finds a trial of the plan.
func (r *Runner) planned(id string) (trial.Trial, error) {
	plan := r.Plan()
	i := slices.IndexFunc(plan, func(t trial.Trial) bool { return t.ID == id })
	if i < 0 {
		return trial.Trial{}, fmt.Errorf("there is no trial %q", id)
	}
	return plan[i], nil
}

// heed does what a person asked for since the last step. Only the contestant's
// own conversation is at hand; a sub-agent's ends by itself.
func (l *loop) heed(ctx context.Context) error {
	if l.depth > 0 {
		return nil
	}
	compact, names := l.r.control.take(l.rec.Trial)
	l.manual = names
	switch {
	case !compact:
		return nil
	case l.turns() == 0:
		l.rec.Note("compacted", "asked for by hand: nothing was said yet")
		return l.rec.Err()
	}
	_, err := l.compact(ctx, triggerManual)
	return err
}

// approved asks a person about a repair of a class that may not run. granted
// says whether it may.
func (l *loop) approved(ctx context.Context, a Approval) (granted bool, err error) {
	front := l.r.env.Front
	if front == nil || front.Approve == nil || a.Class == "" {
		return false, nil
	}
	if slices.Contains(l.granted, a.Class) {
		return true, nil
	}
	if e := l.rec.Redo.Next(); e != nil && e.Kind == trial.HookDecided && e.Hook != nil && e.Hook.Point == approval {
		l.rec.Emit(*e)
		if strings.HasPrefix(e.Hook.Reason, string(ThisTrial)+":") {
			l.granted = append(l.granted, a.Class)
		}
		return e.Hook.Decision == "allow", l.rec.Failed()
	}
	began := l.r.env.Clock.Now()
	answer, err := front.Approve(ctx, a)
	l.out.Seconds.Wait += l.r.env.Clock.Now().Sub(began).Seconds()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	h := trial.Hook{Name: approval, Point: approval, Decision: "deny", Reason: fmt.Sprintf("%s: a repair of class %s: %s", Deny, a.Class, a.Command)}
	switch {
	case err != nil:
		h.Reason = "nobody could be asked: " + err.Error()
	case answer == Once, answer == ThisTrial:
		h.Decision, h.Reason = "allow", fmt.Sprintf("%s: a repair of class %s: %s", answer, a.Class, a.Command)
	}
	l.rec.Emit(trial.Event{Kind: trial.HookDecided, Hook: &h})
	if answer == ThisTrial && err == nil {
		l.granted = append(l.granted, a.Class)
	}
	return h.Decision == "allow", l.rec.Err()
}
