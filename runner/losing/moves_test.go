package losing

import (
	"encoding/json"
	"testing"

	"cookoff/trial"
)

// What was refused was not made; what a hook rewrote is made as it was rewritten; only
// the last attempt counts; a call that was cut off and made again is one.
func TestCalls(t *testing.T) {
	tool := func(step int, id string) trial.Event {
		return trial.Event{Kind: trial.ToolCalled, Step: step,
			Tool: &trial.Tool{CallID: id, Name: "bash", Args: json.RawMessage(`{"command":"x"}`)}}
	}
	gave := func(step int, id string, failed, refused bool) trial.Event {
		return trial.Event{Kind: trial.ToolReturned, Step: step,
			Returned: &trial.Returned{CallID: id, Name: "bash", Failed: failed, Refused: refused}}
	}
	list := callsOf([]trial.Event{
		{Kind: trial.TrialStarted}, tool(1, "lost"),
		{Kind: trial.TrialStarted},
		tool(1, "a"), tool(1, "a"), gave(1, "a", false, false),
		tool(2, "b"), gave(2, "b", true, true),
		tool(2, "c"), gave(2, "c", true, true),
		tool(3, "d"), {Kind: trial.HookDecided, Hook: &trial.Hook{Point: "pre_tool_use", Decision: "rewrite",
			Args: json.RawMessage(`{"command":"y"}`)}}, gave(3, "d", true, false),
		tool(4, "e"), {Kind: trial.HookDecided, Hook: &trial.Hook{Point: "pre_tool_use", Decision: "deny"}},
	})
	want := []struct {
		id, command string
		made        bool
	}{{"a", "x", true}, {"b", "x", false}, {"c", "x", false}, {"d", "y", true}, {"e", "x", false}}
	if len(list) != len(want) {
		t.Fatalf("%+v", list)
	}
	for i, w := range want {
		if c := list[i]; c.id != w.id || c.Command() != w.command || c.made != w.made {
			t.Errorf("call %d: %s %s made %v, want %+v", i, c.id, c.Command(), c.made, w)
		}
	}
}
