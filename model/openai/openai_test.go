package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/openai/openaitest"
)

const key = "sk-secret-0123456789"

// serve starts a scripted server and gives a config that asks it.
func serve(t *testing.T, steps ...openaitest.Step) (*openaitest.Server, Config) {
	t.Helper()
	s := openaitest.New(steps...)
	t.Cleanup(func() {
		s.Close()
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	})
	return s, Config{Name: "acme", BaseURL: s.URL, Key: key, KeyEnv: "ACME_KEY", Model: "big/one"}
}

func hello() *model.Request {
	return &model.Request{Messages: []model.Message{{Role: model.User, Content: "hello"}}}
}

func ptr[T any](v T) *T { return &v }

// both runs a test with and without streaming.
func both(t *testing.T, test func(t *testing.T, stream bool)) {
	t.Run("whole", func(t *testing.T) { test(t, false) })
	t.Run("stream", func(t *testing.T) { test(t, true) })
}

func TestReplies(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		check := func(want model.Reply) {
			t.Helper()
			_, cfg := serve(t, openaitest.Reply(want))
			cfg.Stream = stream
			var shown strings.Builder
			got, err := New(cfg).GenerateStream(t.Context(), hello(), func(s string) { shown.WriteString(s) })
			if err != nil {
				t.Fatal(err)
			}
			want.Message.Role = model.Assistant
			if want.Served == "" {
				want.Served = "big/one"
			}
			if d := cmp.Diff(&want, got); d != "" {
				t.Errorf("reply (-want +got):\n%s", d)
			}
			if shown.String() != want.Message.Content {
				t.Errorf("shown %q", shown.String())
			}
		}
		known := model.Usage{Input: 1000, Output: 50, Cached: 800, Reasoning: 20, Known: true}
		check(model.Reply{Message: model.Message{Content: "Grüße, 世界"}, Finish: model.FinishStop, Usage: known})
		check(model.Reply{Message: model.Message{Content: "no usage"}, Finish: model.FinishStop})
		check(model.Reply{Message: model.Message{Content: "another"}, Finish: model.FinishLength, Usage: known,
			Served: "small/one"})
		check(model.Reply{Message: model.Message{Content: "half a"}, Finish: model.FinishFilter, Usage: known})
		check(model.Reply{Finish: model.FinishStop, Usage: known})
		check(model.Reply{Finish: model.FinishCalls, Usage: known,
			Message: model.Message{Content: "let me look", Calls: []model.Call{
				{ID: "a", Name: "bash", Arguments: `{"command":"ls"}`},
				{ID: "b", Name: "bash", Arguments: "{not json"},
				{ID: "c", Name: "unknown"},
			}}})
		check(model.Reply{Finish: model.FinishStop, Usage: known,
			Message: model.Message{Calls: []model.Call{{ID: "a", Name: "bash", Arguments: `{}`}}}})
	})
}

