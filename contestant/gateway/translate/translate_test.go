package translate

import (
	"strings"
	"testing"

	"cookoff/model/wire"
)

// TestUsageOfAnotherForm: an agent gets its reply, whatever stands in the place of
// its numbers.
func TestUsageOfAnotherForm(t *testing.T) {
	for _, from := range []wire.Dialect{wire.Messages, wire.Responses} {
		for _, u := range []string{`"many"`, `12.5`, `{"prompt_tokens":12.5,"completion_tokens":"x"}`} {
			a := &Asked{from: from, input: 3}
			whole, err := a.Reply([]byte(`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":` +
				u + `}`))
			if err != nil || !strings.Contains(string(whole), `"text":"hi"`) {
				t.Errorf("%s, %s: %s, %v", from, u, whole, err)
			}
			s := a.Stream()
			events := s.Chunk([]byte(`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":` + u +
				`}`))
			if !strings.Contains(string(events), `"hi"`) ||
				!strings.Contains(string(s.End()), `"status":"completed"`) &&
					from == wire.Responses {
				t.Errorf("%s, %s: %s", from, u, events)
			}
		}
	}
}
