// Package sdks holds cookoff's wires against the official SDKs of OpenAI and Anthropic,
// which are no part of the program: each is one more client of the gateway, and of the
// server that tests ask in the place of a provider, and what it reads there is what our
// own clients read. .ci/run runs it.
package sdks

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/openai/openai-go/v3"
	openairesponses "github.com/openai/openai-go/v3/responses"

	"cookoff/contestant/gateway"
	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/messages"
	own "cookoff/model/openai"
	"cookoff/model/openai/openaitest"
	"cookoff/model/responses"
	"cookoff/model/wire"
	"cookoff/runner/clock"
)

const (
	token = "nonce-of-this-trial-0123456789"
	key   = "sk-key-of-the-user-0123456789"
)

// sameReply compares what was read of a reply: arguments as JSON, whatever their spaces.
var sameReply = cmp.Options{cmpopts.EquateEmpty(), cmp.FilterPath(func(p cmp.Path) bool {
	return p.Last().String() == ".Arguments"
}, cmp.Comparer(func(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && cmp.Equal(x, y)
}))}

// replyOf makes a reply up: text of many alphabets, calls of many shapes, all kinds of usage.
func replyOf(r *rand.Rand) model.Reply {
	words := []string{"mended", "\n\n", "data: x", "「だいじょうぶ」", "🚀🚀", "\u2028", `"quoted\"`,
		"</script>",
		"event: ping\n", "é", "\t"}
	text := func(most int) string {
		var b strings.Builder
		for range r.IntN(most) {
			b.WriteString(words[r.IntN(len(words))])
		}
		return b.String()
	}
	reply := model.Reply{Finish: model.FinishStop, Message: model.Message{Content: text(12)}}
	for i := range r.IntN(4) {
		args, _ := json.Marshal(map[string]any{"command": text(8), "n": r.IntN(9),
			"nested": map[string]any{"deep": []any{nil, true, text(3)}}})
		reply.Message.Calls = append(reply.Message.Calls, model.Call{ID: fmt.Sprintf("call_%d", i), Name: "bash",
			Arguments: string(args)})
		reply.Finish = model.FinishCalls
	}
	if reply.Message.Content == "" && reply.Message.Calls == nil {
		reply.Message.Content = "done"
	}
	in, out := 1+r.IntN(9000), 1+r.IntN(500)
	reply.Usage = model.Usage{Input: in, Output: out, Cached: r.IntN(in), Known: true}
	return reply
}

// wanted is what a client is to read of a reply.
func wanted(reply model.Reply, served string) read {
	return read{reply.Message.Content, reply.Message.Calls, reply.Usage, served, true}
}

// front begins a gateway before a server, whose provider speaks these dialects.
func front(t *testing.T, server *openaitest.Server, change func(*gateway.Options),
	speaks ...wire.Dialect) (access, *gateway.Gateway) {
	t.Helper()
	o := gateway.Options{Trial: "t001", Model: "acme/big", Token: token, Clock: clock.Real{}, Upstream: wire.Upstream{
		Dialects: speaks, BaseURL: server.URL, Model: "big-1", Key: key, KeyEnv: "ACME_KEY"}}
	if change != nil {
		change(&o)
	}
	g := gateway.New(o)
	s := httptest.NewServer(g)
	t.Cleanup(func() {
		g.Close()
		s.CloseClientConnections()
		s.Close()
	})
	return access{base: s.URL + "/v1", key: token}, g
}

// each runs a test for each oracle, in one piece and streamed.
func each(t *testing.T, do func(t *testing.T, name string, o oracle, stream bool)) {
	for name, o := range oracles {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%v", name, stream), func(t *testing.T) { do(t, name, o, stream) })
		}
	}
}

// rounds is how many replies are made up for each way.
const rounds = 40

// TestServerIsRead: what tests ask in the place of a provider is read by the SDKs as it is
// meant, and by our own clients alike.
func TestServerIsRead(t *testing.T) {
	each(t, func(t *testing.T, name string, o oracle, stream bool) {
		r := rand.New(rand.NewPCG(1, uint64(len(name))))
		for range rounds {
			reply := replyOf(r)
			server := openaitest.New(openaitest.Reply(reply), openaitest.Reply(reply))
			got, err := o.asks(t.Context(), access{base: server.URL, key: key}, stream)
			if d := cmp.Diff(wanted(reply, asked), got, sameReply); err != nil || d != "" {
				t.Errorf("the SDK reads, %v: %s", err, d)
			}
			ours, err := ownChat(name, server.URL, stream).Generate(t.Context(), question())
			if err != nil {
				t.Fatal(err)
			}
			read := read{ours.Message.Content, ours.Message.Calls, ours.Usage, ours.Served, true}
			if d := cmp.Diff(wanted(reply, asked), read, sameReply); d != "" {
				t.Errorf("our own client reads: %s", d)
			}
			server.Close()
		}
	})
}