// TestRequestBody: zeros are sent, what is unset is not, and an empty result
// or empty arguments are there.
func TestRequestBody(t *testing.T) {
	check := func(change func(*Config), req *model.Request, want string) {
		t.Helper()
		s, cfg := serve(t, openaitest.Text("ok"))
		change(&cfg)
		if _, err := New(cfg).Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(s.Requests()[0].Body)); d != "" {
			t.Errorf("body (-want +got):\n%s", d)
		}
	}
	asIs := func(*Config) {}
	check(asIs, hello(), `{"model":"big/one","messages":[{"role":"user","content":"hello"}]}`)

	zeros := hello()
	zeros.Params = model.Params{Temperature: ptr(0.0), TopP: ptr(0.0), MaxTokens: ptr(0), Seed: ptr(int64(0)),
		ParallelToolCalls: ptr(false)}
	check(asIs, zeros,
		oneline.Of(`{"model":"big/one","messages":[{"role":"user","content":"hello"}],"temperature":0,
			"top_p":0,"max_tokens":0,"seed":0}`))

	full := &model.Request{
		Messages: []model.Message{
			{Role: model.System, Content: "a && b <c>"},
			{Role: model.Assistant, Calls: []model.Call{{ID: "x", Name: "bash"}}},
			{Role: model.ToolRole, CallID: "x", Name: "bash"},
			{Role: model.Assistant},
		},
		Tools: []model.ToolSpec{{Name: "bash", Description: "runs",
			Parameters: json.RawMessage(`{"type":"object","additionalProperties":false}`)}, {Name: "bare"}},
		Params: model.Params{Temperature: ptr(0.7), MaxTokens: ptr(5), ReasoningEffort: "low",
			ParallelToolCalls: ptr(false)},
	}
	check(func(c *Config) { c.MaxTokensField = MaxCompletionTokens; c.Stream = true }, full,
		`{"model":"big/one","messages":[{"role":"system","content":"a && b <c>"},`+
			oneline.Of(`{"role":"assistant","content":null,"tool_calls":[
				{"id":"x","type":"function","function":{"name":"bash","arguments":""}}]},`)+
			`{"role":"tool","content":"","tool_call_id":"x"},{"role":"assistant","content":""}],`+
			oneline.Of(`"tools":[
				{"type":"function","function":{"name":"bash","description":"runs",
					"parameters":{"type":"object","additionalProperties":false}}},`)+
			`{"type":"function","function":{"name":"bare","parameters":{"type":"object","properties":{}}}}],`+
			`"temperature":0.7,"max_completion_tokens":5,"reasoning_effort":"low","parallel_tool_calls":false,`+
			`"stream":true,"stream_options":{"include_usage":true}}`)
	check(func(c *Config) { c.Stream, c.NoStreamUsage = true, true }, hello(),
		`{"model":"big/one","messages":[{"role":"user","content":"hello"}],"stream":true}`)
}

func TestHeaders(t *testing.T) {
	s, cfg := serve(t, openaitest.Text("a"), openaitest.Text("b"))
	cfg.Headers = map[string]string{"X-Title": "cookoff"}
	if _, err := New(cfg).Generate(t.Context(), hello()); err != nil {
		t.Fatal(err)
	}
	cfg.Key, cfg.KeyEnv = "", ""
	if _, err := New(cfg).Generate(t.Context(), hello()); err != nil {
		t.Fatal(err)
	}
	h := s.Requests()[0].Header
	if h.Get("Authorization") != "Bearer "+key || h.Get("X-Title") != "cookoff" || h.Get("User-Agent") != "cookoff" {
		t.Errorf("headers %v", h)
	}
	if h := s.Requests()[1].Header; h.Values("Authorization") != nil {
		t.Errorf("no key, but sent %v", h)
	}
}

func TestManyCallsAndTheirIDs(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		ask := func(before []model.Message, calls ...model.Call) *model.Reply {
			t.Helper()
			_, cfg := serve(t, openaitest.Calls(calls...))
			cfg.Stream = stream
			r, err := New(cfg).Generate(t.Context(), &model.Request{Messages: before})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		var many []model.Call
		for range 300 {
			many = append(many, model.Call{Name: "bash", Arguments: "{}"})
		}
		r := ask(nil, many...)
		seen := map[string]bool{}
		for _, c := range r.Message.Calls {
			seen[c.ID] = true
		}
		if len(r.Message.Calls) != 128 || len(seen) != 128 || seen[""] {
			t.Errorf("%d calls with %d ids", len(r.Message.Calls), len(seen))
		}
		if len(r.Notes) != 2 || !strings.HasPrefix(r.Notes[0], "172 of 300 tool calls were left out") {
			t.Errorf("notes %q", r.Notes)
		}
		before := []model.Message{{Role: model.User},
			{Role: model.Assistant, Calls: []model.Call{{ID: "a"}, {ID: "call_2_2"}}}}
		r = ask(before, model.Call{ID: "b", Name: "one"}, model.Call{ID: "b", Name: "two"},
			model.Call{ID: "a", Name: "three"})
		want := []model.Call{{ID: "b", Name: "one"}, {ID: "call_2_2_", Name: "two"}, {ID: "call_2_3", Name: "three"}}
		if d := cmp.Diff(want, r.Message.Calls); d != "" {
			t.Errorf("calls (-want +got):\n%s", d)
		}
	})
}

