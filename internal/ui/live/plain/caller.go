package plain

import (
	"fmt"

	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// caller is whom the sentences about a trial are about.
type caller struct {
	called string // the model
	task   string // in quotes; "": there is only one
	hidden bool   // who it is
}

// told is the sentence of an event; "" has none.
func (m caller) told(e trial.Event) string {
	switch {
	case e.Kind == trial.Note && e.Note != nil && e.Note.Kind == trial.NoteProtocol:
		return ""
	case e.Kind == trial.Note && e.Note != nil && m.hidden:
		return fmt.Sprintf("A note on %s: %s.", m.on(), e.Note.Kind)
	case e.Kind == trial.Note && e.Note != nil:
		return stopped(fmt.Sprintf("A note on %s: %s, %s", m.on(), e.Note.Kind, bounded(e.Note.Text)))
	case e.Kind == trial.TrialStarted && e.Start != nil:
		return m.called + " begins" + m.with("") + "."
	case e.Kind == trial.TrialResumed && e.Resumed != nil:
		return fmt.Sprintf("%s goes on%s after %s.", m.called, m.with(" with"), replies(e.Resumed.Replies))
	case e.Kind == trial.ModelReplied && e.Replied != nil:
		if said := bounded(e.Replied.Reply.Message.Content); said != "" {
			return stopped(m.on() + " says: " + said)
		}
	case e.Kind == trial.ToolCalled && e.Tool != nil: // no point behind a command
		return fmt.Sprintf("%s calls %s: %s", m.on(), text.Line(e.Tool.Name), bounded(board.Gist(e.Tool.Args)))
	case e.Kind == trial.ToolReturned && e.Returned != nil && e.Returned.Failed:
		return stopped(fmt.Sprintf("%s failed for %s: %s", text.Line(e.Returned.Name), m.on(),
			bounded(e.Returned.Text)))
	case e.Kind == trial.TrialFinished && e.Outcome != nil:
		return m.ended(e.Outcome)
	}
	return ""
}

// on names the model, and the task where there are several.
func (m caller) on() string { return m.called + m.with(" on") }

// with names the task behind a word, where there are several.
func (m caller) with(word string) string {
	if m.task == "" {
		return ""
	}
	return word + " " + m.task
}

func replies(n int) string {
	if n == 1 {
		return "1 reply"
	}
	return fmt.Sprintf("%d replies", n)
}

// ended says what became of a trial.
func (m caller) ended(o *trial.Outcome) string {
	task := m.task
	if task == "" {
		task = "it"
	}
	var says string
	switch {
	case o.Cause == trial.CauseCancelled:
		says = fmt.Sprintf("%s was stopped%s", m.called, m.with(" at"))
	case o.Cause == trial.CauseVerifier && len(o.Verdicts) == 0:
		says = fmt.Sprintf("%s is done%s", m.called, m.with(" with"))
	case o.Status == trial.Pass:
		says = fmt.Sprintf("%s fixed %s", m.called, task)
	case o.Status == trial.Fail:
		says = fmt.Sprintf("%s did not fix %s", m.called, task)
	default:
		says = fmt.Sprintf("The trial of %s is void", m.on())
	}
	if o.Cause != "" && o.Cause != trial.CauseCancelled && (o.Cause != trial.CauseVerifier || len(o.Verdicts) > 0) {
		says += " (" + text.Line(string(o.Cause)) + ")"
	}
	says += fmt.Sprintf(", after %s and %.1f seconds", text.Count(o.Steps, "step"), o.Seconds.Agent)
	if o.CostUSD != nil && !m.hidden {
		says += fmt.Sprintf(", for $%.4f", *o.CostUSD)
	}
	return says + "."
}
