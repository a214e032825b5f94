package messages

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/endpoint/endpointtest"
	"cookoff/model/wire"
)

var update = flag.Bool("update", false, "write the golden files")

const key = "sk-ant-secret"

// asked begins a chat before a server that gives these answers, one a request:
// "STATUS body", or a stream. It gives what was asked.
func asked(t *testing.T, answers ...string) (*Chat, *[]string) {
	t.Helper()
	url, bodies := endpointtest.Serve(t, func(r *http.Request) bool {
		return r.URL.Path == "/v1/messages" && r.Header.Get("X-Api-Key") == key &&
			r.Header.Get("Anthropic-Version") == "2023-06-01" && r.Header.Get("Authorization") == ""
	}, answers...)
	return New(endpoint.Config{Endpoint: endpoint.Endpoint{Name: "anthropic", BaseURL: url + "/v1", Key: key,
		KeyEnv: "ANTHROPIC_API_KEY", Model: "claude",
		Timeout: time.Minute, Idle: time.Minute, Client: endpoint.NewClient(nil)},
		Dialects: []wire.Dialect{wire.Messages}}), bodies
}

func stream(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "event: x\ndata: %s\n\n", e)
	}
	return b.String()
}

var thoughtful = []string{
	oneline.Of(`{"type":"message_start","message":{"model":"claude-1","usage":{"input_tokens":10,
		"cache_creation_input_tokens":200,"cache_read_input_tokens":1000,
		"cache_creation":{"ephemeral_5m_input_tokens":200,"ephemeral_1h_input_tokens":0},
		"output_tokens":1}}}`),
	`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"It <may> be so."}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"SIG=="}}`,
	`{"type":"content_block_stop","index":0}`, `{"type":"ping"}`,
	`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"XYZ"}}`,
	`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`,
	`{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"I "}}`,
	`{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"look."}}`,
	`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"run","input":{}}}`,
	`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"command\":"}}`,
	`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\"ls\"}"}}`,
	oneline.Of(`{"type":"message_delta","delta":{"stop_reason":"tool_use"},
		"usage":{"output_tokens":60,"output_tokens_details":{"thinking_tokens":40}}}`),
	`{"type":"message_stop"}`,
}

// conversationOf is a conversation of two rounds before a request.
func conversationOf(first model.Message) *model.Request {
	return &model.Request{
		Messages: []model.Message{{Role: model.System, Content: "Be good."}, {Role: model.User, Content: "fix <it>"},
			first, {Role: model.ToolRole, CallID: "toolu_1", Name: "run", Content: "a.txt"},
			{Role: model.System, Content: "Two minutes are left."}},
		Tools: []model.ToolSpec{{Name: "run", Description: "runs a command",
			Parameters: []byte(`{"type":"object","properties":{"command":{"type":"string"}}}`)}},
		Params: model.Params{ReasoningEffort: "high", ParallelToolCalls: new(false), TopP: new(0.5)},
	}
}

// TestConversation: what a model thought goes back as it came, signed; the marks
// let the next request read this one from the cache; all is counted.
func TestConversation(t *testing.T) {
	c, bodies := asked(t, stream(thoughtful...))
	var text []string
	req := conversationOf(model.Message{})
	req.Messages = req.Messages[:2]
	r, err := c.GenerateStream(context.Background(), req, func(s string) { text = append(text, s) })
	if err != nil {
		t.Fatal(err)
	}
	want := model.Usage{Input: 1210, Output: 60, Cached: 1000, CacheWrite5m: 200, Reasoning: 40, Known: true}
	if r.Usage != want || r.Finish != model.FinishCalls || r.Served != "claude-1" || r.Message.Content != "I look." ||
		strings.Join(text, "|") != "I |look." ||
		len(r.Message.Calls) != 1 || r.Message.Calls[0] != (model.Call{ID: "toolu_1", Name: "run",
		Arguments: `{"command":"ls"}`}) {
		t.Errorf("reply %+v, text %q", r, text)
	}
	if _, err := c.Generate(context.Background(), conversationOf(r.Message)); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/second.json", (*bodies)[1])
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || got+"\n" != string(want) {
		t.Errorf("%s: %v, asked %s\nwant %s", path, err, got, want)
	}
}