// TestStreamsOfManyKinds: providers put tool calls in a stream in ways of their own.
func TestStreamsOfManyKinds(t *testing.T) {
	const end = `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	check := func(name string, want []model.Call, deltas ...string) {
		t.Helper()
		var events []string
		for _, d := range deltas {
			events = append(events, `{"choices":[{"index":0,"delta":{"tool_calls":[`+d+`]}}]}`)
		}
		_, cfg := serve(t, openaitest.Events(append(events, end)...))
		cfg.Stream = true
		r, err := New(cfg).Generate(t.Context(), hello())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(want, r.Message.Calls); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	two := []model.Call{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "g", Arguments: "[]"}}
	check("pieces of two calls mixed, the second first", two,
		`{"index":1,"id":"b","function":{"name":"g"}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":""}}`,
		`{"index":1,"function":{"arguments":"["}},{"index":0,"function":{"arguments":"{"}}`,
		`{"index":0,"function":{"arguments":"}"}},{"index":1,"function":{"arguments":"]"}}`)
	check("no index, whole calls", two,
		`{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"[]"}}`)
	check("no index, in pieces", two,
		`{"id":"a","function":{"name":"f","arguments":"{"}}`, `{"function":{"arguments":"}"}}`,
		`{"id":"b","function":{"name":"g","arguments":"["}}`, `{"id":"b","function":{"arguments":"]"}}`)
	check("index 0 for every call", two,
		`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`,
		`{"index":0,"id":"b","function":{"name":"g","arguments":"[]"}}`)
	check("id and name in each piece", two,
		`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`,
		`{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}`,
		`{"index":1,"id":"b","function":{"name":"g","arguments":"[]"}}`)
	check("a name in pieces, a far index", []model.Call{{ID: "a", Name: "bash", Arguments: "{}"}},
		`{"index":1000000000,"id":"a","function":{"name":"ba"}}`, `{"index":1000000000,"function":{"name":"sh"}}`,
		`{"index":1000000000,"function":{"arguments":"{}"}}`)
}

// TestUsage: numbers that can't be true are no numbers.
func TestUsage(t *testing.T) {
	check := func(body string, want model.Usage) {
		t.Helper()
		_, cfg := serve(t, openaitest.Raw("application/json",
			`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":`+body+`}`))
		r, err := New(cfg).Generate(t.Context(), hello())
		if err != nil {
			t.Fatal(err)
		}
		if r.Usage != want {
			t.Errorf("%s: usage %+v, want %+v", body, r.Usage, want)
		}
	}
	check(`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}`,
		model.Usage{Input: 10, Output: 2, Known: true})
	check(`{"prompt_tokens":10,"completion_tokens":2}`, model.Usage{Input: 10, Output: 2, Known: true})
	check(
		`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":42,"completion_tokens_details":{"reasoning_tokens":30}}`,
		model.Usage{Input: 10, Output: 32, Reasoning: 30, Known: true})
	check(`null`, model.Usage{})
	check(`{}`, model.Usage{})
	check(`{"prompt_tokens":0,"completion_tokens":2}`, model.Usage{})
	check(`{"prompt_tokens":-5,"completion_tokens":2}`, model.Usage{})
	check(`{"prompt_tokens":10,"completion_tokens":0}`, model.Usage{})
	check(`{"prompt_tokens":10,"completion_tokens":-1}`, model.Usage{})
	check(`{"prompt_tokens":1152921504606846976,"completion_tokens":2}`, model.Usage{})
	check(`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":1152921504606846976}`, model.Usage{})
	check(`{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":11}}`, model.Usage{})
}

// TestUsageOfAnotherForm: a usage that is none makes the cost unknown, and the
// reply holds; so it is with what nobody here reads.
func TestUsageOfAnotherForm(t *testing.T) {
	said := oneline.Of(`{"id":7,"created":1.5,"model":"m",
		"choices":[{"index":0,%q:{"content":"hi"},"finish_reason":"stop"}],"usage":%s}`)
	for _, u := range []string{`{"prompt_tokens":12.5,"completion_tokens":2}`,
		`{"prompt_tokens":10,"completion_tokens":"2"}`,
		`{"prompt_tokens":10,"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":"many"}}`,
		`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":1e99}`, `"many"`, `12.5`, `-1`, `[]`, `true`} {
		both(t, func(t *testing.T, stream bool) {
			good := `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":1}}` // so far; not the last word
			step := openaitest.Raw("application/json", fmt.Sprintf(said, "message", u))
			if stream {
				step = openaitest.Raw("text/event-stream", "data: "+good+"\n\ndata: "+fmt.Sprintf(said, "delta",
					u)+"\n\ndata: [DONE]\n\n")
			}
			_, cfg := serve(t, step)
			cfg.Stream = stream
			r, err := New(cfg).Generate(t.Context(), hello())
			if err != nil || r.Message.Content != "hi" || r.Usage != (model.Usage{}) {
				t.Errorf("%s: %+v, %v", u, r, err)
			}
		})
	}
}

