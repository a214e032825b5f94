package runner

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"cookoff/model"
)

// TestGoldenConversations holds still what version 1 says in every dialect,
// and what it says of its own: reminders, compaction, sub-agents. Requests
// follow each other; each is given by what is new in it.
func TestGoldenConversations(t *testing.T) {
	var got bytes.Buffer
	play := func(name, sections string, steps ...any) {
		b, c := quick(t, steps...)
		b.one(quickRecipe("## Tools\n- bash\n- read_file:\n\n" + sections))
		fmt.Fprintf(&got, "==== %s\n", name)
		before := model.Request{}
		for i, req := range c.seen {
			fmt.Fprintf(&got, "---- request %d: tools %s, functions %v\n", i+1, names(req), req.Functions)
			same := 0
			for same < min(len(before.Messages), len(req.Messages)) &&
				told(model.Request{Messages: before.Messages[same : same+
					1]}) == told(model.Request{Messages: req.Messages[same : same+1]}) {
				same++
			}
			if same > 0 {
				fmt.Fprintf(&got, "(%d messages as before)\n", same)
			}
			for _, m := range req.Messages[same:] {
				fmt.Fprintf(&got, "[%s] %s\n", m.Role, m.Content)
				for _, c := range m.Calls {
					fmt.Fprintf(&got, "calls %s: %s %s\n", c.ID, c.Name, c.Arguments)
				}
			}
			before = req
		}
	}
	profile := func(keys string) string { return "## Model Profiles\n### test/model\n" + keys + "\n" }
	remind := "## System Reminders\n### r\ntrigger: step == 2\n\nHurry.\n\n"
	fenced := "```tool_call\n{\"name\": \"bash\", \"arguments\": {\"command\": \"echo a\"}}\n```"
	play("native", remind, call("1", "bash", `{"command": "ls`), bash(2, "b"), say("done"))
	play("function_calling", profile("tool_format: function_calling\n")+remind, bash(1, "a"), say("done"))
	play("text_in_prompt", profile("tool_format: text_in_prompt\n")+remind, say(fenced), say("```tool_call\nls\n```"),
		say("done"))
	play("no system messages", profile("system_role: false\n")+remind, bash(1, "a"), say("done"))
	play("system messages anywhere", profile("mid_convo_system: true\n")+remind, bash(1, "a"), say("done"))
	play("compaction", profile("context_budget: 10000\n")+"## Context\nstrategy: auto_compact\n\n",
		used(bash(1, "a"), 9000), say("It is half done."), say("done"))
	play("sub-agent", subAgents+"## Sub-Agent Modes\n### look\nOnly look.\n\n",
		spawn(1, `{"mode":"look","prompt":"Look."}`), say("Seen."), say("done"))
	play("truncated, empty, over and over", "",
		&model.Reply{Message: model.Message{Content: "I"}, Finish: model.FinishLength}, say(""), bash(1, "a"))
	golden(t, filepath.Join("..", "testdata", "golden", "v1", "conversations.txt"), got.Bytes())
}