// TestMended: a turn that was changed since goes out as it is now, and what was
// thought stays.
func TestMended(t *testing.T) {
	check := func(m model.Message, want string) {
		t.Helper()
		got, err := endpoint.Marshal(assistant(&m))
		if err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	kept := []byte(
		oneline.Of(`[
			{"type":"thinking","thinking":"","signature":"S"},{"type":"text","text":"ab"},
			{"type":"tool_use","id":"t1","name":"run"},{"type":"tool_use","id":"t2","name":"run"}]`))
	check(model.Message{Kept: kept, Content: "a…", Calls: []model.Call{{ID: "t2", Name: "run", Arguments: "[1]"},
		{ID: "t3", Name: "run"}}},
		oneline.Of(`[
			{"type":"thinking","thinking":"","signature":"S"},{"type":"text","text":"a…"},
			{"type":"tool_use","id":"t2","name":"run","input":{"malformed_arguments":"[1]"}},
			{"type":"tool_use","id":"t3","name":"run","input":{}}]`))
	check(model.Message{Kept: []byte(`{"other":1}`), Content: " \n"}, `null`)
}

// TestUsageOfAnotherForm: a usage that is none makes the cost unknown, and the
// reply holds.
func TestUsageOfAnotherForm(t *testing.T) {
	for _, u := range []string{`{"input_tokens":12.5,"output_tokens":2}`, `{"input_tokens":10,"output_tokens":"2"}`,
		`{"input_tokens":10,"output_tokens":2,"cache_creation":{"ephemeral_1h_input_tokens":"many"}}`,
		`{"input_tokens":-10,"output_tokens":2}`, `"many"`, `12.5`, `[]`} {
		message := `{"type":"message","role":"assistant","content":%s,"stop_reason":"end_turn","usage":` + u + `}`
		for _, answer := range []string{"200 " + fmt.Sprintf(message, `[{"type":"text","text":"hi"}]`), stream(
			`{"type":"message_start","message":`+fmt.Sprintf(message, "[]")+`}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`,
			`{"type":"message_stop"}`)} {
			c, _ := asked(t, answer)
			r, err := c.Generate(t.Context(),
				&model.Request{Messages: []model.Message{{Role: model.User, Content: "x"}}})
			if err != nil || r.Message.Content != "hi" || r.Usage != (model.Usage{}) {
				t.Errorf("%s: %+v, %v", answer, r, err)
			}
		}
	}
}

// TestFaults: what goes wrong is of the kinds that callers know.
func TestFaults(t *testing.T) {
	said := func(status int, kind, text string) string {
		return fmt.Sprintf(`%d {"type":"error","error":{"type":%q,"message":%q}}`, status, kind, text)
	}
	check := func(name, answer string, is func(error) bool) {
		t.Helper()
		c, _ := asked(t, answer)
		_, err := c.Generate(context.Background(),
			&model.Request{Messages: []model.Message{{Role: model.User, Content: "x"}}})
		if err == nil || !is(err) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %T %v", name, err, err)
		}
	}
	busy := func(err error) bool { e := (*model.RetryError)(nil); return errors.As(err, &e) && e.Busy }
	fault := func(err error) bool { e := (*model.RetryError)(nil); return errors.As(err, &e) && !e.Busy }
	auth := func(err error) bool { e := (*model.AuthError)(nil); return errors.As(err, &e) }
	long := func(err error) bool { e := (*model.ContextError)(nil); return errors.As(err, &e) }
	refused := func(err error) bool { e := (*model.RefusedError)(nil); return errors.As(err, &e) && e.Usage.Known }
	check("overloaded", said(529, "overloaded_error", "Overloaded "+key), busy)
	check("too often", said(429, "rate_limit_error", "slow"), busy)
	check("broken", said(500, "api_error", "Internal"), fault)
	check("no key", said(401, "authentication_error", "invalid x-api-key"), auth)
	check("no money", said(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
		auth)
	check("too long", said(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), long)
	check("cut", stream(thoughtful[:9]...), func(err error) bool {
		e := (*model.RetryError)(nil)
		return errors.As(err, &e) && e.Partial && e.Arrived > 10
	})
	check("overloaded within", stream(thoughtful[0],
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), busy)
	check("stopped",
		stream(thoughtful[0], `{"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{"output_tokens":3}}`,
			`{"type":"message_stop"}`), refused)
	check("no message", `200 {"choices":[]}`, fault)
}

// TestLearned: what an endpoint does not take is put another way, once.
func TestLearned(t *testing.T) {
	c, bodies := asked(t,
		oneline.Of(`400 {"type":"error","error":{"type":"invalid_request_error",
			"message":"max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude"}}`),
		oneline.Of(`400 {"type":"error","error":{"type":"invalid_request_error",
			"message":"adaptive thinking is not supported on this model"}}`),
		oneline.Of(`200 {"type":"message","role":"assistant","model":"claude-1",
			"content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn",
			"usage":{"input_tokens":3,"output_tokens":1}}`))
	req := &model.Request{Messages: []model.Message{{Role: model.User, Content: "x"}},
		Params: model.Params{ReasoningEffort: "high"}}
	for range 2 {
		r, err := c.Generate(context.Background(), req)
		if err != nil || r.Message.Content != "ok" || r.Usage.Input != 3 {
			t.Fatal(r, err)
		}
	}
	last := (*bodies)[3]
	if len(*bodies) != 4 || !strings.Contains(last, `"max_tokens":8192,`) || !strings.Contains(last,
		`"thinking":{"type":"enabled","budget_tokens":4096}`) || strings.Contains(last, "effort") {
		t.Errorf("%d requests, the last %s", len(*bodies), last)
	}
	c, _ = asked(t,
		`400 {"type":"error","error":{"type":"invalid_request_error","message":"thinking is not supported on this model"}}`)
	without := (*model.UnsupportedError)(nil)
	if _, err := c.Generate(context.Background(), req); !errors.As(err, &without) ||
		without.What != "reasoning_effort" {
		t.Errorf("a model that does not think: %v", err)
	}
	if !slices.Contains(c.Traits().Omit, "seed") {
		t.Errorf("traits %+v", c.Traits())
	}
}

// TestCutThought: a thought that ended at the limit has no signature, and is not sent
// back; without one for another reason it is, as some servers sign nothing.
func TestCutThought(t *testing.T) {
	for stop, sent := range map[string]bool{"max_tokens": false, "model_context_window_exceeded": false,
		"end_turn": true} {
		c, bodies := asked(t, stream(thoughtful[0], thoughtful[1], thoughtful[2],
			`{"type":"message_delta","delta":{"stop_reason":"`+stop+`"},"usage":{"output_tokens":60}}`,
			`{"type":"message_stop"}`), stream(thoughtful...))
		req := conversationOf(model.Message{})
		req.Messages = req.Messages[:2]
		r, err := c.Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Generate(t.Context(), conversationOf(r.Message)); err != nil {
			t.Fatal(err)
		}
		if strings.Contains((*bodies)[1], `"type":"thinking"`) != sent {
			t.Errorf("%s: asked %s", stop, (*bodies)[1])
		}
	}
}

// TestIndexOfBlocks: what belongs to a block is told by its index, which some servers
// begin at another number, or let run on.
func TestIndexOfBlocks(t *testing.T) {
	moved := slices.Clone(thoughtful)
	for i, e := range moved {
		for at := 3; at >= 0; at-- {
			e = strings.ReplaceAll(e, fmt.Sprintf(`"index":%d`, at), fmt.Sprintf(`"index":%d`, 2*at+1))
		}
		moved[i] = e
	}
	c, _ := asked(t, stream(moved...))
	req := conversationOf(model.Message{})
	req.Messages = req.Messages[:2]
	r, err := c.Generate(t.Context(), req)
	if err != nil || r.Message.Content != "I look." || len(r.Message.Calls) != 1 ||
		r.Message.Calls[0].Arguments != `{"command":"ls"}` || !strings.Contains(string(r.Message.Kept), "SIG==") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestBesideThinking: who can't have a temperature beside thinking keeps on thinking.
func TestBesideThinking(t *testing.T) {
	for what, text := range map[string]string{
		"temperature":      "`temperature` may only be set to 1 when thinking is enabled.",
		"top_p":            "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
		"reasoning_effort": "thinking is not supported on this model",
	} {
		c, _ := asked(t, fmt.Sprintf(`400 {"type":"error","error":{"type":"invalid_request_error","message":%q}}`, text))
		req := conversationOf(model.Message{})
		req.Messages, req.Params.Temperature = req.Messages[:2], new(0.0)
		_, err := c.Generate(t.Context(), req)
		if e := (*model.UnsupportedError)(nil); !errors.As(err, &e) || e.What != what ||
			e.Value != (what != "reasoning_effort") {
			t.Errorf("%s: %#v", what, err)
		}
	}
}
