package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"cookoff/model"
	"cookoff/model/scripted"
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
				return say("a summary"), nil
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
				return say("done"), nil
			}
			if len(req.Tools) == 0 {
				return say(fmt.Sprintf("```tool_call\n"+
					"{\"name\": \"bash\", \"arguments\": {\"command\": \"echo %d\"}}\n```",
					asked)), nil
			}
			return used(bash(asked, fmt.Sprint(asked)), 2000*asked), nil
		})
		b := newBench(t, map[string]model.Chat{"test/model": chat})
		b.env.Backend = stubBackend{}
		if err := b.runner(text).RunAll(t.Context(), "r", b.log, nil); err != nil {
			t.Fatal(err)
		}
		if asked < 4 || kept && reused < asked {
			t.Errorf("%s: %d requests, %d messages reused", name, asked, reused)
		}
	}
	check("plain", quickRecipe(""), true)
	check("text", quickRecipe(textProfile+reminderSection("step == 3")), true)
	check("history turns", quickRecipe("## Context\nmax_history_turns: 2\n\n"), false)
	check("compaction", quickRecipe(budget10k+"## Context\nstrategy: auto_compact\n\n"), false)
	check("sequence", sequenceRecipe("## Constraints\nmax_steps: 4\n\n"+reminderSection("step == 2")), true)
	check("sequence of a model without system messages",
		sequenceRecipe("## Constraints\nmax_steps: 4\n\n## Model Profiles\n### test/model\nsystem_role: false\n"+
			"tool_format: text_in_prompt\n\n"), true)
}
