package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

// redo is an attempt that was cut off and goes on: what the journal has of it.
// The loop does everything again in a new world. A model is not asked for a reply
// that is recorded; tools and hooks are run, and what they said before holds. An
// event that the journal has is not written again. nil is an attempt that has
// nothing behind it.
type redo struct {
	events    []trial.Event // of what was said and done
	at        int           // the first that was not done again yet
	seq       int           // the last number in the journal
	unsettled int           // requests under way when it was cut off
	policy    OnDivergence
	ended     *trial.Outcome // the attempt had ended: only what it left is wanted

	differ []string // what came out otherwise
	broken *divergedError
	jobs   bool          // something may run in the background
	gap    time.Duration // before the call under way, in the record
	then   time.Time     // of the last event done again
}

// divergedError says that an attempt can't go on: what is done again is not what
// was done.
type divergedError struct{ what string }

func (e *divergedError) Error() string { return "done again, it came out otherwise: " + e.what }

// newRedo takes the events of an attempt; nil where there are none.
func newRedo(events []trial.Event, policy OnDivergence) *redo {
	if len(events) == 0 {
		return nil
	}
	d := &redo{policy: orDefault(policy, Restart)}
	for _, e := range events {
		d.seq = max(d.seq, e.Seq)
		switch e.Kind {
		case trial.ModelCalled, trial.ModelReplied, trial.ToolCalled, trial.ToolReturned, trial.HookDecided:
		case trial.Note:
			if e.Note == nil || e.Note.Kind == "diverged" || e.Note.Kind == "anew" {
				continue
			}
			if f := e.Note.Failure; f != nil && f.Kind == failedUnsupported && f.What == model.Tools {
				d.forgetLastCall() // the conversation began anew without tools
			}
		default:
			continue
		}
		d.events = append(d.events, e)
	}
	return d
}

func (d *redo) forgetLastCall() {
	for i, e := range slices.Backward(d.events) {
		if e.Kind == trial.ModelCalled {
			d.events = slices.Delete(d.events, i, i+1)
			return
		}
	}
}

