package conversation_test

import (
	"fmt"
	"strings"
	"testing"

	"cookoff/runner/runnertest"
	"cookoff/runner/v1"
	"cookoff/trial"
)

func TestToolsInThePrompt(t *testing.T) {
	mend := runnertest.Say("Let me.\n```tool_call\n" +
		"{\"name\": \"bash\", \"arguments\": {\"command\": \"touch done\"}}\n```")
	b, c := runnertest.Quick(t, runnertest.Say("```tool_call\nbash ls\n```"), mend, runnertest.Say("It is mended."))
	out := b.One(runnertest.Recipe(runnertest.TextProfile + "## Tools\n- bash: Runs a command.\n"))
	if out.Status != trial.Pass || out.Steps != 3 || out.Counters.ToolCalls != 1 || out.Counters.Malformed != 1 ||
		out.Answer != "It is mended." {
		t.Errorf("%+v", out)
	}
	for i, req := range c.Seen {
		if req.Tools != nil || req.Functions {
			t.Errorf("request %d offers tools", i+1)
		}
	}
	first := c.Seen[0].Messages[0].Content
	for _, want := range []string{"```tool_call\n",
		"\n\nbash: Runs a command.\n{\"type\":\"object\",\"properties\":{\"command\""} {
		if !strings.Contains(first, want) {
			t.Errorf("the system message lacks %q:\n%s", want, first)
		}
	}
	var roles []string
	for _, m := range c.Seen[2].Messages {
		roles = append(roles, string(m.Role))
	}
	if got := strings.Join(roles, " "); got != "system user assistant user assistant user" {
		t.Errorf("roles: %s", got)
	}
	last := c.Seen[2].Messages
	if got, want := last[3].Content, fmt.Sprintf(v1.Unreadable,
		`it is no JSON object with "name" and "arguments"`); got != want {
		t.Errorf("about the malformed call: %q", got)
	}
	if got, want := last[5].Content, "<tool_result id=\"call_2_1\" name=\"bash\">\n(no output)\n"+
		"</tool_result>"; got != want {
		t.Errorf("the result: %q", got)
	}
	if calls := b.Log.Text(trial.ModelCalled); !strings.Contains(calls, "tool_result") {
		t.Error("the journal lacks the message that held the result")
	}
}

func TestToolsInThePromptGoneWrongEndCleanly(t *testing.T) {
	check := func(stop trial.Stop, steps ...any) {
		t.Helper()
		b, _ := runnertest.Quick(t, steps...)
		if out := b.One(runnertest.Recipe(runnertest.TextProfile)); out.Stop != stop || out.Status != trial.Fail {
			t.Errorf("%s/%s, stop %s, %s; want stop %s", out.Status, out.Cause, out.Stop, out.Detail, stop)
		}
	}
	check(trial.StopMalformed, runnertest.Say("```tool_call\n{\n```"))
	check(trial.StopMalformed, runnertest.Say("```tool_call\n{\"name\":\"fly\",\"arguments\":{}}\n```"))
	check(trial.StopLoop, runnertest.Say("```tool_call\n{\"name\":\"bash\",\"arguments\":{\"command\":\"true\"}}\n```"))
	check(trial.StopDone, runnertest.Say("Use this:\n```sh\ntouch done\n```"))
}
