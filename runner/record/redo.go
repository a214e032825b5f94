package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/hooks"
	"cookoff/model"
	"cookoff/tools"
	"cookoff/trial"
)

// OnDivergence says what becomes of a trial that goes on, where a tool says
// something else than it did before.
type OnDivergence string

// What can become of it.
const (
	Restart     OnDivergence = "restart"  // it begins anew, and its models are asked again
	UseRecorded OnDivergence = "recorded" // it goes on with what the tool said before
)

// maxPace bounds the wait for what a trial has running in the background.
const maxPace = 5 * time.Minute

// Redo is an attempt that was cut off and goes on: what the journal has of it.
// The loop does everything again in a new world. A model is not asked for a reply
// that is recorded; tools and hooks are run, and what they said before holds. An
// event that the journal has is not written again. nil is an attempt that has
// nothing behind it.
type Redo struct {
	events    []trial.Event // of what was said and done
	at        int           // the first that was not done again yet
	seq       int           // the last number in the journal
	Unsettled int           // requests under way when it was cut off
	policy    OnDivergence
	Ended     *trial.Outcome // the attempt had ended: only what it left is wanted

	differ []string // what came out otherwise
	broken *DivergedError
	jobs   bool          // something may run in the background
	gap    time.Duration // before the call under way, in the record
	then   time.Time     // of the last event done again
}

// DivergedError says that an attempt can't go on: what is done again is not what
// was done.
type DivergedError struct{ what string }

func (e *DivergedError) Error() string { return "done again, it came out otherwise: " + e.what }

// NewRedo takes the events of an attempt; nil where there are none.
func NewRedo(events []trial.Event, policy OnDivergence) *Redo {
	if len(events) == 0 {
		return nil
	}
	d := &Redo{policy: cmp.Or(policy, Restart)}
	for _, e := range events {
		d.seq = max(d.seq, e.Seq)
		switch e.Kind {
		case trial.ModelCalled, trial.ModelReplied, trial.ToolCalled, trial.ToolReturned, trial.HookDecided:
		case trial.Note:
			if e.Note == nil || e.Note.Kind == "diverged" || e.Note.Kind == "anew" {
				continue
			}
			if f := e.Note.Failure; f != nil && f.Kind == trial.FailedUnsupported && f.What == model.Tools {
				d.forgetLastCall() // the conversation began anew without tools
			}
		default:
			continue
		}
		d.events = append(d.events, e)
	}
	return d
}

func (d *Redo) forgetLastCall() {
	for i, e := range slices.Backward(d.events) {
		if e.Kind == trial.ModelCalled {
			d.events = slices.Delete(d.events, i, i+1)
			return
		}
	}
}

// Count gives how many replies and calls it has.
func (d *Redo) Count() (replies, calls int) {
	if d == nil {
		return 0, 0
	}
	for _, e := range d.events {
		switch e.Kind {
		case trial.ModelReplied:
			replies++
		case trial.ToolReturned:
			calls++
		}
	}
	return replies, calls
}

// next gives the next event that is no note, and its place; nil at the end.
func (d *Redo) next() (*trial.Event, int) {
	if d == nil {
		return nil, 0
	}
	for i := d.at; i < len(d.events); i++ {
		if d.events[i].Kind != trial.Note {
			return &d.events[i], i
		}
	}
	return nil, len(d.events)
}

// Failed says why the attempt can't go on.
func (d *Redo) Failed() error {
	if d == nil || d.broken == nil {
		return nil
	}
	return d.broken
}

// Diverge ends the attempt: there is nothing to go on with.
func (d *Redo) Diverge(format string, args ...any) {
	if d.broken == nil {
		d.broken = &DivergedError{fmt.Sprintf(format, args...)}
	}
}

// otherwise notes what came out otherwise, and ends the attempt where the user
// does not want to go on with what was recorded.
func (d *Redo) otherwise(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	d.differ = append(d.differ, what)
	if d.policy != UseRecorded {
		d.Diverge("%s", what)
	}
}

// has reports whether the journal has an event already, which then is done.
func (d *Redo) has(e *trial.Event) bool {
	if d == nil {
		return false
	}
	next, at := d.next()
	switch {
	case e.Kind == trial.TrialFinished || e.Kind == trial.TrialResumed:
		return d.Ended != nil
	case d.broken != nil:
		return true
	case e.Kind == trial.Note:
		return d.noted(e, at) || next != nil || d.Ended != nil
	case next == nil && d.Ended != nil:
		if e.Kind != trial.Judged {
			d.Diverge("it goes on with %s where it had ended", e.Kind)
		}
		return true
	case next == nil:
		d.at = at
		return false
	case next.Kind != e.Kind || next.Agent != e.Agent || callOf(next) != callOf(e):
		d.Diverge("%s where the journal has %s", eventWords(e), eventWords(next))
		return true
	}
	d.gap, d.then = next.At.Sub(d.then), next.At
	d.at = at + 1
	return true
}

