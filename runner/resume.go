package runner

import (
	"fmt"
	"slices"

	"cookoff/runner/record"
	"cookoff/runner/resumed"
	"cookoff/runner/worlds"
	"cookoff/sandbox"
	"cookoff/tools"
	"cookoff/trial"
)

// resuming says what trials go on from.
type resuming struct {
	Resume
	*worlds.Worlds
	servers *servers
}

// goesOn gives how many attempts at a trial were made, and what the last of them
// goes on from; nil where it begins anew, with the reason where that costs
// something.
func (r *resuming) goesOn(t trial.Trial, hand *handover) (attempts int, again *record.Redo, anew string) {
	p := r.Journal
	attempts = p.Attempts(t)
	if attempts == 0 {
		return 0, nil, ""
	}
	out, ended := p.Outcome(t)
	if !ended || out.Status == trial.Void && slices.Contains([]trial.Cause{trial.CauseCancelled, trial.CauseProvider},
		out.Cause) {
		again = record.NewRedo(p.Events(t), r.OnDivergence)
	} else if r.Sequential() && out.Status != trial.Void {
		if again = record.NewRedo(p.Events(t), r.OnDivergence); again != nil {
			again.Ended = &out
		}
	}
	if again == nil {
		return attempts, nil, ""
	}
	again.Unsettled = p.UnsettledOf(t).Requests
	if hand != nil && hand.fresh {
		return attempts, nil, restartText("what the trial before it left is not what it was", p.Paid(t))
	}
	if why := r.unrepeatable(t, again); why != "" {
		return attempts, nil, restartText(why, p.Paid(t))
	}
	return attempts, again, ""
}

// takenUp gives what the next try of a void trial goes on from; nil where it begins
// anew, with the reason where that costs something.
func (r *resuming) takenUp(t trial.Trial, out trial.Outcome, cause error, m *remembered) (again *record.Redo,
	anew string) {
	if out.Cause != trial.CauseProvider && !worlds.LostHost(cause) {
		return nil, ""
	}
	again = record.NewRedo(m.events, r.OnDivergence)
	if replies, _ := again.Count(); replies == 0 {
		return nil, ""
	}
	if why := r.unrepeatable(t, again); why != "" {
		return nil, restartText(why, m.paid)
	}
	return again, ""
}

// unrepeatable says what of an attempt can't be done again; "": all of it can.
func (r *resuming) unrepeatable(t trial.Trial, d *record.Redo) string {
	if r.Models[t.Model].Agent != nil {
		return "an agent's conversation can't be taken up"
	}
	spec := r.Spec(r.TaskOf[t.Task], sandbox.Agent)
	outside := map[string]string{} // tools on the wire, and their servers
	for _, s := range r.Servers {
		if l := r.servers.lists[s.Name]; s.URL != "" && l != nil {
			for _, tool := range l.Tools {
				outside[tool.Spec.Name] = s.Name
			}
		}
	}
	for _, e := range d.Events() {
		switch {
		case e.Kind == trial.Note && e.Note.Kind == "network":
			return "it has reached the network"
		case e.Kind != trial.ToolCalled || e.Tool == nil:
		case outside[e.Tool.Name] != "":
			return fmt.Sprintf("it has asked the MCP server %q, which is outside of its world", outside[e.Tool.Name])
		case spec.Network == sandbox.FullNetwork && e.Tool.Name != "read_file" &&
			slices.Contains(tools.Names(), e.Tool.Name):
			return "its commands had the whole network"
		}
	}
	return ""
}

// restarted reports whether a trial before began anew.
func (h *handover) restarted() bool { return h != nil && h.fresh }

// restartText says that a trial begins anew, and what of USD that costs.
func restartText(why string, paid float64) string {
	text := "this trial can't go on where it was: " + why
	if paid > 0 {
		text += fmt.Sprintf("; the replies of the attempt before, $%.4f, are paid again", paid)
	}
	return text
}

// remembered passes the events of an attempt on, and keeps them: where a provider
// voids it, the next try goes on from its last reply.
type remembered struct {
	sink   trial.Sink
	events []trial.Event
	paid   float64 // USD, for its replies
}

func (m *remembered) Emit(e trial.Event) error {
	m.events = append(m.events, e)
	if e.Replied != nil && e.Replied.CostUSD != nil {
		m.paid += *e.Replied.CostUSD
	}
	return m.sink.Emit(e)
}

// Sync is the sink's.
func (m *remembered) Sync() error { return trial.Sync(m.sink) }

// recall takes in what the journal has of an attempt that goes on.
func (m *remembered) recall(p *resumed.Journal, t trial.Trial, d *record.Redo) {
	if d != nil {
		m.events, m.paid = slices.Clone(p.Events(t)), p.Paid(t)
	}
}

func (m *remembered) forget() { m.events, m.paid = nil, 0 }
