package endpoint_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/wire"
)

// replying answers each request with the same stream, and keeps what was asked.
type replying struct {
	stream string
	asked  []string
}

func (a *replying) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	a.asked = append(a.asked, string(body))
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(a.stream)), Request: r}, err
}

// oddities are streams, by their dialects: a text of %s, calls of one id, usage said
// twice, and another model that takes over where the dialect can say so.
var oddities = map[wire.Dialect][]string{
	wire.Chat: {
		`{"model":"","choices":[]}`,
		oneline.Of(`{"model":"one","choices":[{"index":0,"delta":{"role":"assistant","content":"%s"}}],
			"usage":{"prompt_tokens":100,"completion_tokens":1}}`),
		oneline.Of(`{"model":"two","choices":[
			{"index":0,"delta":{"tool_calls":[
				{"index":0,"id":"c","function":{"name":"run","arguments":"{}"}},
				{"index":1,"id":"c","function":{"name":"see","arguments":"{}"}}]}}]}`),
		oneline.Of(`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],
			"usage":{"prompt_tokens":100,"completion_tokens":20}}`),
		`{"model":"two","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":30}}`, "[DONE]"},
	wire.Messages: {
		`{"type":"message_start","message":{"model":"one","usage":{"input_tokens":100,"output_tokens":1}}}`,
		`{"type":"message_start","message":{"model":"two","usage":{"input_tokens":100,"output_tokens":2}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":"S"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"%s"}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"run","input":{}}}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"c","name":"see","input":{}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}`,
		`{"type":"message_delta","delta":{},"usage":{"output_tokens":30}}`, `{"type":"message_stop"}`},
	wire.Responses: {
		oneline.Of(`{"type":"response.created","response":{"model":"one","status":"in_progress",
			"usage":{"input_tokens":100,"output_tokens":20}}}`),
		`{"type":"response.completed","response":{"object":"response","status":"completed","model":"two","output":[` +
			`{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"E"},` +
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"%s"}]},` +
			oneline.Of(`{"type":"function_call","call_id":"c","name":"run","arguments":"{}"},
				{"type":"function_call","call_id":"c","name":"see","arguments":"{}"}],`) +
			`"usage":{"input_tokens":100,"output_tokens":30}}}`},
}

// TestOdd: whatever a provider says twice, the last holds, and nothing is counted twice;
// an event may be large; and calls of one id are told apart in what goes back, too.
func TestOdd(t *testing.T) {
	large := strings.Repeat("word ", 200_000) // 1 MB in one event
	for dialect, events := range oddities {
		for _, text := range []string{"hi", large} {
			t.Run(fmt.Sprint(dialect, len(text)), func(t *testing.T) {
				var b strings.Builder
				for _, e := range events {
					b.WriteString("data: " + strings.ReplaceAll(e, "%s", text) + "\r\n\r\n")
				}
				via := &replying{stream: b.String()}
				chat := speaking(dialect, via, true)
				req := hello()
				r, err := chat.Generate(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if r.Message.Content != text || r.Served != "two" ||
					r.Usage != (model.Usage{Input: 100, Output: 30, Known: true}) {
					t.Errorf("served %q, %+v, text of %d", r.Served, r.Usage, len(r.Message.Content))
				}
				calls := r.Message.Calls
				if len(calls) != 2 || calls[0].ID != "c" ||
					calls[0].Name != "run" || calls[1].ID == "c" || calls[1].Name != "see" ||
					len(r.Notes) != 1 {
					t.Fatalf("%+v, %q", calls, r.Notes)
				}
				req.Messages = append(req.Messages, r.Message)
				for _, c := range calls {
					req.Messages = append(req.Messages,
						model.Message{Role: model.ToolRole, CallID: c.ID, Name: c.Name, Content: "done"})
				}
				if _, err := chat.Generate(t.Context(), req); err != nil {
					t.Fatal(err)
				}
				for _, c := range calls { // once as a call, once with its result
					if n := strings.Count(via.asked[1], `"`+c.ID+`"`); n != 2 {
						t.Errorf("%q is there %d times in %.2000s", c.ID, n, via.asked[1])
					}
				}
			})
		}
	}
}
