package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"cookoff/contestant/agents"
	"cookoff/contestant/gateway/tally"
	"cookoff/internal/oneline"
	"cookoff/model/wire"
	"cookoff/runner/clock"
	"cookoff/runner/record"
	"cookoff/sandbox"
	"cookoff/trial"
)

// pingTime is how long an agent may take to say one word.
const pingTime = 3 * time.Minute

// Ping lets an agent say one word: in a world with nothing in it, by a model that is
// none, without a key. Its tally is what the agent asked of that; its error says why it
// did not get so far, in words for people.
func Ping(ctx context.Context, b sandbox.Backend, a agents.Installed) (tally.Tally, error) {
	if _, err := Probe(ctx, b, a); err != nil {
		return tally.Tally{}, err
	}
	out := &trial.Outcome{}
	c := New(Config{Trial: trial.Trial{ID: "ping", Model: a.Name}, Prompt: "Answer with the one word ok. Use no tool.",
		Agent:    a,
		Upstream: loopback(wire.Dialect(a.Dialect)), Model: "loopback/ping", Clock: clock.Real{}, Timeout: pingTime,
		MaxSteps: 10, Outcome: out,
		Record: &record.Recorder{Sink: trial.SinkFunc(func(trial.Event) error { return nil }), Clock: clock.Real{}}})
	defer c.Close()
	sb, err := b.Open(ctx, c.Prepare(sandbox.Spec{Network: sandbox.NoNetwork}))
	if err != nil {
		return tally.Tally{}, err
	}
	defer sb.Close()
	c.In(sb)
	err = c.Work(ctx)
	t := c.gateway.Tally()
	switch {
	case err != nil:
		return t, err
	case out.Stop != trial.StopDone:
		return t, c.cutOff()
	case t.Calls+t.Helpers == 0:
		return t, fmt.Errorf("it ended without asking its model: is it pointed at {gateway}?")
	}
	return t, nil
}

// cutOff says how an agent ended that was not done, with its last words.
func (c *Contestant) cutOff() error {
	text := fmt.Sprintf("it ended by %s: %s", c.Outcome.Stop, c.Outcome.Detail)
	if c.Outcome.Stop != trial.StopCrashed { // which has them
		text += c.parting
	}
	return errors.New(text)
}

// loopback is a model that is none: whatever it is asked, it says ok.
func loopback(d wire.Dialect) wire.Upstream {
	if d != wire.Gemini {
		d = wire.Chat // the others are translated
	}
	return wire.Upstream{Dialects: []wire.Dialect{d}, BaseURL: "http://loopback.invalid/v1", Model: "ping",
		Transport: says{}}
}

type says struct{}

// The answers of a model that says ok.
var (
	saysChat = oneline.Of(`{"id":"ping","object":"chat.completion","created":1,"model":"ping",
		"choices":[
			{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],`) + pingUsage
	saysPart = oneline.Of(`data: {"id":"ping","object":"chat.completion.chunk","created":1,
		"model":"ping",
		"choices":[{"index":0,"delta":{"role":"assistant","content":"ok"},"finish_reason":null}]}`) + "\n\n" +
		oneline.Of(`data: {"id":"ping","object":"chat.completion.chunk","created":1,"model":"ping",
			"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`) + "\n\n" +
		`data: {"id":"ping","object":"chat.completion.chunk","created":1,"model":"ping","choices":[],` + pingUsage +
		"\n\ndata: [DONE]\n\n"
	pingUsage  = `"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
	saysGemini = `{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]},"finishReason":"STOP","index":0}],` +
		`"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2},"modelVersion":"ping"}`
)

// RoundTrip answers a request.
func (says) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	kind, text := "application/json", saysChat
	switch {
	case strings.Contains(r.URL.Path, ":streamGenerateContent"):
		kind, text = "text/event-stream", "data: "+saysGemini+"\n\n"
	case strings.Contains(r.URL.Path, ":generateContent"):
		text = saysGemini
	case bytes.Contains(body, []byte(`"stream":true`)):
		kind, text = "text/event-stream", saysPart
	}
	return &http.Response{Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Request: r,
		Header:  http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(text)),
		ContentLength: int64(len(text))}, nil
}
