package runner

import (
	"fmt"
	"maps"
	"slices"
)

// now gives the variables of triggers as they are.
func (l *loop) now() map[string]any {
	env := maps.Clone(l.r.triggers)
	env["step"], env["turn_count"] = l.out.Steps+1, l.out.Steps
	if l.maxSteps > 0 {
		env["steps_left"] = l.maxSteps - l.out.Steps
	}
	env["tool_calls"], env["tool_errors"], env["writes"] = l.out.Counters.ToolCalls, l.failed, l.wrote
	env["tool_used"], env["last_tool_call_failed"] = l.recent.tool, l.recent.failed
	env["last_response_tokens"] = l.recent.output
	env["context_usage"] = float64(l.estimate()) / float64(l.budget)
	env["elapsed_seconds"], env["seconds_left"] = l.used.Seconds(), (l.timeout - l.used).Seconds()
	env["cost"] = l.spent
	return env
}

// remind says every reminder whose trigger has turned from false to true since
// it was last looked at, and those that a person asks for and that are due.
func (l *loop) remind() error {
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
			l.rec.Note("unsaid", fmt.Sprintf("%s: asked for by hand, and the rest of its trigger does not hold", a.Name))
		case due:
			l.out.Counters.Reminders++
			l.rec.Note("reminded", a.Name)
			l.mention("system-reminder", a.Text)
		}
	}
	l.manual = nil
	return l.rec.Err()
}
