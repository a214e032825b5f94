package baseline

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"cookoff/model"
)

var (
	bash = model.ToolSpec{Name: "bash",
		Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)}
	node  = model.ToolSpec{Name: "repair_node_version", Parameters: json.RawMessage(`{"type":"object"}`)}
	start = []model.Message{{Role: model.System, Content: "be good"}, {Role: model.User, Content: "node is wrong"}}
)

// talk plays the loop: it answers each call with the next result, and gives
// what was called and the final text.
func talk(t *testing.T, chat model.Chat, tools []model.ToolSpec, results ...string) (called []model.Call,
	final string) {
	t.Helper()
	req := &model.Request{Messages: start, Tools: tools}
	for range len(results) + 1 {
		reply, err := chat.Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if reply.Message.Role != model.Assistant || reply.Usage != (model.Usage{Known: true}) {
			t.Fatalf("reply is no free assistant message: %+v", reply)
		}
		if len(reply.Message.Calls) == 0 {
			if reply.Finish != model.FinishStop || reply.Message.Content == "" {
				t.Fatalf("ends without a text: %+v", reply)
			}
			return called, reply.Message.Content
		}
		if reply.Finish != model.FinishCalls || len(reply.Message.Calls) != 1 {
			t.Fatalf("want one call a step: %+v", reply)
		}
		c := reply.Message.Calls[0]
		called = append(called, c)
		if len(results) < len(called) {
			t.Fatalf("call %d was not expected: %+v", len(called), c)
		}
		req.Messages = append(req.Messages, reply.Message,
			model.Message{Role: model.ToolRole, CallID: c.ID, Name: c.Name, Content: results[len(called)-1]},
			model.Message{Role: model.User, Content: "<reminder>two steps are left</reminder>"})
	}
	t.Fatal("never ends")
	return nil, ""
}

func TestNoopCallsNothing(t *testing.T) {
	called, final := talk(t, Noop(), []model.ToolSpec{bash, node})
	if called != nil || !strings.HasPrefix(final, "nothing was changed") {
		t.Errorf("called %v, said %q", called, final)
	}
}

func TestOracleRunsItsSolutionOnce(t *testing.T) {
	solution := "cat > f <<'X'\n\"quoted\" \\ $HOME <&>\nX\n"
	called, final := talk(t, Oracle(solution), []model.ToolSpec{node, bash}, "exit status 1\n")
	if len(called) != 1 || called[0].Name != "bash" || called[0].ID == "" {
		t.Fatalf("called %+v", called)
	}
	var args map[string]string
	if err := json.Unmarshal([]byte(called[0].Arguments), &args); err != nil || len(args) != 1 ||
		args["command"] != solution {
		t.Errorf("arguments %s: %v", called[0].Arguments, err)
	}
	if !strings.Contains(final, "was run") {
		t.Errorf("said %q", final)
	}
}

func TestOracleSaysWhyItCannot(t *testing.T) {
	check := func(name, solution, want string, tools ...model.ToolSpec) {
		t.Helper()
		called, final := talk(t, Oracle(solution), tools)
		if called != nil || !strings.Contains(final, want) {
			t.Errorf("%s: called %v, said %q, want %q", name, called, final, want)
		}
	}
	check("no solution", " \n", "has no solution", bash)
	check("no shell", "true", `needs the tool "bash"`, node)
	check("another bash", "true", `a parameter "command"`,
		model.ToolSpec{Name: "bash", Parameters: json.RawMessage(`{"properties":{"script":{}}}`)})
	check("broken schema", "true", `a parameter "command"`,
		model.ToolSpec{Name: "bash", Parameters: json.RawMessage(`{`)})
}

// TestOracleIsNotFooled: a call with the oracle's id that it did not make is
// no sign that its solution was run.
func TestOracleIsNotFooled(t *testing.T) {
	req := &model.Request{Tools: []model.ToolSpec{bash}, Messages: append(start[:2:2],
		model.Message{Role: model.Assistant, Calls: []model.Call{{ID: "oracle_1", Name: "bash",
			Arguments: `{"command":"true"}`}}},
		model.Message{Role: model.ToolRole, CallID: "oracle_1", Content: "exit status 0"})}
	r, err := Oracle("fix it").Generate(t.Context(), req)
	if err != nil || len(r.Message.Calls) != 1 {
		t.Errorf("%+v, %v: want the solution to be run", r, err)
	}
}

func TestMatcherStopsAtTheFirstSuccess(t *testing.T) {
	git := model.ToolSpec{Name: "repair_git_lock"}
	tools := []model.ToolSpec{node, git, bash}
	calls := []model.Call{
		{Name: "repair_node_version", Arguments: `{"Required":"20"}`},
		{Name: "repair_not_offered", Arguments: `{}`},
		{Name: "repair_git_lock", Arguments: `{}`},
	}
	check := func(name string, want int, text string, results ...string) {
		t.Helper()
		called, final := talk(t, Matcher(calls), tools, results...)
		if len(called) != want || !strings.Contains(final, text) {
			t.Errorf("%s: called %+v, said %q", name, called, final)
		}
	}
	check("first", 1, "repair_node_version has run", "fix nvm-use: exit status 0\nok")
	check("second", 2, "repair_git_lock has run", "fix nvm-use: exit status 10\nfix x: exit status 0",
		"fix rm-lock: exit status 0")
	check("refused", 2, "no repair succeeded, tried: 2", "the class destructive may not run: exit status 0",
		"fix rm-lock: exit status 1\n")
	check("empty results", 2, "no repair succeeded", "", "")
	if _, final := talk(t, Matcher(nil), tools); !strings.Contains(final, "no repair answers") {
		t.Errorf("no calls: said %q", final)
	}
	if _, final := talk(t, Matcher(calls), []model.ToolSpec{bash}); !strings.Contains(final, "is offered") {
		t.Errorf("none offered: said %q", final)
	}
	if calls[0].ID != "" {
		t.Error("the caller's calls were changed")
	}
}

func TestEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Noop().Generate(ctx, &model.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
