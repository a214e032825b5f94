package openai

import (
	"strings"
	"testing"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/endpoint"
)

// FuzzStream: whatever a stream holds, there is a reply or an error, and every
// call has an id of its own.
func FuzzStream(f *testing.F) {
	f.Add(oneline.Of(`{"choices":[
		{"delta":{"content":"a",
			"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]},
			"finish_reason":"stop"}]}`))
	f.Add(
		"{\"choices\":[{\"delta\":{\"tool_calls\":[{},{\"index\":-1},{\"id\":\"x\"},{\"id\":\"x\"}]}}]}\n" +
			"{\"usage\":{\"prompt_tokens\":1}}")
	f.Fuzz(func(t *testing.T, events string) {
		var a assembly
		for line := range strings.Lines(events) {
			if _, err := a.add([]byte(line)); err != nil {
				return
			}
		}
		r, err := a.reply()
		if err != nil {
			return
		}
		endpoint.Mend(r, &model.Request{})
		ids := map[string]bool{}
		for _, c := range r.Message.Calls {
			if c.ID == "" || ids[c.ID] {
				t.Errorf("id %q is no id of its own", c.ID)
			}
			ids[c.ID] = true
		}
	})
}

// FuzzProblem: a body of any kind gives words that are fit to print.
func FuzzProblem(f *testing.F) {
	f.Add([]byte(`{"error":{"message":["a","b"],"code":3}}`))
	f.Add([]byte("[{}]"))
	c := New(Config{Name: "a", Model: "b", Key: "k", KeyEnv: "E"})
	f.Fuzz(func(t *testing.T, body []byte) {
		text := c.at.ByStatus(400, nil, body).Error()
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q holds controls", text)
		}
	})
}
