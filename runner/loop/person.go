package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cookoff/runner/v1"
	"cookoff/trial"
)

// Approval is what a person is asked to allow: a repair that a model asks for and the
// recipe does not allow, or what an agent program asks for by its own protocol.
type Approval struct {
	Trial   trial.Trial
	Agent   string // path of the sub-agent; "": the contestant
	Tool    string
	Class   string // of a repair: shared or destructive; "": an agent program asks
	Command string // what would be run, safe to print
	Options []Option
}

// Option is an answer that an agent program offers beside those that there always are.
type Option struct {
	Name   string // its words
	Allows bool
}

// Wants says what is asked for, without the command.
func (a Approval) Wants() string {
	if a.Class == "" {
		return "asks for leave to use its tool " + a.Tool
	}
	return "asks to run a repair of class " + a.Class
}

// Answer is what a person says to an Approval. The zero Answer refuses.
type Answer string

// Answers to an Approval.
const (
	Deny      Answer = "deny"
	Once      Answer = "once"
	ThisTrial Answer = "this trial" // this class, or this tool of an agent, until the trial ends
)

// Pick answers with the option of that number, from 0.
func Pick(option int) Answer { return Answer(fmt.Sprintf("option %d", option+1)) }

// Picked gives the number of the option that an answer of Pick means; false: it is another.
func (a Answer) Picked(options []Option) (int, bool) {
	for i := range options {
		if a == Pick(i) {
			return i, true
		}
	}
	return 0, false
}

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

// ApprovalHook is what the journal calls the hook that a person is.
const ApprovalHook = "approval"

// ErrStopped is why a trial's context ends when a person stopped it.
var ErrStopped = errors.New("stopped by hand")

// heed does what a person asked for since the last step. Only the contestant's
// own conversation is at hand; a sub-agent's ends by itself.
func (l *Loop) heed(ctx context.Context) error {
	if l.depth > 0 || l.Person.Asked == nil {
		return nil
	}
	compact, names := l.Person.Asked(l.Record.Trial)
	l.manual = names
	switch {
	case !compact:
		return nil
	case l.turns() == 0:
		l.Record.Note("compacted", "asked for by hand: nothing was said yet")
		return l.Record.Err()
	}
	_, err := l.compact(ctx, v1.TriggerManual)
	return err
}

// approved asks a person about a repair of a class that may not run. granted
// says whether it may.
func (t *toolCalls) approved(ctx context.Context, a Approval) (granted bool, err error) {
	if t.Person.Approve == nil || a.Class == "" {
		return false, nil
	}
	if slices.Contains(t.granted, a.Class) {
		return true, nil
	}
	if e := t.Record.Redo.Next(); e != nil &&
		e.Kind == trial.HookDecided && e.Hook != nil && e.Hook.Point == ApprovalHook {
		t.Record.Emit(*e)
		if e.Hook.WholeTrial {
			t.granted = append(t.granted, a.Class)
		}
		return e.Hook.Decision == "allow", t.Record.Failed()
	}
	began := t.Clock.Now()
	var answer Answer
	err = t.away(ctx, func() (err error) {
		answer, err = t.Person.Approve(ctx, a)
		return err
	})
	t.Outcome.Seconds.Wait += t.Clock.Now().Sub(began).Seconds()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	h := trial.Hook{Name: ApprovalHook, Point: ApprovalHook, Decision: "deny",
		Reason: fmt.Sprintf("a repair of class %s: %s", a.Class, a.Command)}
	switch {
	case err != nil:
		h.Reason = "nobody could be asked: " + err.Error()
	case answer == Once, answer == ThisTrial:
		h.Decision, h.Reason = "allow", fmt.Sprintf("%s: a repair of class %s: %s", answer, a.Class, a.Command)
		h.WholeTrial = answer == ThisTrial
	}
	t.Record.Emit(trial.Event{Kind: trial.HookDecided, Hook: &h})
	if answer == ThisTrial && err == nil {
		t.granted = append(t.granted, a.Class)
	}
	return h.Decision == "allow", t.Record.Err()
}
