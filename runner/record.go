package runner

import (
	"fmt"
	"strings"

	"cookoff/runner/clock"
	"cookoff/sandbox"
	"cookoff/trial"
)

// recorder emits the events of one attempt, numbered from 1. It keeps the
// first error of the sink: the run can't go on without its record.
type recorder struct {
	sink    trial.Sink
	clock   clock.Clock
	run     string
	trial   string
	attempt int
	redo    *redo // what the journal has of the attempt; nil: nothing
	asked   int   // requests of models, without further tries
	step    int
	agent   string // path of the sub-agent; "": the contestant
	seq     int
	err     error
}

func (r *recorder) emit(e trial.Event) {
	if r.err != nil {
		return
	}
	e.Trial, e.Attempt, e.Step, e.Agent = r.trial, r.attempt, r.step, r.agent
	if r.redo.has(&e) {
		return
	}
	r.seq++
	e.Seq = r.seq
	e.At = r.clock.Now().UTC()
	r.err = r.sink.Emit(e)
	if r.err == nil && (e.Kind == trial.ModelCalled || e.Kind == trial.ModelReplied) { // what costs money survives the machine
		r.err = trial.Sync(r.sink)
	}
}

// failed gives why the attempt can't go on: its record can't be kept, or what is
// done again is not what was done.
func (r *recorder) failed() error {
	if r.err != nil {
		return r.err
	}
	return r.redo.failed()
}

// begin writes that an attempt begins, or goes on.
func (r *recorder) begin(t try) {
	if r.redo == nil {
		r.emit(trial.Event{Kind: trial.TrialStarted, Start: &t.Trial})
		if t.anew != "" {
			r.note("anew", t.anew)
		}
		return
	}
	replies, calls := r.redo.count()
	r.seq = r.redo.seq
	r.emit(trial.Event{Kind: trial.TrialResumed, Start: &t.Trial, Resumed: &trial.Resumed{Replies: replies, Calls: calls, Unsettled: r.redo.unsettled}})
}

// diverged says at the end what came out otherwise when it was done again.
func (r *recorder) diverged(out *trial.Outcome) {
	if r.redo == nil || len(r.redo.differ) == 0 {
		return
	}
	r.note("diverged", strings.Join(r.redo.differ, "\n"))
	out.Caveats = append(out.Caveats, fmt.Sprintf("trial %s went on with recorded results where tools gave others: %d", r.trial, len(r.redo.differ)))
}

func (r *recorder) note(kind, text string) {
	r.emit(trial.Event{Kind: trial.Note, Note: &trial.NoteText{Kind: kind, Text: text}})
}

// notShown notes what of the host a world lacks that is to show all of it.
func (r *recorder) notShown(sb sandbox.Sandbox) {
	p, ok := sb.(sandbox.Partial)
	if !ok || len(p.NotShown()) == 0 {
		return
	}
	r.note("host", "not shown:\n"+strings.Join(p.NotShown(), "\n"))
}

// elsewhere notes what a sealed world changed outside of project and home: it
// counts for nothing, and who reads the transcript wonders why.
func (r *recorder) elsewhere(sb sandbox.Sandbox) {
	p, ok := sb.(sandbox.Partial)
	if !ok {
		return
	}
	some, more := p.ChangedElsewhere()
	if len(some) == 0 {
		return
	}
	text := "changed outside of /work and the home, where nothing is kept:\n" + strings.ToValidUTF8(strings.Join(some, "\n"), "\uFFFD")
	if more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	r.note("host", text)
}
