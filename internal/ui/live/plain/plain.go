// Package plain tells a run in lines, one after another and never redrawn: for
// screen readers, and for terminals that can do no more.
package plain

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// longest is how many columns of foreign text stand on a line.
const longest = 200

// Teller writes what happens. It is safe for concurrent use.
type Teller struct {
	mu      sync.Mutex
	w       io.Writer
	name    Name
	models  map[string]caller // of trials
	several bool              // tasks
}

// Name says what a model is called, and whether that hides who it is.
type Name func(model string) (called string, hidden bool)

// caller is what a trial's model is called.
type caller struct {
	called string
	hidden bool
}

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
		return fmt.Sprintf("run: %d models, %d tasks, %d trials", len(e.Run.Models), len(e.Run.Tasks), len(e.Run.Trials))
	case e.Kind == trial.RunFinished && e.End != nil:
		return "run: " + ending(e.End)
	case (e.Kind == trial.TrialStarted || e.Kind == trial.TrialResumed) && e.Start != nil:
		called, hidden := t.name(e.Start.Model)
		if t.several {
			called += ", " + e.Start.Task
		}
		t.models[e.Trial] = caller{called, hidden}
	}
	m := t.models[e.Trial]
	what := said(e, m.hidden)
	if what == "" {
		return ""
	}
	return text.Line(m.called) + ": " + text.Cut(text.Line(what), longest)
}

func ending(end *trial.End) string {
	switch {
	case end.Interrupted:
		return "interrupted"
	case end.Error != "":
		return "broken off: " + text.Line(end.Error)
	}
	return "finished"
}

// said is what an event tells.
func said(e trial.Event, hidden bool) string {
	switch {
	case hidden && e.Kind == trial.Note && e.Note != nil:
		return e.Note.Kind
	case e.Kind == trial.TrialStarted && e.Start != nil:
		return "begins"
	case e.Kind == trial.TrialResumed && e.Resumed != nil:
		return fmt.Sprintf("goes on after %d replies", e.Resumed.Replies)
	case e.Kind == trial.ModelReplied && e.Replied != nil:
		return strings.TrimSpace(bounded(e.Replied.Reply.Message.Content))
	case e.Kind == trial.ToolCalled && e.Tool != nil:
		return "calls " + e.Tool.Name + " " + bounded(board.Gist(e.Tool.Args))
	case e.Kind == trial.ToolReturned && e.Returned != nil && e.Returned.Failed:
		return e.Returned.Name + " failed: " + bounded(e.Returned.Text)
	case e.Kind == trial.Note && e.Note != nil:
		return e.Note.Kind + ": " + bounded(e.Note.Text)
	case e.Kind == trial.TrialFinished && e.Outcome != nil:
		return outcome(e.Outcome, hidden)
	}
	return ""
}

// bounded keeps what stands on a line of a text that may be very long.
func bounded(s string) string {
	if len(s) > 4*longest {
		return strings.ToValidUTF8(s[:4*longest], "") + "…"
	}
	return s
}

func outcome(o *trial.Outcome, hidden bool) string {
	word := map[trial.Status]string{trial.Pass: "fixed", trial.Fail: "not fixed", trial.Void: "void"}[o.Status]
	switch {
	case o.Cause == trial.CauseCancelled:
		word = "stopped"
	case o.Cause == trial.CauseVerifier && len(o.Verdicts) == 0:
		word = "done"
	case o.Cause != "":
		word += " (" + string(o.Cause) + ")"
	}
	words := fmt.Sprintf("%s after %s, %.1f seconds", word, text.Count(o.Steps, "step"), o.Seconds.Agent)
	if o.CostUSD != nil && !hidden {
		words += fmt.Sprintf(", $%.4f", *o.CostUSD)
	}
	return words
}