// noted reports whether the journal has a note before the event at limit.
func (d *Redo) noted(e *trial.Event, limit int) bool {
	for i := d.at; i < limit; i++ {
		if d.events[i].Note.Kind == e.Note.Kind {
			d.at = i + 1
			return true
		}
	}
	return false
}

// callOf names what an event is about.
func callOf(e *trial.Event) string {
	switch {
	case e.Tool != nil:
		return e.Tool.CallID + " " + e.Tool.Name
	case e.Returned != nil:
		return e.Returned.CallID + " " + e.Returned.Name
	case e.Hook != nil:
		return e.Hook.Point + " " + e.Hook.Name
	}
	return ""
}

func eventWords(e *trial.Event) string {
	return strings.TrimSpace(string(e.Kind) + " " + callOf(e))
}

// Called compares what a request adds to the conversation with what was sent.
func (d *Redo) Called(agent string, news []model.Message) {
	e, _ := d.next()
	if e == nil || e.Kind != trial.ModelCalled || e.Agent != agent || e.Called == nil {
		return // has tells of it
	}
	for i, m := range news {
		if i >= len(e.Called.New) || !sameMessage(m, e.Called.New[i]) {
			d.otherwise("message %d of the request in step %d is not the one that was sent", i+1, e.Step)
			return
		}
	}
	if len(news) != len(e.Called.New) {
		d.otherwise("the request in step %d lacks a message that was sent", e.Step)
	}
}

func sameMessage(a, b model.Message) bool {
	plain := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	return a.Role == b.Role && a.CallID == b.CallID &&
		(plain(a.Content) == b.Content || sameOutput(a.Content, b.Content))
}

// DecidedBefore gives what a hook decided before in the place of what it says
// now.
func (d *Redo) DecidedBefore(e hooks.Event, name string, now hooks.Decision) hooks.Decision {
	next, _ := d.next()
	if next == nil || d.Failed() != nil || next.Kind != trial.HookDecided || next.Hook == nil ||
		next.Hook.Name != name ||
		next.Hook.Point != string(e.Point) {
		return now
	}
	was := next.Hook
	if word := DecisionWord(now); word != was.Decision {
		d.otherwise("hook %q at %s decided %s, and before %s", name, e.Point, word, was.Decision)
	} else if !sameOutput(now.Context, was.Context) && was.Context != "" || !sameOutput(now.Reason, was.Reason) {
		d.otherwise("hook %q at %s says something else than before", name, e.Point)
	}
	out := hooks.Decision{Allow: was.Decision == "allow" || was.Decision == "rewrite", Halt: was.Decision == "halt",
		Reason: was.Reason, Context: was.Context, Args: was.Args}
	if was.Context == "" { // also in journals of a version that did not keep it
		out.Context = now.Context
	}
	if was.Decision == "rewrite" && was.Args == nil {
		out.Args = now.Args
	}
	return out
}

// Answered compares what a call gave with what it gave before, and gives that: it is
// what the model goes on from. nil: the call is made for the first time.
func (d *Redo) Answered(agent string, step int, c model.Call, res tools.Result) *trial.Returned {
	e, _ := d.next()
	if e == nil || d.Failed() != nil || e.Kind != trial.ToolReturned || e.Agent != agent || e.Returned == nil ||
		e.Returned.CallID != c.ID {
		return nil
	}
	if what := Differs(c.Name, e.Returned, res); what != "" {
		d.otherwise("%s in step %d: %s", c.Name, step, what)
	}
	return e.Returned
}

// Pace is how long a call has to wait where something runs in the background: it
// shall be as far as it was.
func (d *Redo) Pace(c model.Call) time.Duration {
	if e, _ := d.next(); e == nil {
		return 0
	}
	wait := d.gap
	if !d.jobs {
		wait, d.jobs = 0, startsJob(c)
	}
	return min(wait, maxPace)
}

// Next gives the next event that is to be done again and is no note; nil: there is
// none.
func (d *Redo) Next() *trial.Event {
	e, _ := d.next()
	return e
}

// Peek gives the next event, or note; nil: there is none. Skip goes on to the one
// after it.
func (d *Redo) Peek() *trial.Event {
	if d.at == len(d.events) {
		return nil
	}
	return &d.events[d.at]
}

// Skip takes the next event for done.
func (d *Redo) Skip() { d.at++ }

// Over reports whether the attempt had ended: only what it left is wanted.
func (d *Redo) Over() bool { return d != nil && d.Ended != nil }

// Events are what was said and done.
func (d *Redo) Events() []trial.Event { return d.events }

// DecisionWord is a decision as the journal has it.
func DecisionWord(d hooks.Decision) string {
	switch {
	case d.Halt:
		return "halt"
	case !d.Allow:
		return "deny"
	case d.Args != nil:
		return "rewrite"
	}
	return "allow"
}