// ownChat is our own client of a dialect.
func ownChat(dialect, url string, stream bool) model.Chat {
	cfg := endpoint.Config{Endpoint: endpoint.Endpoint{Name: "acme", BaseURL: url, Key: key, KeyEnv: "ACME_KEY",
		Model:   asked,
		Timeout: time.Minute, Idle: time.Minute, Client: endpoint.NewClient(nil)},
		Dialects: []wire.Dialect{wire.Dialect(dialect)}}
	switch dialect {
	case "messages":
		return messages.New(cfg)
	case "responses":
		return responses.New(cfg)
	}
	return own.New(own.Config{Name: "acme", BaseURL: url, Key: key, KeyEnv: "ACME_KEY", Model: asked, Stream: stream})
}

// TestRequestsAreKnown: all that our own clients ask for is in the types of the SDKs, by the
// names and in the shapes that it has there.
func TestRequestsAreKnown(t *testing.T) {
	for name, into := range map[string]func() any{
		"chat":      func() any { return &openai.ChatCompletionNewParams{} },
		"responses": func() any { return &openairesponses.ResponseNewParams{} },
		"messages":  func() any { return &anthropic.MessageNewParams{} },
	} {
		for _, effort := range []string{"", "high"} {
			server := openaitest.New(openaitest.Text("ok"))
			req := question()
			req.Params.ReasoningEffort = effort
			if _, err := ownChat(name, server.URL, true).Generate(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			body, params := server.Requests()[0].Body, into()
			server.Close()
			if err := json.Unmarshal(body, params); err != nil {
				t.Errorf("%s: the SDK reads %s: %v", name, body, err)
				continue
			}
			again, err := json.Marshal(params)
			if err != nil {
				t.Fatal(err)
			}
			var want, got map[string]any
			if err := errors.Join(json.Unmarshal(body, &want), json.Unmarshal(again, &got)); err != nil {
				t.Fatal(err)
			}
			delete(want, "stream") // is which of its methods one calls
			if d := cmp.Diff(listed(want), any(got)); d != "" {
				t.Errorf("%s: what the SDK knows of it: %s", name, d)
			}
		}
	}
}

// listed is a request in which the text of each result of a tool is a list of one, as an
// SDK writes it; both are the same to Anthropic.
func listed(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = listed(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = listed(v[k])
		}
		if text, ok := v["content"].(string); ok && v["type"] == "tool_result" {
			v["content"] = []any{map[string]any{"type": "text", "text": text}}
		}
	}
	return v
}

// TestRounds: a conversation of two rounds, in which an SDK sends back what it read, is
// whole at the provider, translated or not.
func TestRounds(t *testing.T) {
	for _, speaks := range []wire.Dialect{wire.Messages, wire.Chat} {
		call := model.Call{ID: "call_1", Name: "bash", Arguments: `{"command":"ls"}`}
		server := openaitest.New(openaitest.Reply(model.Reply{Message: model.Message{Content: "I look.",
			Calls: []model.Call{call}},
			Finish: model.FinishCalls, Usage: model.Usage{Input: 5, Output: 5, Known: true}}), openaitest.Text("done"))
		at, _ := front(t, server, nil, speaks)
		client, params := anthropicClient(at), messageParams()
		first, err := client.Messages.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		params.Messages = append(params.Messages, first.ToParam(),
			anthropic.NewUserMessage(anthropic.NewToolResultBlock("call_1", "a.txt", false)))
		second, err := client.Messages.New(t.Context(), params)
		if err != nil || ofMessage(*second).Text != "done" {
			t.Fatalf("%v: %+v", err, second)
		}
		asked := string(server.Requests()[1].Body)
		for _, want := range []string{"Be good.", "mend it", "I look.", "call_1", "a.txt"} {
			if !strings.Contains(asked, want) {
				t.Errorf("by %s: %q is not in %s", speaks, want, asked)
			}
		}
		server.Close()
	}
}

// question is a conversation of our own loop, with all that one may have.
func question() *model.Request {
	return &model.Request{
		Messages: []model.Message{{Role: model.System, Content: "Be good."}, {Role: model.User, Content: "mend <it>"},
			{Role: model.Assistant, Content: "I look.",
				Calls: []model.Call{{ID: "c1", Name: "bash", Arguments: `{"command":"ls"}`}}},
			{Role: model.ToolRole, CallID: "c1", Name: "bash", Content: "a.txt"},
			{Role: model.System, Content: "Two minutes are left."}},
		Tools: []model.ToolSpec{{Name: "bash", Description: "runs a command",
			Parameters: []byte(`{"type":"object","properties":{"command":{"type":"string"}}}`)}},
		Params: model.Params{MaxTokens: new(4000), ParallelToolCalls: new(false), Temperature: new(0.5)},
	}
}

