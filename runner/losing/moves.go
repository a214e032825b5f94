// Package losing finds the move with which a trial lost: the first step after
// which the task's own solution no longer mends the world. No model is asked: the
// trial's own calls are made again in fresh worlds.
package losing

import (
	"slices"

	"cookoff/trial"
)

// call is a move with what it gave.
type call struct {
	trial.Move
	agent string // whose it is; "": the contestant's own
	id    string
	gave  *trial.Returned // nil: it did not end
	made  bool            // no hook denied it
}

// callsOf gives the calls of the last attempt at a trial, of its events in order.
func callsOf(events []trial.Event) []call {
	var out []call
	last := func(agent, id string) *call {
		for i := range slices.Backward(out) {
			if out[i].agent == agent && out[i].id == id {
				return &out[i]
			}
		}
		return &call{}
	}
	for _, e := range events {
		switch {
		case e.Kind == trial.TrialStarted:
			out = nil
		case e.Kind == trial.ToolCalled && e.Tool != nil:
			again := last(e.Agent, e.Tool.CallID)
			if again.Step == e.Step && again.Step > 0 && again.gave == nil { // it was cut off, and made again
				continue
			}
			out = append(out, call{Move: trial.Move{Step: e.Step, Tool: e.Tool.Name, Args: e.Tool.Args}, agent: e.Agent,
				id: e.Tool.CallID, made: true})
		case e.Kind == trial.HookDecided && e.Hook != nil && e.Hook.Point == "pre_tool_use" && len(out) > 0:
			c := &out[len(out)-1]
			c.made = c.made && e.Hook.Decision != "deny" && e.Hook.Decision != "halt"
			if e.Hook.Args != nil {
				c.Args = e.Hook.Args
			}
		case e.Kind == trial.ToolReturned && e.Returned != nil:
			c := last(e.Agent, e.Returned.CallID)
			c.gave = e.Returned
			c.made = c.made && !e.Returned.Refused
		}
	}
	return out
}
