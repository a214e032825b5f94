package conversation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"cookoff/model"
	"cookoff/runner/runnertest"
)

// TestGoldenConversations holds still what version 1 says in every dialect,
// and what it says of its own: reminders, compaction, sub-agents. Requests
// follow each other; each is given by what is new in it.
func TestGoldenConversations(t *testing.T) {
	var got bytes.Buffer
	play := func(name, sections string, steps ...any) {
		b, c := runnertest.Quick(t, steps...)
		b.One(runnertest.Recipe("## Tools\n- bash\n- read_file:\n\n" + sections))
		fmt.Fprintf(&got, "==== %s\n", name)
		before := model.Request{}
		for i, req := range c.Seen {
			fmt.Fprintf(&got, "---- request %d: tools %s, functions %v\n", i+1, names(req), req.Functions)
			same := 0
			for same < min(len(before.Messages), len(req.Messages)) &&
				runnertest.Told(model.Request{Messages: before.Messages[same : same+
					1]}) == runnertest.Told(model.Request{Messages: req.Messages[same : same+1]}) {
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
	play("native", remind, runnertest.Call("1", "bash", `{"command": "ls`), runnertest.Bash(2, "b"),
		runnertest.Say("done"))
	play("function_calling", profile("tool_format: function_calling\n")+remind, runnertest.Bash(1, "a"),
		runnertest.Say("done"))
	play("text_in_prompt", profile("tool_format: text_in_prompt\n")+remind, runnertest.Say(fenced),
		runnertest.Say("```tool_call\nls\n```"),
		runnertest.Say("done"))
	play("no system messages", profile("system_role: false\n")+remind, runnertest.Bash(1, "a"), runnertest.Say("done"))
	play("system messages anywhere", profile("mid_convo_system: true\n")+remind, runnertest.Bash(1, "a"),
		runnertest.Say("done"))
	play("compaction", profile("context_budget: 10000\n")+"## Context\nstrategy: auto_compact\n\n",
		used(runnertest.Bash(1, "a"), 9000), runnertest.Say("It is half done."), runnertest.Say("done"))
	play("sub-agent", subAgents+"## Sub-Agent Modes\n### look\nOnly look.\n\n",
		spawn(1, `{"mode":"look","prompt":"Look."}`), runnertest.Say("Seen."), runnertest.Say("done"))
	play("truncated, empty, over and over", "",
		&model.Reply{Message: model.Message{Content: "I"}, Finish: model.FinishLength}, runnertest.Say(""),
		runnertest.Bash(1, "a"))
	runnertest.Golden(t, filepath.Join("..", "..", "testdata", "golden", "v1", "conversations.txt"), got.Bytes())
}

// TestGoldenRequests holds still what version 1 sends to a model.
func TestGoldenRequests(t *testing.T) {
	c := &runnertest.Chat{Steps: []any{runnertest.Call("1", "bash", `{"command":"ls; exit 3"}`),
		runnertest.Call("2", "nope", `{}`),
		runnertest.Say(""), runnertest.Say("done")}}
	b := runnertest.New(t, map[string]model.Chat{"test/model": c})
	b.One(fmt.Sprintf(runnertest.MendRecipe, "## System Prompt\nBe brief.\n\n## Model Parameters\ntemperature: 0\n"))
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	for _, req := range c.Seen {
		if err := enc.Encode(req); err != nil {
			t.Fatal(err)
		}
	}
	runnertest.Golden(t, filepath.Join("..", "..", "testdata", "golden", "v1", "requests.json"), got.Bytes())
}
