package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cookoff/contestant/gateway"
	"cookoff/model"
	"cookoff/model/wire"
	"cookoff/runner/clock"
	"cookoff/trial"
)

// parted is a provider that streams lines, tells when those before the pause were read and
// looked at, and goes on once the agent is gone; without lines behind it, it never does.
type parted struct {
	before, after []string
	read, gone    chan bool
	ctx           context.Context
	text          io.Reader
	paused        bool
}

func (p *parted) RoundTrip(r *http.Request) (*http.Response, error) {
	p.ctx = r.Context()
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {sse}},
		Body: io.NopCloser(p), Request: r}, nil
}

func (p *parted) Read(b []byte) (int, error) {
	if p.text == nil {
		p.text = strings.NewReader(dataLines(p.before))
	}
	n, err := p.text.Read(b)
	if err == nil || p.paused {
		return n, err
	}
	p.paused = true
	close(p.read)
	if p.after == nil {
		<-p.ctx.Done()
		return 0, p.ctx.Err()
	}
	<-p.gone
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	p.text = strings.NewReader(dataLines(p.after))
	return p.text.Read(b)
}

func dataLines(lines []string) string { return "data: " + strings.Join(lines, "\n\ndata: ") + "\n\n" }

// TestLeftIsMetered: a streamed reply that the agent leaves costs what the provider tells
// with its end, which is waited for where it is written; and before that as much as it
// could, with its input as told.
func TestLeftIsMetered(t *testing.T) {
	const (
		text  = `{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}`
		delta = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}`
		stop  = `{"type":"message_stop"}`
		piece = `{"choices":[{"delta":{"content":"a"}}]}`
		last  = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
		usage = `{"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":7}}`
		chat  = "/v1/chat/completions"
		msgs  = "/v1/messages"
	)
	start := func(n int) string {
		return fmt.Sprintf(`{"type":"message_start","message":{"usage":{"input_tokens":%d,"output_tokens":1}}}`, n)
	}
	type lines = []string
	for _, c := range []struct {
		name, path    string
		before, after lines
		usd           float64
		guessed       bool
	}{
		{"its end is written", msgs, lines{start(40), text, delta}, lines{stop}, 47, false},
		{"its end is written, not what it took", chat, lines{piece, last}, lines{usage, "[DONE]"}, 47, false},
		{"all is told", chat, lines{piece, last, usage}, lines{"[DONE]"}, 47, false},
		{"midway", msgs, lines{start(40), text}, nil, 940, true},
		{"midway, and the input can't be all", msgs, lines{start(1), text}, nil, 5000, true},
		{"midway, and nothing is told", chat, lines{piece}, nil, 5000, true},
	} {
		p := &parted{before: c.before, after: c.after, read: make(chan bool), gone: make(chan bool)}
		var rec trial.Request
		most, settled := 5000.0, 0.0
		g := gateway.New(gateway.Options{Model: "acme/big", Token: token, Clock: clock.Real{},
			Upstream: wire.Upstream{Dialects: []wire.Dialect{wire.Chat, wire.Messages}, BaseURL: "http://acme",
				Model: "big", Transport: p},
			Cost: func(u model.Usage) (float64, bool) { return float64(u.Input + u.Output), true },
			Admit: func(context.Context, gateway.Ask) (gateway.Grant, error) {
				return gateway.Grant{Most: &most, Settle: func(r trial.Request) { settled = *r.CostUSD }}, nil
			},
			Record: func(r trial.Request) { rec = r }})
		ctx, cancel := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, "POST", c.path,
			strings.NewReader(`{"model":"m","stream":true,"max_tokens":900,"stream_options":{"include_usage":true}}`))
		r.Header.Set("X-Api-Key", token)
		go func() { <-p.read; cancel(); close(p.gone) }()
		g.ServeHTTP(httptest.NewRecorder(), r)
		g.Close()
		if rec.Guessed != c.guessed || rec.CostUSD == nil || *rec.CostUSD != c.usd || settled != c.usd ||
			c.guessed != (rec.Outcome == trial.RequestLeft) || c.guessed && rec.Usage.Output != 900 {
			t.Errorf("%s: $%v are settled; %+v", c.name, settled, rec)
		}
	}
}
