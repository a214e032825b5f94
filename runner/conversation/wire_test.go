package conversation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"cookoff/model"
	"cookoff/model/scripted"
	"cookoff/runner/runnertest"
)

// TestWhatWasEncodedStaysTrue: whatever is done to a conversation, a Wire never
// holds a message that is no longer so.
func TestWhatWasEncodedStaysTrue(t *testing.T) {
	check := func(name, text string, kept bool) {
		t.Helper()
		asked, reused := 0, 0
		chat := scripted.Func(func(_ context.Context, req *model.Request) (*model.Reply, error) {
			asked++
			if req.Wire == nil { // for a summary
				return runnertest.Say("a summary"), nil
			}
			reused += req.Wire.Messages
			held := req.Wire
			for _, m := range req.Messages[held.Messages:] {
				line, _ := json.Marshal(m)
				held.Bytes, held.Messages = append(append(held.Bytes, line...), '\n'), held.Messages+1
			}
			want := ""
			for _, m := range req.Messages {
				line, _ := json.Marshal(m)
				want += string(line) + "\n"
			}
			if string(held.Bytes) != want {
				t.Fatalf("%s, request %d: the wire holds\n%s\nthe conversation is\n%s", name, asked, held.Bytes, want)
			}
			if asked%6 == 0 {
				return runnertest.Say("done"), nil
			}
			if len(req.Tools) == 0 {
				return runnertest.Say(fmt.Sprintf("```tool_call\n"+
					"{\"name\": \"bash\", \"arguments\": {\"command\": \"echo %d\"}}\n```",
					asked)), nil
			}
			return used(runnertest.Bash(asked, fmt.Sprint(asked)), 2000*asked), nil
		})
		b := runnertest.New(t, map[string]model.Chat{"test/model": chat})
		b.Env.Backend = runnertest.Backend{}
		if err := b.Runner(text).RunAll(t.Context(), "r", b.Log, nil); err != nil {
			t.Fatal(err)
		}
		if asked < 4 || kept && reused < asked {
			t.Errorf("%s: %d requests, %d messages reused", name, asked, reused)
		}
	}
	check("plain", runnertest.Recipe(""), true)
	check("text", runnertest.Recipe(runnertest.TextProfile+reminderSection("step == 3")), true)
	check("history turns", runnertest.Recipe("## Context\nmax_history_turns: 2\n\n"), false)
	check("compaction", runnertest.Recipe(budget10k+"## Context\nstrategy: auto_compact\n\n"), false)
	check("sequence", runnertest.SequenceRecipe("## Constraints\nmax_steps: 4\n\n"+reminderSection("step == 2")), true)
	check("sequence of a model without system messages",
		runnertest.SequenceRecipe("## Constraints\nmax_steps: 4\n\n## Model Profiles\n### test/model\nsystem_role: false\n"+
			"tool_format: text_in_prompt\n\n"), true)
}