// TestThroughTheGateway: an SDK reads through the gateway what it reads from the provider,
// where its dialect is spoken there and where it is translated; all of it is counted.
func TestThroughTheGateway(t *testing.T) {
	each(t, func(t *testing.T, name string, o oracle, stream bool) {
		for _, speaks := range []wire.Dialect{wire.Dialect(name), wire.Chat} {
			r := rand.New(rand.NewPCG(2, uint64(len(name))))
			for range rounds {
				reply := replyOf(r)
				server := openaitest.New(openaitest.Reply(reply))
				at, g := front(t, server, nil, speaks)
				got, err := o.asks(t.Context(), at, stream)
				if d := cmp.Diff(wanted(reply, got.Served), got, sameReply); err != nil || d != "" {
					t.Errorf("by %s, %v: %s", speaks, err, d)
				}
				g.Close()
				if d := cmp.Diff(reply.Usage, g.Tally().Usage); d != "" {
					t.Errorf("by %s, counted: %s", speaks, d)
				}
				if err := server.Check(); err != nil {
					t.Error(err)
				}
				server.Close()
			}
		}
	})
}

// TestModelsAreListed: the one that there is.
func TestModelsAreListed(t *testing.T) {
	server := openaitest.New()
	defer server.Close()
	at, _ := front(t, server, nil, wire.Chat)
	for name, o := range oracles {
		if got, err := o.models(t.Context(), at); err != nil || !cmp.Equal(got, []string{"big-1"}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// statusOf is the status, kind and message of an SDK's own error.
func statusOf(t *testing.T, err error) (status int, text string) {
	t.Helper()
	var o *openai.Error
	var a *anthropic.Error
	switch {
	case errors.As(err, &o):
		return o.StatusCode, o.Type + ": " + o.Message
	case errors.As(err, &a):
		return a.StatusCode, string(a.Type()) + ": " + a.RawJSON()
	}
	t.Errorf("%v is no error of the SDK", err)
	return 0, ""
}

// TestErrors: what a provider refuses is an error of the SDK's own, with its status, where it
// passes as it is and where it is translated, and asked again by the same rules.
func TestErrors(t *testing.T) {
	for status, again := range map[int]bool{400: false, 401: false, 404: false, 413: false, 422: false,
		429: true, 500: true, 503: true, 529: true} {
		each(t, func(t *testing.T, name string, o oracle, stream bool) {
			for _, speaks := range []wire.Dialect{wire.Dialect(name), wire.Chat} {
				server := openaitest.NewFunc(func(int, *openaitest.Request) openaitest.Step {
					return openaitest.Status(status,
						fmt.Sprintf(`{"type":"error","error":{"type":"x","message":"no, says %s"}}`, key),
						"Retry-After-Ms", "1")
				})
				at, _ := front(t, server, nil, speaks)
				at.tries = 1
				_, err := o.asks(t.Context(), at, stream)
				got, text := statusOf(t, err)
				if got != status || strings.Contains(text+fmt.Sprint(err), key) {
					t.Errorf("%d by %s is %d: %s", status, speaks, got, text)
				}
				if n := len(server.Requests()); again != (n > 1) {
					t.Errorf("%d by %s: asked %d times", status, speaks, n)
				}
				server.Close()
			}
		})
	}
}

// TestRefusals: what the gateway itself refuses, and that no SDK asks again where it would
// be refused again.
func TestRefusals(t *testing.T) {
	each(t, func(t *testing.T, _ string, o oracle, stream bool) {
		server := openaitest.New(openaitest.Text("one"))
		defer server.Close()
		at, g := front(t, server, func(o *gateway.Options) { o.MaxSteps = 1 }, wire.Chat, wire.Responses, wire.Messages)
		at.tries = 3
		if _, err := o.asks(t.Context(), at, stream); err != nil {
			t.Fatal(err)
		}
		_, err := o.asks(t.Context(), at, stream)
		if status, text := statusOf(t, err); status != 429 || !strings.Contains(text, "model calls") {
			t.Errorf("status %d: %s", status, text)
		}
		at.key = "another-0123456789"
		_, err = o.asks(t.Context(), at, stream)
		if status, text := statusOf(t, err); status != 401 {
			t.Errorf("status %d: %s", status, text)
		}
		if g.Close(); g.Tally().Refused != 2 {
			t.Errorf("%d requests were refused, want 2: none is asked again", g.Tally().Refused)
		}
	})
}

// TestCutStreams: a stream that breaks off is no whole reply to an SDK, translated or not.
func TestCutStreams(t *testing.T) {
	for name, o := range oracles {
		for _, speaks := range []wire.Dialect{wire.Dialect(name), wire.Chat} {
			server := openaitest.New(openaitest.Cut(replyOf(rand.New(rand.NewPCG(3, 3)))))
			at, _ := front(t, server, nil, speaks)
			if got, err := o.asks(t.Context(), at, true); err == nil && got.Ends {
				t.Errorf("%s by %s: a whole reply: %+v", name, speaks, got)
			}
			server.Close()
		}
	}
}
