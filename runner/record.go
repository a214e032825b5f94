package runner

import (
	"fmt"
	"strings"

	"cookoff/sandbox"
	"cookoff/trial"
)

// recorder emits the events of one attempt, numbered from 1. It keeps the
// first error of the sink: the run can't go on without its record.
type recorder struct {
	sink    trial.Sink
	clock   Clock
	trial   string
	attempt int
	step    int
	agent   string // path of the sub-agent; "": the contestant
	seq     int
	err     error
}

func (r *recorder) emit(e trial.Event) {
	if r.err != nil {
		return
	}
	r.seq++
	e.Seq, e.Trial, e.Attempt, e.Step = r.seq, r.trial, r.attempt, r.step
	e.Agent = r.agent
	e.At = r.clock.Now().UTC()
	r.err = r.sink.Emit(e)
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
