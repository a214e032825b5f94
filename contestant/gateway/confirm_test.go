package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"cookoff/contestant/gateway"
	"cookoff/internal/oneline"
	"cookoff/model/wire"
	"cookoff/trial"
)

// TestOwn: a failure of the server is the request's own where the provider fails at it each
// time and answers others; of one that fails at all, that answers it now, or that says how
// busy it is, it is the provider's.
func TestOwn(t *testing.T) {
	for _, c := range []struct {
		name, path string
		dialects   []wire.Dialect
		answer     func(n int, breaks bool) int // status; 0: the connection ends
		own        bool
		asked      int
	}{
		{"breaks it", "/v1/chat/completions", nil, func(_ int, breaks bool) int { return status(breaks, 500) }, true,
			6},
		{"ends the connection", "/v1/messages?beta=true", nil,
			func(_ int, breaks bool) int { return status(breaks, 0) }, true, 6},
		{"in responses", "/v1/responses", nil, func(_ int, breaks bool) int { return status(breaks, 502) }, true, 6},
		{"in Gemini", "/v1beta/models/m:generateContent", nil,
			func(_ int, breaks bool) int { return status(breaks, 500) }, true, 6},
		{"translated", "/v1/messages", []wire.Dialect{wire.Chat},
			func(_ int, breaks bool) int { return status(breaks, 500) }, true, 6},
		{"is down", "/v1/chat/completions", nil, func(int, bool) int { return 500 }, false, 2},
		{"was down", "/v1/chat/completions", nil, func(n int, _ bool) int { return status(n == 1, 500) }, false, 3},
		{"comes and goes", "/v1/chat/completions", nil,
			func(n int, _ bool) int { return status(n%2 == 1 && n < 5, 500) }, false, 5},
		{"is busy", "/v1/chat/completions", nil, func(_ int, breaks bool) int { return status(breaks, 529) }, false, 1},
		{"rejects it", "/v1/chat/completions", nil, func(_ int, breaks bool) int { return status(breaks, 400) }, false,
			1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r *rig
			r = newRig(t, func(w http.ResponseWriter, req *http.Request) {
				r.mu.Lock()
				n, breaks := len(r.asked), strings.Contains(r.asked[len(r.asked)-1].body, "break")
				r.mu.Unlock()
				switch s := c.answer(n, breaks); s {
				case 0:
					panic(http.ErrAbortHandler)
				case 200:
					kind := ""
					if strings.HasPrefix(c.path, "/v1/messages") && c.dialects == nil {
						kind = `"type":"message",`
					}
					says(200, jsonType, `{`+kind+oneline.Of(`
						"usageMetadata":{"promptTokenCount":5,"totalTokenCount":6},
						"choices":[{"index":0,"finish_reason":"stop","message":{"content":"ok"}}],`)+
						`"usage":{"prompt_tokens":5,"completion_tokens":1,"input_tokens":5,"output_tokens":1}}`)(w, req)
				default:
					says(s, jsonType, `{"error":{"message":"boom","type":"server_error"}}`)(w, req)
				}
			}, func(o *gateway.Options) {
				if c.dialects != nil {
					o.Upstream.Dialects = c.dialects
				}
			})
			r.post(c.path, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"break"}],`+
				`"input":"break","contents":[{"parts":[{"text":"break"}]}]}`)
			r.g.Close()
			before := r.g.Tally()
			if own := r.g.Own(t.Context()); own != c.own || len(r.asked) != c.asked {
				t.Errorf("own: %v, want %v; %d requests, want %d", own, c.own, len(r.asked), c.asked)
			}
			if after := r.g.Tally(); after.LastFailure != before.LastFailure || after.Failing != before.Failing {
				t.Errorf("%+v became %+v", before, after)
			}
			if len(r.records) != c.asked {
				t.Errorf("%d requests are told, want %d", len(r.records), c.asked)
			}
			for i, rec := range r.records[1:] {
				if answered := rec.Outcome == trial.RequestOK; !rec.Helper ||
					answered && (!rec.Usage.Known || rec.Guessed) {
					t.Errorf("request %d: %+v", i+2, rec)
				}
			}
			for _, a := range r.asked {
				if a.path != r.asked[0].path ||
					!strings.Contains(a.header.Get("Authorization")+a.header.Get("X-Api-Key")+
						a.header.Get("X-Goog-Api-Key"), key) {
					t.Errorf("asked %s with %v", a.path, a.header)
				}
			}
		})
	}
}

// status is s where something is wrong, else 200.
func status(wrong bool, s int) int {
	if wrong {
		return s
	}
	return 200
}
