package openai

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/model"
	"cookoff/model/openai/openaitest"
)

// TestOlderFunctions: tools go out as functions, a call and its result in the
// older form, and a function_call comes back as a call.
func TestOlderFunctions(t *testing.T) {
	req := &model.Request{Functions: true,
		Messages: []model.Message{
			{Role: model.User, Content: "go"},
			{Role: model.Assistant, Calls: []model.Call{{ID: "x", Name: "bash", Arguments: `{"command":"ls"}`}}},
			{Role: model.ToolRole, CallID: "x", Name: "bash", Content: "a b"},
		},
		Tools: []model.ToolSpec{{Name: "bash", Description: "runs", Parameters: json.RawMessage(`{"type":"object"}`)}},
	}
	check := func(name string, stream bool, step openaitest.Step, wantBody string, want model.Reply) {
		t.Helper()
		s, cfg := serve(t, step)
		cfg.Stream = stream
		got, err := New(cfg).Generate(t.Context(), req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(&want, got); d != "" {
			t.Errorf("%s: reply (-want +got):\n%s", name, d)
		}
		if d := cmp.Diff(wantBody, string(s.Requests()[0].Body)); wantBody != "" && d != "" {
			t.Errorf("%s: body (-want +got):\n%s", name, d)
		}
	}
	want := model.Reply{Finish: model.FinishCalls, Served: "m", Usage: model.Usage{Input: 5, Output: 3, Known: true},
		Message: model.Message{Role: model.Assistant,
			Calls: []model.Call{{ID: "call_3_1", Name: "bash", Arguments: `{"command":"pwd"}`}}}}
	check("whole", false, openaitest.Raw("application/json",
		`{"model":"m","choices":[{"message":{"role":"assistant","content":null,
		"function_call":{"name":"bash","arguments":"{\"command\":\"pwd\"}"}},"finish_reason":"function_call"}],
		"usage":{"prompt_tokens":5,"completion_tokens":3}}`),
		`{"model":"big/one","messages":[{"role":"user","content":"go"},`+
			`{"role":"assistant","content":null,"function_call":{"name":"bash","arguments":"{\"command\":\"ls\"}"}},`+
			`{"role":"function","content":"a b","name":"bash"}],`+
			`"functions":[{"name":"bash","description":"runs","parameters":{"type":"object"}}]}`, want)
	check("stream", true, openaitest.Events(
		`{"model":"m","choices":[{"delta":{"role":"assistant","function_call":{"name":"bash","arguments":""}}}]}`,
		`{"choices":[{"delta":{"function_call":{"arguments":"{\"command\":"}}}]}`,
		`{"choices":[{"delta":{"function_call":{"arguments":"\"pwd\"}"}},"finish_reason":"function_call"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}}`, `[DONE]`), "", want)

	many := want
	many.Notes = []string{"1 of 2 tool calls were left out: a reply may hold 1"}
	check("a server that answers in the newer form", false,
		openaitest.Raw("application/json", `{"model":"m","choices":[{"message":{"role":"assistant",
		"tool_calls":[{"id":"call_3_1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"pwd\"}"}},
		{"id":"z","type":"function","function":{"name":"bash","arguments":"{}"}}]},"finish_reason":"tool_calls"}],
		"usage":{"prompt_tokens":5,"completion_tokens":3}}`),
		"", many)
}

// TestAGrowingConversationIsEncodedAsAWhole: with a Wire, each request has the
// very bytes that it has without.
func TestAGrowingConversationIsEncodedAsAWhole(t *testing.T) {
	messages := []model.Message{
		{Role: model.System, Content: "<rules> & such"},
		{Role: model.User, Content: "go"},
		{Role: model.Assistant, Calls: []model.Call{{ID: "x", Name: "bash", Arguments: `{"command":"ls"}`}}},
		{Role: model.ToolRole, CallID: "x", Name: "bash", Content: "a \"b\""},
		{Role: model.Assistant, Content: "done"},
	}
	for _, functions := range []bool{false, true} {
		wire := &model.Wire{}
		for n := range len(messages) + 1 {
			req := &model.Request{Messages: messages[:n], Functions: functions, Tools: []model.ToolSpec{{Name: "bash"}}}
			want, err := encode(Config{Model: "m"}, req)
			if err != nil || !json.Valid(want) {
				t.Fatalf("%s: %v", want, err)
			}
			req.Wire = wire
			for range 2 { // a request is sent again after a fault
				got, err := encode(Config{Model: "m"}, req)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(string(want), string(got)); d != "" {
					t.Errorf("functions %v, %d messages:\n%s", functions, n, d)
				}
			}
		}
		if wire.Messages != len(messages) {
			t.Errorf("the wire holds %d messages", wire.Messages)
		}
	}
}
