// Package record writes the events of attempts, and knows what the journal has of
// one that goes on.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"cookoff/runner/clock"
	"cookoff/sandbox"
	"cookoff/sandbox/gate"
	"cookoff/trial"
)

// Recorder emits the events of one attempt, numbered from 1. It keeps the
// first error of the sink: the run can't go on without its record.
type Recorder struct {
	Sink    trial.Sink
	Clock   clock.Clock
	Run     string
	Trial   string
	Host    string // the machine that it runs on; "": there are no others
	Attempt int
	Redo    *Redo // what the journal has of the attempt; nil: nothing
	asked   int   // requests of models, without further tries
	Step    int
	Agent   string // path of the sub-agent; "": the contestant
	seq     int
	err     error
}

// Emit records an event of this trial, attempt and step. One that a resumed attempt has in
// its journal already is not recorded again; after an error nothing is, see Err.
func (r *Recorder) Emit(e trial.Event) {
	if r.err != nil {
		return
	}
	e.Trial, e.Attempt, e.Step, e.Agent = r.Trial, r.Attempt, r.Step, r.Agent
	if r.Redo.has(&e) {
		return
	}
	r.seq++
	e.Seq = r.seq
	e.At = r.Clock.Now().UTC()
	r.err = r.Sink.Emit(e)
	if r.err == nil && lasts(&e) {
		r.err = trial.Sync(r.Sink)
	}
}

// lasts reports whether an event has to survive the machine before anything else is done:
// what costs money, and how a trial ended. One that was interrupted ended nothing: it goes
// on from its last reply, and hundreds of them don't wait for the disk.
func lasts(e *trial.Event) bool {
	switch e.Kind {
	case trial.ModelCalled, trial.ModelReplied:
		return true
	case trial.TrialFinished:
		return e.Outcome.Cause != trial.CauseCancelled
	}
	return e.Request != nil && e.Request.CostUSD != nil
}

// Failed gives why the attempt can't go on: its record can't be kept, or what is
// done again is not what was done.
func (r *Recorder) Failed() error {
	if r.err != nil {
		return r.err
	}
	return r.Redo.Failed()
}

// Begin writes that an attempt begins, or goes on. anew is why it begins anew; "":
// it does not.
func (r *Recorder) Begin(t trial.Trial, anew string) {
	if r.Redo == nil {
		r.Emit(trial.Event{Kind: trial.TrialStarted, Start: &t, Host: r.Host})
		if anew != "" {
			r.Note("anew", anew)
		}
		return
	}
	replies, calls := r.Redo.Count()
	r.seq = r.Redo.seq
	r.Emit(trial.Event{Kind: trial.TrialResumed, Start: &t, Host: r.Host,
		Resumed: &trial.Resumed{Replies: replies, Calls: calls, Unsettled: r.Redo.Unsettled}})
}

// Diverged says at the end what came out otherwise when it was done again.
func (r *Recorder) Diverged(out *trial.Outcome) {
	if r.Redo == nil || len(r.Redo.differ) == 0 {
		return
	}
	r.Note("diverged", strings.Join(r.Redo.differ, "\n"))
	out.Caveats = append(out.Caveats, fmt.Sprintf("trial %s went on with recorded results where tools gave others: %d",
		r.Trial, len(r.Redo.differ)))
}

// Note records a text for readers of the journal. kind is a word such as compacted.
func (r *Recorder) Note(kind, text string) {
	r.Emit(trial.Event{Kind: trial.Note, Note: &trial.NoteText{Kind: kind, Text: text}})
}

// NotShown notes what of the host a world lacks that is to show all of it.
func (r *Recorder) NotShown(sb sandbox.Sandbox) {
	p, ok := sb.(sandbox.Partial)
	if !ok || len(p.NotShown()) == 0 {
		return
	}
	r.Note("host", "not shown:\n"+strings.Join(p.NotShown(), "\n"))
}

// Elsewhere notes what a sealed world changed outside of project and home: it
// counts for nothing, and who reads the transcript wonders why.
func (r *Recorder) Elsewhere(sb sandbox.Sandbox) {
	p, ok := sb.(sandbox.Partial)
	if !ok {
		return
	}
	some, more := p.ChangedElsewhere()
	if len(some) == 0 {
		return
	}
	text := "changed outside of /work and the home, where nothing is kept:\n" + strings.ToValidUTF8(strings.Join(some,
		"\n"), "\uFFFD")
	if more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	r.Note("host", text)
}

// Network notes what went out, or tried to, since it was noted last.
func (r *Recorder) Network(g *gate.Gate) {
	if g == nil {
		return
	}
	all, more := g.Attempts()
	var lines []string
	for _, a := range all {
		lines = append(lines, a.String())
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	if len(lines) > 0 {
		r.Emit(trial.Event{Kind: trial.Note, Note: &trial.NoteText{Kind: "network", Text: strings.Join(lines, "\n")}})
	}
}

// CountRequest counts a request of a model: its further tries are the same one.
func (r *Recorder) CountRequest() { r.asked++ }

// Key names a request to a provider that knows keys of requests: the same for one
// that was under way when the run was cut off and is made again.
func (r *Recorder) Key(try int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %s %d %d", r.Run, r.Trial, r.Attempt, r.Agent, r.asked, try))
	return "cookoff-" + hex.EncodeToString(sum[:16])
}

// Err is the first error of the sink.
func (r *Recorder) Err() error { return r.err }
