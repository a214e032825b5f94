package otel

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"cookoff/interop/interoptest"
	"cookoff/interop/transcript"
	"cookoff/trial"
)

const journal = "../testdata/talk.jsonl"

func told(t *testing.T, how Telling) []Request {
	r := interoptest.Run(t, journal)
	out := []Request{how.Run(r)}
	interoptest.Trials(t, journal, r, func(x transcript.Trial) error {
		out = append(out, how.Trial(r.Run, x))
		return nil
	})
	return out
}

func TestSpans(t *testing.T) {
	all := &txtar.Archive{}
	for name, contents := range map[string]bool{"plain": false, "contents": true} {
		var text []byte
		for _, req := range told(t, Telling{"0.1.0", map[string]string{"service.name": "cookoff"}, contents}) {
			line, err := json.MarshalIndent(req, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			text = append(append(text, line...), '\n')
		}
		said := strings.Contains(string(text), "status.txt") || strings.Contains(string(text), "probably") ||
			strings.Contains(string(text), "not there")
		if said != contents {
			t.Errorf("%s: what was said is told: %v", name, said)
		}
		if contents {
			all.Files = append(all.Files, txtar.File{Name: name, Data: text})
		}
	}
	interoptest.Golden(t, "testdata/talk.txtar", all)
}

func env(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func TestSettings(t *testing.T) {
	for _, x := range []struct {
		env  map[string]string
		want string // of the address
		bad  string
	}{
		{nil, "http://localhost:4318/v1/traces", ""},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://a.example/x/"}, "https://a.example/x/v1/traces", ""},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://a.example",
			"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://b.example/t"}, "http://b.example/t", ""},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "a.example:4317"}, "", "http:// or https://"},
		{map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "", "grpc"},
		{map[string]string{"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"}, "", "milliseconds"},
		{map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "key-sk-123"}, "", "KEY=VALUE"},
		{map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "a=b%0d%0aEvil:%20sk-123"}, "", "KEY=VALUE"},
	} {
		s, err := Read(env(x.env), "1")
		switch {
		case x.bad == "" && (err != nil || s.Endpoint != x.want):
			t.Errorf("%v: %s, %v", x.env, s.Endpoint, err)
		case x.bad != "" && (err == nil || !strings.Contains(err.Error(), x.bad) ||
			strings.Contains(err.Error(), "sk-123")):
			t.Errorf("%v: %v", x.env, err)
		}
	}
	s, err := Read(env(map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Basic%20abc, x-a = 1",
		"OTEL_RESOURCE_ATTRIBUTES": "service.name=lost,team=a",
		"OTEL_SERVICE_NAME":        "mine", "OTEL_SDK_DISABLED": "True",
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://user:pw@h.example"}),
		"1")
	if err != nil || s.Headers["Authorization"] != "Basic abc" || s.Headers["x-a"] != "1" ||
		s.Resource["service.name"] != "mine" || s.Resource["team"] != "a" ||
		s.Disabled == "" || strings.Contains(s.Place(), "pw") {
		t.Errorf("%+v, %v", s, err)
	}
}

// collector answers each request by the next of its answers, the last for ever.
func collector(t *testing.T, answers ...int) (url string, got *[]Request) {
	got = &[]Request{}
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := answers[min(n, len(answers)-1)]
		n++
		z, err := gzip.NewReader(r.Body)
		if err != nil || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Key") != "k" {
			t.Errorf("%v, %v", err, r.Header)
			return
		}
		var req Request
		if err := json.NewDecoder(z).Decode(&req); err != nil {
			t.Error(err)
		}
		w.Header().Set("Location", "http://127.0.0.1:1/")
		w.WriteHeader(status)
		if status == 200 {
			*got = append(*got, req)
			io.WriteString(w, `{"partialSuccess":{"rejectedSpans":"2"}}`) // the client reads it
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

func sent(t *testing.T, url string, r Request) (*Collector, error) {
	s, err := Read(env(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_EXPORTER_OTLP_HEADERS": "x-key=k"}),
		"1")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCollector(s)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return c, c.Send(ctx, r)
}

func TestSend(t *testing.T) {
	r := told(t, Telling{Version: "1"})[1]
	spans := r.Resources[0].Scopes[0].Spans
	for len(r.Resources[0].Scopes[0].Spans) <= most {
		r.Resources[0].Scopes[0].Spans = append(r.Resources[0].Scopes[0].Spans, spans...)
	}
	url, got := collector(t, 503, 200)
	c, err := sent(t, url, r)
	if err != nil || len(*got) != 2 || len((*got)[0].Resources[0].Scopes[0].Spans) != most || c.Rejected != 4 {
		t.Errorf("%d requests, %d rejected, %v", len(*got), c.Rejected, err)
	}
	for status, want := range map[int]string{401: "401", 302: "302", 500: "500"} {
		url, _ := collector(t, status)
		if _, err := sent(t, url, told(t, Telling{})[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", status, err)
		}
	}
	if _, err := sent(t, "http://user:secret@127.0.0.1:1", r); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("nobody is there: %v", err)
	}
	dead, cancel := context.WithCancel(context.Background())
	cancel()
	if err := (&Collector{client: http.DefaultClient, s: Settings{Endpoint: url}}).Send(dead, r); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestNamedContestants: a span names the model, the agent that works with it, and what is
// given to a contestant of its own, whatever it is called.
func TestNamedContestants(t *testing.T) {
	run := trial.Run{ID: "r1", Contestants: []trial.Contestant{{Name: "with notes", Model: "openai/fast",
		Agent: "opencode", Given: []trial.Given{{Key: "files", Text: "AGENTS.md"}}}}}
	for name, want := range map[string][]string{
		"with notes": {"openai", "opencode", "openai/fast", "with notes", "AGENTS.md"},
		"codex: x/y": {"x", "codex", "x/y", "codex: x/y", ""},
		"x/y:free":   {"x", "cookoff", "x/y:free", "x/y:free", ""},
	} {
		x := transcript.Trial{Talk: &transcript.Talk{}}
		x.Model = name
		text, err := json.Marshal(Telling{Version: "1"}.Trial(run, x))
		if err != nil {
			t.Fatal(err)
		}
		for i, key := range []string{"gen_ai.provider.name", "gen_ai.agent.name", "gen_ai.request.model",
			"cookoff.contestant", "cookoff.contestant.files"} {
			said := strings.Contains(string(text), `{"key":"`+key+`","value":{"stringValue":"`+want[i]+`"}}`)
			if said != (want[i] != "") {
				t.Errorf("%s: %s is not %q in %s", name, key, want[i], text)
			}
		}
	}
}