// TestManyAtOnce: one Chat serves all trials.
func TestManyAtOnce(t *testing.T) {
	s := openaitest.NewFunc(func(_ int, r *openaitest.Request) openaitest.Step {
		return openaitest.Text("re: " +
			r.Text("user"))
	})
	t.Cleanup(s.Close)
	both(t, func(t *testing.T, stream bool) {
		chat := New(Config{Name: "acme", BaseURL: s.URL, Model: "m", Stream: stream})
		var all sync.WaitGroup
		for i := range 32 {
			all.Go(func() {
				text := fmt.Sprint("trial ", i)
				r, err := chat.Generate(t.Context(),
					&model.Request{Messages: []model.Message{{Role: model.User, Content: text}}})
				if err != nil || r.Message.Content != "re: "+text {
					t.Errorf("%s: %+v, %v", text, r, err)
				}
			})
		}
		all.Wait()
	})
}

// BenchmarkEncode: the time for a message must not grow with the conversation.
func BenchmarkEncode(b *testing.B) {
	for _, steps := range []int{10, 100, 1000} {
		req := &model.Request{Messages: []model.Message{{Role: model.System, Content: strings.Repeat("rules ", 200)}}}
		for i := range steps {
			id := fmt.Sprint("call_", i)
			req.Messages = append(req.Messages,
				model.Message{Role: model.Assistant,
					Calls: []model.Call{{ID: id, Name: "bash", Arguments: `{"command":"go test ./..."}`}}},
				model.Message{Role: model.ToolRole, CallID: id,
					Content: strings.Repeat("ok  \tledger/book\t0.004s\n", 20)})
		}
		b.Run(fmt.Sprint(steps), func(b *testing.B) {
			for b.Loop() {
				if _, err := encode(Config{Model: "m"}, req); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(steps), "ns/step")
		})
		b.Run(fmt.Sprint(steps, "/next"), func(b *testing.B) { // as the loop does: the last step is new
			head := *req
			head.Wire, head.Messages = &model.Wire{}, req.Messages[:len(req.Messages)-2]
			if _, err := encode(Config{Model: "m"}, &head); err != nil {
				b.Fatal(err)
			}
			held := *head.Wire
			for b.Loop() {
				next, wire := *req, held
				next.Wire = &wire
				if _, err := encode(Config{Model: "m"}, &next); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestWhoeverLooksIsStreamedTo: text is asked for as it arrives where somebody
// looks, whatever the configuration says; a server that streams nothing gives
// it at once.
func TestWhoeverLooksIsStreamedTo(t *testing.T) {
	plain := openaitest.Raw("application/json",
		oneline.Of(`{"choices":[{"message":{"content":"all at once"},"finish_reason":"stop"}],
			"usage":{"prompt_tokens":9,"completion_tokens":3}}`))
	s, cfg := serve(t, openaitest.Text("piece by piece"), openaitest.Text("unseen"), plain)
	c := New(cfg)
	look := func() (*model.Reply, []string) {
		var pieces []string
		r, err := c.GenerateStream(t.Context(), hello(), func(p string) { pieces = append(pieces, p) })
		if err != nil {
			t.Fatal(err)
		}
		return r, pieces
	}
	if r, pieces := look(); len(pieces) < 2 || strings.Join(pieces, "") != r.Message.Content || !r.Usage.Known {
		t.Errorf("%q of %+v", pieces, r)
	}
	if _, err := c.Generate(t.Context(), hello()); err != nil {
		t.Fatal(err)
	}
	if r, pieces := look(); len(pieces) != 1 || r.Message.Content != "all at once" || r.Usage.Input != 9 {
		t.Errorf("%q of %+v", pieces, r)
	}
	for i, want := range []bool{true, false, true} {
		if got := s.Requests()[i].Stream; got != want {
			t.Errorf("request %d: stream %v", i+1, got)
		}
	}
}
