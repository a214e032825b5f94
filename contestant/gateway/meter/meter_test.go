package meter

import (
	"testing"

	"cookoff/model"
	"cookoff/model/wire"
)

// TestUsageOfAnotherForm: numbers of another form are unknown, also behind numbers
// that were right so far; the rest of what a provider says counts.
func TestUsageOfAnotherForm(t *testing.T) {
	check := func(d wire.Dialect, want model.Usage, events ...string) {
		t.Helper()
		m := Meter{Dialect: d}
		for _, e := range events {
			m.Line([]byte("data: " + e))
		}
		if got := m.Usage(); got != want || !m.Ended || m.Failed != "" {
			t.Errorf("%s %q: usage %+v, want %+v; ended %v, failed %q", d, events, got, want, m.Ended, m.Failed)
		}
	}
	const chat = `{"choices":[{"finish_reason":"stop"}],"usage":`
	good := model.Usage{Input: 10, Output: 2, Known: true}
	check(wire.Chat, good, chat+`{"prompt_tokens":10,"completion_tokens":2}}`)
	check(wire.Chat, good, chat+`{"prompt_tokens":10,"completion_tokens":2}}`, `{"usage":{"prompt_tokens":0}}`)
	check(wire.Chat, model.Usage{}, chat+`{"prompt_tokens":10,"completion_tokens":1}}`,
		`{"usage":{"prompt_tokens":10,"completion_tokens":"many"}}`)
	check(wire.Chat, model.Usage{}, chat+`{"prompt_tokens":10,"completion_tokens":1}}`,
		`{"usage":{"prompt_tokens":-1}}`)
	check(wire.Chat, model.Usage{}, chat+`12.5}`)

	const responses = `{"type":"response.completed","response":{"status":"completed","usage":`
	check(wire.Responses, good, responses+`{"input_tokens":10,"output_tokens":2}}}`)
	check(wire.Responses, model.Usage{}, responses+`{"input_tokens":10,"output_tokens":2.5}}}`)
	check(wire.Responses, model.Usage{}, responses+`"many"}}`)

	const start, stop = `{"type":"message_start","message":{"usage":{"input_tokens":10,"output_tokens":1}}}`,
		`{"type":"message_stop"}`
	check(wire.Messages, good, start, `{"type":"message_delta","usage":{"output_tokens":2}}`, stop)
	check(wire.Messages, model.Usage{}, start, `{"type":"message_delta","usage":{"output_tokens":"2"}}`, stop)
	check(wire.Messages, model.Usage{}, start, `{"type":"message_delta","usage":[]}`, stop)

	const gemini = `{"candidates":[{"finishReason":"STOP"}],"usageMetadata":`
	check(wire.Gemini, good, gemini+`{"promptTokenCount":10,"candidatesTokenCount":2}}`)
	check(wire.Gemini, model.Usage{}, gemini+`{"promptTokenCount":10,"candidatesTokenCount":12.5}}`)
	check(wire.Gemini, model.Usage{}, gemini+`-1}`)
}
