package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"cookoff/contestant/gateway"
	"cookoff/runner/clock"
)

// held is a clock whose waits end with what waits.
type held struct {
	clock.Real
	waits chan time.Duration
}

func (h held) Sleep(ctx context.Context, d time.Duration) error {
	h.waits <- d
	<-ctx.Done()
	return ctx.Err()
}

// TestGatewayPacesFloods: who asks the gateway over and over what no provider is asked gets
// its answers late, holds no place of the agent's calls, and waits for nothing once the
// trial has ended.
func TestGatewayPacesFloods(t *testing.T) {
	h := held{waits: make(chan time.Duration)}
	r := newRig(t, says(200, jsonType, `{"choices":[{"finish_reason":"stop"}]}`), func(o *gateway.Options) { o.Clock = h })
	ask := func(i int) {
		path, with := []string{"/", "/v1/models", "/v1/files", "/v1/messages/count_tokens"}[i%4], token
		if i%8 == 1 {
			with = "cookoff-of-another-trial"
		}
		req := httptest.NewRequest([]string{http.MethodGet, http.MethodPost}[i%4/3], path, nil)
		req.Header.Set("Authorization", "Bearer "+with)
		r.g.ServeHTTP(httptest.NewRecorder(), req)
	}
	for i := range 1000 {
		ask(i)
	}
	ended := make(chan bool)
	const more = 100 // more than may be under way at once
	for i := range more {
		go func() { ask(i); ended <- true }()
	}
	for range more {
		if d := <-h.waits; d != 100*time.Millisecond {
			t.Errorf("an answer is held for %s", d)
		}
	}
	if s, text := r.post("/v1/chat/completions", hello); s != 200 {
		t.Errorf("beside the flood: status %d %s", s, text)
	}
	r.g.Close()
	for range more {
		<-ended
	}
}
