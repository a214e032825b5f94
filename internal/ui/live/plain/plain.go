// Package plain tells a run in sentences, a line each, one after another and never redrawn: for
// screen readers, and for terminals that can do no more.
package plain

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// longest is how many columns of foreign text stand on a line.
const longest = 300

// Teller writes what happens. It is safe for concurrent use.
type Teller struct {
	mu      sync.Mutex
	w       io.Writer
	name    Name
	models  map[string]caller // of trials
	several bool              // there are several tasks: a sentence names the one it is about
}

// Name says what a model is called, and whether that hides who it is.
type Name func(model string) (called string, hidden bool)

// New writes to w. name says what a model is called; nil: its own name. Of one
// that is hidden nothing is told that its provider says, nor what it costs.
func New(w io.Writer, name Name) *Teller {
	if name == nil {
		name = func(m string) (string, bool) { return m, false }
	}
	return &Teller{w: w, name: name, models: map[string]caller{}}
}

// Reset forgets the trials.
func (t *Teller) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.models = map[string]caller{}
}

// Emit writes the line of an event, if it has one. What can't be written is
// lost: a run does not end for it.
func (t *Teller) Emit(e trial.Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if line := t.line(e); line != "" {
		fmt.Fprintln(t.w, line)
	}
	return nil
}

func (t *Teller) line(e trial.Event) string {
	switch {
	case e.Kind == trial.RunStarted && e.Run != nil:
		t.several = len(e.Run.Tasks) > 1
		return fmt.Sprintf("The run has %s, %s and %s.", text.Count(len(e.Run.Models), "model"),
			text.Count(len(e.Run.Tasks), "task"), text.Count(len(e.Run.Trials), "trial"))
	case e.Kind == trial.RunFinished && e.End != nil:
		return ending(e.End)
	case (e.Kind == trial.TrialStarted || e.Kind == trial.TrialResumed) && e.Start != nil:
		called, hidden := t.name(e.Start.Model)
		m := caller{called: text.Line(called), hidden: hidden}
		if t.several {
			m.task = fmt.Sprintf("%q", text.Line(e.Start.Task))
		}
		t.models[e.Trial] = m
	}
	return t.models[e.Trial].told(e)
}

func ending(end *trial.End) string {
	switch {
	case end.Interrupted:
		return "The run was interrupted."
	case end.Error != "":
		return stopped("The run broke off: " + text.Line(end.Error))
	}
	return "The run has finished."
}

// bounded keeps what stands on a line of a text that may be very long: whole
// sentences, where they have room.
func bounded(s string) string {
	if len(s) > 8*longest {
		s = strings.ToValidUTF8(s[:8*longest], "")
	}
	return text.Sentences(text.Line(strings.TrimSpace(s)), longest)
}

// stopped ends a sentence that ends with what somebody else wrote.
func stopped(s string) string {
	if strings.HasSuffix(s, "…") || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") ||
		strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}
