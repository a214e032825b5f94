package gateway_test

import (
	"testing"

	"cookoff/contestant/gateway"
)

// TestGeminiOfGoogle: who speaks Gemini is answered where Google speaks it, above the place
// of its chats, by the trial's model.
func TestGeminiOfGoogle(t *testing.T) {
	r := newRig(t, says(200, jsonType, `{"candidates":[],"usageMetadata":{"promptTokenCount":7,"totalTokenCount":7}}`),
		func(o *gateway.Options) { o.Upstream.BaseURL += "beta/openai" })
	for path, want := range map[string]string{
		"/v1beta/models/any:generateContent": "/v1beta/models/big-1:generateContent",
		"/v1/chat/completions":               "/v1beta/openai/chat/completions",
	} {
		if status, text := r.post(path, `{"model":"m","contents":[],"messages":[]}`); status != 200 {
			t.Errorf("%s: status %d %s", path, status, text)
		}
		if a := r.asked[len(r.asked)-1]; a.path != want {
			t.Errorf("%s went out to %s, want %s", path, a.path, want)
		}
	}
}
