package runner

import (
	"context"

	"cookoff/runner/loop"
)

// Front is what only a person before a screen can give. A run without one
// decides by its recipe alone.
type Front struct {
	// Approve decides about a repair whose class the recipe does not allow, where it is
	// nil that is refused; and about what an agent program asks for, where it is nil that
	// is allowed: the sandbox is around it. It is asked from the trial's own goroutine, under a ctx that
	// ends with the trial; the wait is charged to nobody. An error refuses.
	Approve func(ctx context.Context, a loop.Approval) (loop.Answer, error)
	// Text gets what a model writes, as it arrives where the provider can stream;
	// nil: nobody looks. It is called from the trial's own goroutine: what shows
	// it drops on its own side. It is no part of the record.
	Text func(p loop.Piece)
	// Typed says that a person typed the tasks: they are not proven before they
	// are run, and what becomes of them is for the person to judge.
	Typed bool
	// Before has what was said with each model before, which its trials go on
	// with; a model without starts anew.
	Before map[string]*loop.Conversation
}

// unproven reports whether the tasks were typed by a person, who judges what
// becomes of them.
func (r *Runner) unproven() bool { return r.env.Front != nil && r.env.Front.Typed }

// before is what the trials of a model begin with; nil: nothing.
func (r *Runner) before(id string) *handover {
	if r.env.Front == nil {
		return nil
	}
	said := r.env.Front.Before[id]
	h := said.History()
	if h == nil {
		return nil
	}
	return &handover{from: said.Trial(), history: h}
}
