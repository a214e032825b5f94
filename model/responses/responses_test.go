package responses

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/endpoint/endpointtest"
)

var update = flag.Bool("update", false, "write the golden files")

const key = "sk-secret"

// asked begins a chat before a server that gives these answers, one a request:
// "STATUS body", or a stream. It gives what was asked.
func asked(t *testing.T, answers ...string) (*Chat, *[]string) {
	t.Helper()
	url, bodies := endpointtest.Serve(t, func(r *http.Request) bool {
		return r.URL.Path == "/v1/responses" && r.Header.Get("Authorization") == "Bearer "+key
	}, answers...)
	return New(endpoint.Config{Endpoint: endpoint.Endpoint{Name: "openai", BaseURL: url + "/v1", Key: key,
		KeyEnv: "OPENAI_API_KEY", Model: "gpt",
		Timeout: time.Minute, Idle: time.Minute, Client: endpoint.NewClient(nil)}}), bodies
}

func stream(events ...string) string {
	return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
}

var (
	thought = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"ENC=="}`
	said1   = oneline.Of(`{"type":"message","id":"msg_1","role":"assistant","status":"completed",
		"content":[{"type":"output_text","text":"I look.","annotations":[]}]}`)
	call1 = oneline.Of(`{"type":"function_call","id":"fc_1","call_id":"call_1","name":"run",
		"arguments":"{\"command\":\"ls\"}","status":"completed"}`)
	use = oneline.Of(`{"input_tokens":1210,
		"input_tokens_details":{"cached_tokens":1000,"cache_write_tokens":200},"output_tokens":60,
		"output_tokens_details":{"reasoning_tokens":40},"total_tokens":1270}`)
)

func completed(items ...string) string {
	return oneline.Of(`{"type":"response.completed","response":{"id":"r","object":"response",
		"status":"completed","model":"gpt-1","output":[`) + strings.Join(items, ",") +
		`],"error":null,"usage":` + use + `}}`
}

// TestConversation: nothing is stored; what a model thought goes back encrypted,
// as it came, before what it led to; all is counted.
func TestConversation(t *testing.T) {
	c, bodies := asked(t, stream(`{"type":"response.created","response":{"status":"in_progress"}}`,
		`{"type":"response.output_text.delta","delta":"I "}`, `{"type":"response.output_text.delta","delta":"look."}`,
		completed(thought, said1, call1)))
	req := &model.Request{
		Messages: []model.Message{{Role: model.System, Content: "Be good."}, {Role: model.User, Content: "fix <it>"}},
		Tools: []model.ToolSpec{{Name: "run", Description: "runs a command",
			Parameters: []byte(`{"type":"object","properties":{"command":{"type":"string"}}}`)}},
		Params: model.Params{ReasoningEffort: "high", ParallelToolCalls: new(false), MaxTokens: new(500)},
	}
	var text []string
	r, err := c.GenerateStream(context.Background(), req, func(s string) { text = append(text, s) })
	if err != nil {
		t.Fatal(err)
	}
	want := model.Usage{Input: 1210, Output: 60, Cached: 1000, CacheWrite5m: 200, Reasoning: 40, Known: true}
	if r.Usage != want || r.Finish != model.FinishCalls || r.Served != "gpt-1" || r.Message.Content != "I look." ||
		strings.Join(text, "|") != "I |look." ||
		len(r.Message.Calls) != 1 || r.Message.Calls[0] != (model.Call{ID: "call_1", Name: "run",
		Arguments: `{"command":"ls"}`}) {
		t.Errorf("reply %+v, text %q", r, text)
	}
	req.Messages = append(req.Messages, r.Message, model.Message{Role: model.ToolRole, CallID: "call_1", Content: ""},
		model.Message{Role: model.System, Content: "Two minutes are left."})
	if _, err := c.Generate(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	got := (*bodies)[1] + "\n"
	if *update {
		if err := os.WriteFile("testdata/second.json", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if golden, err := os.ReadFile("testdata/second.json"); err != nil || got != string(golden) {
		t.Errorf("%v, asked %s\nwant %s", err, got, golden)
	}
}

// TestMended: a turn that was changed since goes out as it is now; a thought
// whose call or text is gone goes with it.
func TestMended(t *testing.T) {
	m := &model.Message{Kept: []byte("[" + thought + "," + call1 + "," + strings.Replace(thought, "rs_1", "rs_2",
		1) + "," + strings.ReplaceAll(call1, "_1", "_2") + "]"),
		Calls: []model.Call{{ID: "call_2", Name: "run", Arguments: "{}"},
			{ID: "call_3", Name: "run", Arguments: "{}"}}, Content: "but"}
	got, err := endpoint.Marshal(assistant(m))
	want := `[` + strings.Replace(thought, "rs_1", "rs_2", 1) + `,` + strings.ReplaceAll(call1, "_1",
		"_2") +
		oneline.Of(`,{"type":"message","role":"assistant","content":"but"},
			{"type":"function_call","call_id":"call_3","name":"run","arguments":"{}"}]`)
	if err != nil || string(got) != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}

// TestUsageOfAnotherForm: a usage that is none makes the cost unknown, and the
// reply holds.
func TestUsageOfAnotherForm(t *testing.T) {
	for _, u := range []string{`{"input_tokens":12.5,"output_tokens":2}`, `{"input_tokens":10,"output_tokens":"2"}`,
		`{"input_tokens":10,"output_tokens":2,"input_tokens_details":{"cached_tokens":"many"}}`,
		`{"input_tokens":-10,"output_tokens":2}`, `"many"`, `12.5`, `[]`} {
		event := strings.Replace(completed(said1), use, u, 1)
		whole := strings.TrimSuffix(strings.TrimPrefix(event, `{"type":"response.completed","response":`), "}")
		for _, answer := range []string{stream(event), "200 " + whole} {
			c, _ := asked(t, answer)
			r, err := c.Generate(t.Context(),
				&model.Request{Messages: []model.Message{{Role: model.User, Content: "x"}}})
			if err != nil || r.Message.Content != "I look." || r.Usage != (model.Usage{}) {
				t.Errorf("%s: %+v, %v", answer, r, err)
			}
		}
	}
}

// TestFaults: what goes wrong is of the kinds that callers know.
func TestFaults(t *testing.T) {
	check := func(name, answer string, is func(error) bool) {
		t.Helper()
		c, _ := asked(t, answer)
		_, err := c.Generate(context.Background(),
			&model.Request{Messages: []model.Message{{Role: model.User, Content: "x"}}})
		if err == nil || !is(err) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %T %v", name, err, err)
		}
	}
	failed := func(code, text string) string {
		return stream(
			fmt.Sprintf(
				oneline.Of(`{"type":"response.failed","response":{"object":"response","status":"failed",
					"error":{"code":%q,"message":%q}}}`), code, text))
	}
	busy := func(err error) bool { e := (*model.RetryError)(nil); return errors.As(err, &e) && e.Busy }
	fault := func(err error) bool { e := (*model.RetryError)(nil); return errors.As(err, &e) && !e.Busy }
	long := func(err error) bool { e := (*model.ContextError)(nil); return errors.As(err, &e) }
	refused := func(err error) bool { e := (*model.RefusedError)(nil); return errors.As(err, &e) && e.Usage.Known }
	for _, code := range []string{"invalid_prompt", "bio_policy", "cyber_policy", "misalignment_policy_violation"} {
		check(code, failed(code, "this can't be answered"),
			func(err error) bool { e := (*model.RefusedError)(nil); return errors.As(err, &e) })
	}
	check("too often", failed("rate_limit_exceeded", "slow down "+key), busy)
	check("broken", failed("server_error", "sorry"), fault)
	check("too long", failed("context_length_exceeded", "too long"), long)
	check("error within", stream(`{"type":"error","code":"server_error","message":"sorry"}`), fault)
	check("cut", stream(`{"type":"response.output_text.delta","delta":"abc"}`), func(err error) bool {
		e := (*model.RetryError)(nil)
		return errors.As(err, &e) && e.Partial && e.Arrived == 3
	})
	check("declined", stream(completed(`{"type":"message","content":[{"type":"refusal","refusal":"no"}]}`)), refused)
	check("no key", `401 {"error":{"message":"Incorrect API key provided: `+key+
		`","type":"invalid_request_error","code":"invalid_api_key"}}`,
		func(err error) bool { e := (*model.AuthError)(nil); return errors.As(err, &e) })
	check("another thing", `200 {"choices":[]}`, fault)
}

// TestNoEncryptedThoughts: a model that has none is asked without, from then on.
func TestNoEncryptedThoughts(t *testing.T) {
	whole := completed(strings.Replace(said1, "msg_1", "msg_9", 1))
	whole = whole[strings.Index(whole, `{"id"`) : len(whole)-1]
	c, bodies := asked(t,
		oneline.Of(`400 {"error":{"message":"Encrypted content is not supported with this model.",
			"type":"invalid_request_error","param":"include","code":null}}`), "200 "+whole)
	for range 2 {
		r, err := c.Generate(context.Background(),
			&model.Request{Messages: []model.Message{{Role: model.User, Content: "x"}}})
		if err != nil || r.Message.Content != "I look." || r.Finish != model.FinishStop || r.Message.Kept != nil {
			t.Fatal(r, err)
		}
	}
	if len(*bodies) != 3 || !strings.Contains((*bodies)[0], "encrypted") || strings.Contains((*bodies)[2], "include") {
		t.Errorf("asked %q", *bodies)
	}
}
