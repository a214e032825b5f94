package loop

import (
	"fmt"
	"maps"
	"slices"
)

// now gives the variables of triggers as they are.
func (l *Loop) now() map[string]any {
	env := maps.Clone(l.Names)
	env["step"], env["turn_count"] = l.Outcome.Steps+1, l.Outcome.Steps
	if l.MaxSteps > 0 {
		env["steps_left"] = l.MaxSteps - l.Outcome.Steps
	}
	env["tool_calls"], env["tool_errors"], env["writes"] = l.Outcome.Counters.ToolCalls, l.failed, l.wrote
	env["tool_used"], env["last_tool_call_failed"] = l.calls.recent.tool, l.calls.recent.failed
	env["last_response_tokens"] = l.output
	env["context_usage"] = float64(l.estimate()) / float64(l.budget)
	env["elapsed_seconds"], env["seconds_left"] = l.used.Seconds(), (l.Timeout - l.used).Seconds()
	env["cost"] = l.spent
	return env
}

// remind says every reminder whose trigger has turned from false to true since
// it was last looked at, and those that a person asks for and that are due.
func (l *Loop) remind() error {
	if len(l.reminders) == 0 {
		return nil
	}
	env := l.now()
	for i := range l.reminders {
		a := &l.reminders[i]
		due, idle, err := a.Due(env, slices.Contains(l.manual, a.Name))
		switch {
		case err != nil:
			return err
		case idle:
			l.Record.Note("unsaid", fmt.Sprintf("%s: asked for by hand, and the rest of its trigger does not hold",
				a.Name))
		case due:
			l.Outcome.Counters.Reminders++
			l.Record.Note("reminded", a.Name)
			l.mention("system-reminder", a.Text)
		}
	}
	l.manual = nil
	return l.Record.Err()
}
