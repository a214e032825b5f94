package messages

import (
	"encoding/json"
	"strings"

	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/wire/messages"
)

// defaultMost is how many tokens a reply may have where nobody says: the dialect
// wants a number.
const defaultMost = 32_000

// budgets are how many tokens a model may think that takes no words for it.
var budgets = map[string]int{"low": 4096, "medium": 12_288, "high": 24_576}

type request struct {
	Model       string           `json:"model"`
	MaxTokens   int              `json:"max_tokens"`
	Stream      bool             `json:"stream"`
	System      []messages.Block `json:"system,omitempty"`
	Tools       []messages.Tool  `json:"tools,omitempty"`
	ToolChoice  *messages.Choice `json:"tool_choice,omitempty"`
	Messages    []turn           `json:"messages"`
	Temperature *float64         `json:"temperature,omitempty"`
	TopP        *float64         `json:"top_p,omitempty"`
	Thinking    *thinking        `json:"thinking,omitempty"`
	Output      *output          `json:"output_config,omitempty"`
}

type turn struct {
	Role    string `json:"role"`
	Content []any  `json:"content"` // a *messages.Block, or what came as it came
}

type thinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens,omitempty"`
}

type output struct {
	Effort string `json:"effort"`
}

// effort is how much a model is to think; "": nobody says, or not at all.
func effort(req *model.Request) string {
	switch e := req.Params.ReasoningEffort; e {
	case "none", "minimal":
		return ""
	default:
		return e
	}
}

// encode writes the body of a request. The same request gives the same bytes.
func (c *Chat) encode(req *model.Request) ([]byte, error) {
	p := req.Params
	r := request{Model: c.At.Model, MaxTokens: defaultMost, Stream: true, Temperature: p.Temperature, TopP: p.TopP}
	switch most := int(c.most.Load()); {
	case p.MaxTokens != nil:
		r.MaxTokens = *p.MaxTokens
	case most > 0:
		r.MaxTokens = most
	}
	c.think(&r, effort(req))
	for _, t := range req.Tools {
		if len(t.Parameters) == 0 {
			t.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		r.Tools = append(r.Tools, messages.Tool{Name: t.Name, Description: t.Description, InputSchema: t.Parameters})
	}
	if p.ParallelToolCalls != nil && len(r.Tools) > 0 {
		r.ToolChoice = &messages.Choice{Type: "auto", OneOnly: !*p.ParallelToolCalls}
	}
	conversation(&r, req.Messages)
	mark(&r)
	return endpoint.Marshal(r)
}

func (c *Chat) think(r *request, effort string) {
	switch {
	case effort == "":
	case c.budget.Load():
		n := budgets[effort]
		if n == 0 {
			n = budgets["high"]
		}
		if n >= r.MaxTokens {
			n = r.MaxTokens / 2
		}
		r.Thinking = &thinking{"enabled", max(n, 1024)} // the least that there is
	default:
		r.Thinking, r.Output = &thinking{Type: "adaptive"}, &output{effort}
	}
}

// conversation puts messages into turns: what the system says first stands by
// itself, and neighbours of one role are one turn.
func conversation(r *request, all []model.Message) {
	for i := range all {
		m := &all[i]
		switch {
		case m.Role == model.System && len(r.Messages) == 0:
			if strings.TrimSpace(m.Content) != "" {
				r.System = append(r.System, messages.Block{Type: "text", Text: m.Content})
			}
		case m.Role == model.Assistant:
			r.add("assistant", assistant(m)...)
		case m.Role == model.ToolRole:
			result := &messages.Block{Type: "tool_result", ToolUseID: m.CallID}
			if strings.TrimSpace(m.Content) != "" {
				result.Content, _ = endpoint.Marshal(m.Content) // a string always marshals
			}
			r.add("user", result)
		case strings.TrimSpace(m.Content) != "": // an empty text is not taken
			r.add("user", &messages.Block{Type: "text", Text: m.Content})
		}
	}
}

func (r *request) add(role string, content ...any) {
	if len(content) == 0 {
		return
	}
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == role {
		r.Messages[n-1].Content = append(r.Messages[n-1].Content, content...)
		return
	}
	r.Messages = append(r.Messages, turn{role, content})
}

// assistant gives the blocks of a model's turn. What it thought goes back as it
// came, in its place; the rest follows the message, which may have been mended.
func assistant(m *model.Message) (out []any) {
	var kept []json.RawMessage
	_ = json.Unmarshal(m.Kept, &kept) // what is no list was kept by another dialect
	text, used := m.Content, map[string]bool{}
	calls := map[string]*messages.Block{}
	for _, call := range m.Calls {
		calls[call.ID] = &messages.Block{Type: "tool_use", ID: call.ID, Name: call.Name, Input: input(call.Arguments)}
	}
	for _, raw := range kept {
		var b messages.Block
		if json.Unmarshal(raw, &b) != nil {
			continue
		}
		switch b.Type {
		case "thinking", "redacted_thinking":
			out = append(out, raw)
		case "text":
			if rest, ok := strings.CutPrefix(text, b.Text); ok && strings.TrimSpace(b.Text) != "" {
				text = rest
				out = append(out, &messages.Block{Type: "text", Text: b.Text})
			}
		case "tool_use":
			if text == "" && calls[b.ID] != nil && !used[b.ID] {
				used[b.ID] = true
				out = append(out, calls[b.ID])
			}
		}
	}
	if strings.TrimSpace(text) != "" {
		out = append(out, &messages.Block{Type: "text", Text: text})
	}
	for _, call := range m.Calls {
		if !used[call.ID] {
			out = append(out, calls[call.ID])
		}
	}
	return out
}

// input gives arguments as the object that they have to be.
func input(arguments string) json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &o) == nil && o != nil {
		return json.RawMessage(arguments)
	}
	if strings.TrimSpace(arguments) == "" {
		return json.RawMessage("{}")
	}
	raw, _ := endpoint.Marshal(map[string]string{"malformed_arguments": arguments})
	return raw
}

// mark says up to where the provider is to keep a request in its cache: the
// tools and the system prompt, which all requests share; the end of this request,
// for the next one to read; and the end of the one before, which this one reads,
// however many calls came since.
func mark(r *request) {
	keep := &messages.CacheControl{Type: "ephemeral"}
	switch {
	case len(r.System) > 0:
		r.System[len(r.System)-1].CacheControl = keep
	case len(r.Tools) > 0:
		r.Tools[len(r.Tools)-1].CacheControl = keep
	}
	marks := 0
	for i := len(r.Messages) - 1; i >= 0 && marks < 2; i-- {
		t := r.Messages[i]
		if b, ok := t.Content[len(t.Content)-1].(*messages.Block); ok && t.Role == "user" {
			b.CacheControl = keep
			marks++
		}
	}
}