// count gives how many replies and calls it has.
func (d *redo) count() (replies, calls int) {
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
func (d *redo) next() (*trial.Event, int) {
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

// failed says why the attempt can't go on.
func (d *redo) failed() error {
	if d == nil || d.broken == nil {
		return nil
	}
	return d.broken
}

// diverge ends the attempt: there is nothing to go on with.
func (d *redo) diverge(format string, args ...any) {
	if d.broken == nil {
		d.broken = &divergedError{fmt.Sprintf(format, args...)}
	}
}

// otherwise notes what came out otherwise, and ends the attempt where the user
// does not want to go on with what was recorded.
func (d *redo) otherwise(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	d.differ = append(d.differ, what)
	if d.policy != UseRecorded {
		d.diverge("%s", what)
	}
}

// has reports whether the journal has an event already, which then is done.
func (d *redo) has(e *trial.Event) bool {
	if d == nil {
		return false
	}
	next, at := d.next()
	switch {
	case e.Kind == trial.TrialFinished || e.Kind == trial.TrialResumed:
		return d.ended != nil
	case d.broken != nil:
		return true
	case e.Kind == trial.Note:
		return d.noted(e, at) || next != nil || d.ended != nil
	case next == nil && d.ended != nil:
		if e.Kind != trial.Judged {
			d.diverge("it goes on with %s where it had ended", e.Kind)
		}
		return true
	case next == nil:
		d.at = at
		return false
	case next.Kind != e.Kind || next.Agent != e.Agent || callOf(next) != callOf(e):
		d.diverge("%s where the journal has %s", eventWords(e), eventWords(next))
		return true
	}
	d.gap, d.then = next.At.Sub(d.then), next.At
	d.at = at + 1
	return true
}

// noted reports whether the journal has a note before the event at limit.
func (d *redo) noted(e *trial.Event, limit int) bool {
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

// called compares what a request adds to the conversation with what was sent.
func (d *redo) called(agent string, news []model.Message) {
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
	return a.Role == b.Role && a.CallID == b.CallID && (plain(a.Content) == b.Content || sameOutput(a.Content, b.Content))
}

// Kinds of trial.Failure.
const (
	failedProvider    = "provider"
	failedTimeout     = "timeout"
	failedContext     = "context"
	failedRefused     = "refused"
	failedUnsupported = "unsupported"
)

// failureOf says for the journal how a request ended that got no reply.
func (l *loop) failureOf(err error) *trial.Failure {
	f := &trial.Failure{Kind: failedProvider}
	tooLong, refused, without := (*model.ContextError)(nil), (*model.RefusedError)(nil), (*model.UnsupportedError)(nil)
	switch {
	case errors.As(err, &tooLong):
		f.Kind = failedContext
	case errors.As(err, &refused):
		f.Kind, f.Usage = failedRefused, refused.Usage
	case errors.As(err, &without):
		f.Kind, f.Model, f.What = failedUnsupported, l.id, without.What
	case errors.Is(err, context.DeadlineExceeded) && l.used >= l.timeout:
		f.Kind = failedTimeout
	}
	return f
}

// recall answers a request as the journal has it. ok is false where it is to be
// made: the journal has no end of it.
func (l *loop) recall(a *asking) (reply *model.Reply, err error, ok bool) {
	l.rec.asked++
	d := l.rec.redo
	if e, _ := d.next(); e == nil && (d == nil || d.ended == nil) {
		return nil, nil, false
	}
	d.called(l.rec.agent, a.called.New)
	l.rec.emit(trial.Event{Kind: trial.ModelCalled, Called: a.called})
	try, open := 1, true
	for d.failed() == nil {
		if d.at == len(d.events) {
			if open { // it was under way: this is the same request
				a.key = l.key(try)
			}
			a.called = &trial.Called{Try: try + 1}
			return nil, nil, false
		}
		switch e := &d.events[d.at]; {
		case e.Kind == trial.ModelReplied && e.Agent == l.rec.agent && e.Replied != nil:
			reply := e.Replied.Reply
			took := ofSeconds(e.Replied.Seconds)
			l.used += took
			l.out.Seconds.Provider += e.Replied.Seconds
			return &reply, l.replied(&reply, took), true
		case e.Kind == trial.ModelCalled && e.Agent == l.rec.agent && e.Called != nil && e.Called.Try > 1:
			try, open = e.Called.Try, true
		case e.Kind == trial.Note:
			open = open && e.Note.Kind != "retried" && e.Note.Failure == nil
			if err := l.failedBefore(e.Note); err != nil {
				d.at++
				return nil, l.classify(err), true
			}
		default:
			d.diverge("the journal does not say how the request in step %d ended", e.Step)
		}
		d.at++
	}
	return nil, d.failed(), true
}

// failedBefore counts a request that failed, and gives the error where that was
// its end.
func (l *loop) failedBefore(n *trial.NoteText) error {
	if n.Kind == "retried" {
		l.out.Counters.Retries++
		l.out.Seconds.Wait += n.Wait
	}
	f := n.Failure
	if f == nil {
		return nil
	}
	if f.Lost {
		l.out.Counters.Lost++
		l.out.LostUSD += f.LostUSD
		l.guessed += f.LostUSD
	}
	if n.Kind != "failed" {
		return nil
	}
	switch f.Kind {
	case failedContext:
		return &model.ContextError{Err: errors.New(strings.TrimPrefix(n.Text, (&model.ContextError{Err: errors.New("")}).Error()))}
	case failedRefused:
		return &model.RefusedError{Reason: strings.TrimPrefix(n.Text, (&model.RefusedError{}).Error()), Usage: f.Usage}
	case failedTimeout:
		l.used = max(l.used, l.timeout)
		return context.DeadlineExceeded
	}
	return nil
}

// key names a request to a provider that knows keys of requests: the same for one
// that was under way when the run was cut off and is made again.
func (l *loop) key(try int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %s %d %d", l.rec.run, l.rec.trial, l.rec.attempt, l.rec.agent, l.rec.asked, try))
	return "cookoff-" + hex.EncodeToString(sum[:16])
}

// answeredBefore compares what a call gave with what it gave before, and gives
// that: it is what the model goes on from.
func (l *loop) answeredBefore(c model.Call, res tools.Result, took time.Duration) (tools.Result, time.Duration) {
	d := l.rec.redo
	e, _ := d.next()
	if e == nil || d.failed() != nil || e.Kind != trial.ToolReturned || e.Agent != l.rec.agent || e.Returned == nil || e.Returned.CallID != c.ID {
		return res, took
	}
	was := e.Returned
	if what := differs(c.Name, was, res); what != "" {
		d.otherwise("%s in step %d: %s", c.Name, l.rec.step, what)
	}
	if took > 0 && c.Name != spawnTool {
		l.used += ofSeconds(was.Seconds) - took
		l.out.Seconds.Tools += was.Seconds - took.Seconds()
	}
	return tools.Result{Text: was.Text, Failed: was.Failed, Cut: was.Cut, Wrote: res.Wrote}, ofSeconds(was.Seconds)
}

// decidedBefore gives what a hook decided before in the place of what it says
// now.
func (d *redo) decidedBefore(e hooks.Event, name string, now hooks.Decision) hooks.Decision {
	next, _ := d.next()
	if next == nil || d.failed() != nil || next.Kind != trial.HookDecided || next.Hook == nil || next.Hook.Name != name || next.Hook.Point != string(e.Point) {
		return now
	}
	was := next.Hook
	if word := decisionWord(now); word != was.Decision {
		d.otherwise("hook %q at %s decided %s, and before %s", name, e.Point, word, was.Decision)
	} else if !sameOutput(now.Context, was.Context) && was.Context != "" || !sameOutput(now.Reason, was.Reason) {
		d.otherwise("hook %q at %s says something else than before", name, e.Point)
	}
	out := hooks.Decision{Allow: was.Decision == "allow" || was.Decision == "rewrite", Halt: was.Decision == "halt", Reason: was.Reason, Context: was.Context, Args: was.Args}
	if was.Context == "" { // also in journals of a version that did not keep it
		out.Context = now.Context
	}
	if was.Decision == "rewrite" && was.Args == nil {
		out.Args = now.Args
	}
	return out
}

// pace lets the time pass that a model took before this call, where something
// runs in the background: it shall be as far as it was.
func (l *loop) pace(ctx context.Context, c model.Call) error {
	d := l.rec.redo
	if e, _ := d.next(); e == nil {
		return nil
	}
	wait := d.gap
	if !d.jobs {
		wait, d.jobs = 0, startsJob(c)
	}
	if wait <= 0 {
		return nil
	}
	return l.r.env.Clock.Sleep(ctx, min(wait, maxPace))
}

func ofSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
