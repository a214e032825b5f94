package openai

import (
	"net/http"
	"strings"
	"testing"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/openai/openaitest"
)

// TestWhatEndpointsDoNotTake has the words of real ones.
func TestWhatEndpointsDoNotTake(t *testing.T) {
	check := func(kind string, status int, body string) {
		t.Helper()
		_, cfg := serve(t, openaitest.Status(status, body))
		fails(t, cfg, kind, "asking acme/big/one: status ")
	}
	words := func(text string) string { return openaitest.Error("", text) }
	check("unsupported tools", 400,
		`{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}`)
	check("unsupported tools", 404,
		words("No endpoints found that support tool use. To learn more about provider routing, visit: "+
			"https://x.example"))
	check("unsupported tools", 400,
		words(`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`))
	check("unsupported tools", 500, words("tools param requires --jinja flag"))
	check("unsupported tools", 400, words("`tool calling` is not supported with this model"))
	check("unsupported tools", 400, words("deepseek-reasoner does not support Function Calling"))
	check("unsupported tools", 400,
		oneline.Of(`{"error":{
			"message":"Unsupported parameter: 'tools' is not supported with this model.",
			"param":"tools","code":"unsupported_parameter"}}`))
	check("unsupported temperature", 400,
		oneline.Of(`{"error":{
			"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
			"type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`))
	check("unsupported seed", 400,
		oneline.Of(`[
			{"error":{"code":400,
				"message":"Invalid JSON payload received. Unknown name \"seed\": Cannot find field.",
				"status":"INVALID_ARGUMENT"}}]`))
	check("unsupported seed", 422,
		`{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted","input":1}]}`)
	check("unsupported reasoning_effort", 400, `{"error":"Model grok-3 does not support parameter reasoningEffort."}`)
	check("unsupported parallel_tool_calls", 400, words("parallel_tool_calls is not supported"))
	check("unsupported top_p", 400, words("top_p is deprecated for this model"))
	// What is wrong with something, and not with its being there.
	check("final", 400, words("temperature: must be between 0 and 1"))
	check("final", 400, words("max_tokens is too large: 100000. This model supports at most 4096 completion tokens"))
	check("final", 400, words("tools.0.input_schema: keyword 'pattern' is not supported"))
	check("final", 400, words("messages with role 'tool' must follow tool_calls"))
	check("final", 404, words("The model `gpt-9` does not exist"))
	check("retry", 500, words("temperature sensor not supported"))
	check("retry", 503, words("this model does not support tools right now"))
}

// TestOtherNames: the same request is put another way at once, and so from
// then on.
func TestOtherNames(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		s, cfg := serve(t, openaitest.Status(400,
			oneline.Of(`{"error":{
				"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
				"param":"max_tokens","code":"unsupported_parameter"}}`)),
			openaitest.Text("hi"), openaitest.Text("hi"))
		cfg.Stream = stream
		c := New(cfg)
		req := hello()
		req.Params.MaxTokens = new(77)
		for i, wantNotes := range []int{1, 0} {
			r, err := c.Generate(t.Context(), req)
			if err != nil || len(r.Notes) != wantNotes {
				t.Errorf("request %d: %+v, %v", i+1, r, err)
			}
		}
		for i, want := range []string{`"max_tokens":77`, `"max_completion_tokens":77`, `"max_completion_tokens":77`} {
			if body := string(s.Requests()[i].Body); !strings.Contains(body, want) || strings.Count(body, "77") != 1 {
				t.Errorf("request %d: %s", i+1, body)
			}
		}
	})
	s, cfg := serve(t, openaitest.Status(400, openaitest.Error("", "unknown parameter: stream_options")),
		openaitest.Text("hi"))
	cfg.Stream = true
	if r, err := New(cfg).Generate(t.Context(), hello()); err != nil || !strings.Contains(strings.Join(r.Notes, ""),
		"usage of a stream") {
		t.Errorf("%+v, %v", r, err)
	}
	if body := string(s.Requests()[1].Body); strings.Contains(body, "stream_options") {
		t.Error(body)
	}
}

// TestNeitherName: an endpoint that takes neither says so, once.
func TestNeitherName(t *testing.T) {
	no := openaitest.Status(400, openaitest.Error("",
		"max_tokens and max_completion_tokens are not supported: max_tokens is not supported"))
	_, cfg := serve(t, no, no)
	fails(t, cfg, "unsupported max_tokens", "not supported")
}

func TestReasoningIsSentBackWhereItIsWanted(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		reply := openaitest.Raw("application/json",
			oneline.Of(`{"choices":[
				{"message":{"role":"assistant","content":"","reasoning_content":"hm, ls",
					"tool_calls":[
						{"id":"c1","type":"function","function":{"name":"bash","arguments":"{}"}}]},
					"finish_reason":"tool_calls"}],
				"usage":{"prompt_tokens":9,"completion_tokens":3}}`))
		if stream {
			reply = openaitest.Events(`{"choices":[{"delta":{"reasoning_content":"hm, "}}]}`,
				`{"choices":[{"delta":{"reasoning_content":"ls"}}]}`,
				oneline.Of(`{"choices":[
					{"delta":{"tool_calls":[
						{"index":0,"id":"c1","function":{"name":"bash","arguments":"{}"}}]},
						"finish_reason":"tool_calls"}]}`))
		}
		for _, echo := range []bool{true, false} {
			s, cfg := serve(t, reply, openaitest.Text("done"))
			cfg.Stream, cfg.EchoReasoning = stream, echo
			c := New(cfg)
			req := hello()
			r, err := c.Generate(t.Context(), req)
			if err != nil || (r.Message.Reasoning == "hm, ls") != echo {
				t.Fatalf("%+v, %v", r, err)
			}
			req.Messages = append(req.Messages, r.Message,
				model.Message{Role: model.ToolRole, CallID: "c1", Name: "bash", Content: "a"})
			if _, err := c.Generate(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			if body := string(s.Requests()[1].Body); strings.Contains(body, `"reasoning_content":"hm, ls"`) != echo {
				t.Errorf("echo %v: %s", echo, body)
			}
		}
	})
}

// TestWhatArrivedBeforeItBroke: a reply that broke off may have to be paid for.
func TestWhatArrivedBeforeItBroke(t *testing.T) {
	check := func(stream, begun bool, arrived int, step openaitest.Step) {
		t.Helper()
		_, cfg := serve(t, step)
		cfg.Stream = stream
		_, err := New(cfg).Generate(t.Context(), hello())
		retry, ok := err.(*model.RetryError)
		if !ok || retry.Partial != begun || retry.Arrived != arrived {
			t.Errorf("stream %v: %#v", stream, err)
		}
	}
	check(true, true, 5, openaitest.Handler(cutAfter("data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\n")))
	check(true, false, 0, openaitest.Status(502, "bad"))
	check(true, false, 0, openaitest.Handler(cutAfter("")))
	check(false, true, 0, openaitest.Handler(cutAfter(`{"choices":[{"mess`)))
	check(false, false, 0, openaitest.Status(503, "later"))
}

// cutAfter sends a part of an answer and closes the connection.
func cutAfter(part string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(part, "data:") {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(part))
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		panic(http.ErrAbortHandler)
	}
}
