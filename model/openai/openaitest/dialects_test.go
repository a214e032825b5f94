package openaitest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/messages"
	"cookoff/model/openai/openaitest"
	"cookoff/model/responses"
)

// TestDialects: what asks in Responses and in Messages gets the same replies, whole and
// streamed, and is understood; a reply that is cut is no reply.
func TestDialects(t *testing.T) {
	reply := model.Reply{Message: model.Message{Role: model.Assistant, Content: "I löok.", Calls: []model.Call{
		{ID: "c1", Name: "bash", Arguments: `{"command":"ls"}`}, {ID: "c2", Name: "bash", Arguments: `{}`}}},
		Finish: model.FinishCalls, Served: "big",
		Usage: model.Usage{Input: 100, Output: 20, Cached: 40, Known: true}}
	for name, begin := range map[string]func(endpoint.Config) model.Chat{
		"responses": func(c endpoint.Config) model.Chat { return responses.New(c) },
		"messages":  func(c endpoint.Config) model.Chat { return messages.New(c) },
	} {
		t.Run(name, func(t *testing.T) {
			s := openaitest.New(openaitest.Reply(reply), openaitest.Reply(reply), openaitest.Cut(reply))
			defer s.Close()
			chat := begin(endpoint.Config{Endpoint: endpoint.Endpoint{Name: "p", BaseURL: s.URL, Key: "k", Model: "m",
				Timeout: time.Minute, Idle: time.Minute, Client: endpoint.NewClient(nil)}})
			ask := &model.Request{Messages: []model.Message{{Role: model.System, Content: "Be good."},
				{Role: model.User, Content: "mend it"},
				{Role: model.Assistant, Calls: []model.Call{{ID: "c0", Name: "bash", Arguments: "{}"}}},
				{Role: model.ToolRole, CallID: "c0", Content: "a.txt"}},
				Tools: []model.ToolSpec{{Name: "bash", Parameters: []byte(`{"type":"object"}`)}}}
			streamed, _ := chat.(model.Streamer)
			for i, get := range []func() (*model.Reply, error){
				func() (*model.Reply, error) { return chat.Generate(t.Context(), ask) },
				func() (*model.Reply, error) {
					return streamed.GenerateStream(context.Background(), ask, func(string) {})
				},
			} {
				got, err := get()
				if err != nil {
					t.Fatal(err)
				}
				if got.Message.Content != reply.Message.Content ||
					!slices.Equal(got.Message.Calls, reply.Message.Calls) ||
					got.Usage != reply.Usage || got.Finish != reply.Finish || got.Served != "big" {
					t.Errorf("reply %d: %+v", i+1, got)
				}
			}
			var again *model.RetryError
			if _, err := chat.Generate(t.Context(), ask); !errors.As(err, &again) {
				t.Errorf("a reply that was cut: %v", err)
			}
			r := s.Requests()[0]
			if r.Model != "m" || r.Text("system") != "Be good." || r.Text("user") != "mend it" ||
				r.Text("tool") != "a.txt" ||
				len(r.Tools) != 1 || r.Tools[0].Function.Name != "bash" {
				t.Errorf("understood as %+v", r)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPieces: what is asked in one piece is answered in one, and Gemini's clients are
// understood too.
func TestPieces(t *testing.T) {
	s := openaitest.NewFunc(func(_ int, r *openaitest.Request) openaitest.Step {
		return openaitest.Calls(model.Call{ID: "c1", Name: r.Tools[0].Function.Name,
			Arguments: `{"command":"` + r.Text("user") + `"}`})
	})
	defer s.Close()
	gemini := `{"contents":[{"role":"user","parts":[{"text":"ls"}]}],"tools":[{"functionDeclarations":[{"name":"sh"}]}]}`
	const called = `"functionCall":{"args":{"command":"ls"},"name":"sh"}`
	for _, c := range []struct{ path, body, begins, holds string }{
		{"/models/m:generateContent", gemini, `{"candidates":`, called},
		{"/models/m:streamGenerateContent?alt=sse", gemini, `data: {"candidates":`, called},
		{"/messages?beta=true", `{"model":"m","messages":[{"role":"user","content":"ls"}],"tools":[{"name":"sh"}]}`,
			`{"content":[{"id":"c1",`, `"input":{"command":"ls"},"name":"sh","type":"tool_use"}`},
		{"/responses", `{"model":"m","input":"ls","tools":[{"type":"web_search"},{"type":"function","name":"sh"}]}`,
			`{"created_at":1,`, `"arguments":"{\"command\":\"ls\"}","call_id":"c1"`},
	} {
		resp, err := http.Post(s.URL+c.path, "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if got := string(text); err != nil || !strings.HasPrefix(got, c.begins) || !strings.Contains(got, c.holds) ||
			!strings.Contains(got, `"m"`) || !strings.Contains(got, `100`) {
			t.Errorf("%s: %s, %v", c.path, got, err)
		}
	}
}
