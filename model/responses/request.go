package responses

import (
	"encoding/json"
	"strings"

	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/wire/responses"
)

type request struct {
	Model           string           `json:"model"`
	Instructions    string           `json:"instructions,omitempty"`
	Input           []any            `json:"input"` // an item, or what came as it came
	Tools           []responses.Tool `json:"tools,omitempty"`
	Parallel        *bool            `json:"parallel_tool_calls,omitempty"`
	Reasoning       *reasoning       `json:"reasoning,omitempty"`
	MaxOutputTokens *int             `json:"max_output_tokens,omitempty"`
	Temperature     *float64         `json:"temperature,omitempty"`
	TopP            *float64         `json:"top_p,omitempty"`
	Store           bool             `json:"store"`
	Include         []string         `json:"include,omitempty"`
	Stream          bool             `json:"stream"`
}

type reasoning struct {
	Effort string `json:"effort"`
}

type item struct {
	Type      string  `json:"type"`
	Role      string  `json:"role,omitempty"`
	Content   string  `json:"content,omitempty"`
	CallID    string  `json:"call_id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments *string `json:"arguments,omitempty"`
	Output    *string `json:"output,omitempty"`
}

// encode writes the body of a request. The same request gives the same bytes.
func (c *Chat) encode(req *model.Request) ([]byte, error) {
	p := req.Params
	r := request{Model: c.At.Model, Input: []any{}, MaxOutputTokens: p.MaxTokens, Temperature: p.Temperature,
		TopP: p.TopP, Stream: true}
	if p.ReasoningEffort != "" {
		r.Reasoning = &reasoning{p.ReasoningEffort}
	}
	if !c.plain.Load() {
		r.Include = []string{"reasoning.encrypted_content"}
	}
	for _, t := range req.Tools {
		if len(t.Parameters) == 0 {
			t.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		// Else it is made strict, in which no parameter can be left out.
		r.Tools = append(r.Tools, responses.Tool{Type: "function", Name: t.Name, Description: t.Description,
			Parameters: t.Parameters, Strict: new(false)})
	}
	if len(r.Tools) > 0 {
		r.Parallel = p.ParallelToolCalls
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		switch {
		case m.Role == model.System && len(r.Input) == 0:
			r.Instructions = strings.Trim(r.Instructions+"\n\n"+m.Content, "\n")
		case m.Role == model.Assistant:
			r.Input = append(r.Input, assistant(m)...)
		case m.Role == model.ToolRole:
			r.Input = append(r.Input, item{Type: "function_call_output", CallID: m.CallID, Output: &m.Content})
		default:
			role := string(m.Role)
			if m.Role == model.System {
				role = "developer"
			}
			r.Input = append(r.Input, item{Type: "message", Role: role, Content: m.Content})
		}
	}
	return endpoint.Marshal(r)
}

// assistant gives the items of a model's turn. What it thought goes back as it
// came, before what it led to; the rest follows the message, which may have been
// mended.
func assistant(m *model.Message) (out []any) {
	var kept []json.RawMessage
	_ = json.Unmarshal(m.Kept, &kept) // what is no list was kept by another dialect
	calls := map[string]bool{}
	for _, call := range m.Calls {
		calls[call.ID] = true
	}
	text, thought := m.Content, []any(nil)
	for _, raw := range kept {
		var k responses.Item
		if json.Unmarshal(raw, &k) != nil {
			continue
		}
		switch {
		case k.Type == "reasoning":
			thought = append(thought, raw)
			continue
		case k.Type == "message" && text != "":
			parts, err := responses.Parts(k.Content)
			rest, ok := strings.CutPrefix(text, textOf(parts))
			if err != nil || !ok {
				continue // what follows from the thought is not there any more
			}
			text = rest
		case k.Type == "function_call" && calls[k.CallID]:
			delete(calls, k.CallID)
		default:
			thought = nil
			continue
		}
		out = append(append(out, thought...), raw)
		thought = nil
	}
	if text != "" {
		out = append(out, item{Type: "message", Role: "assistant", Content: text})
	}
	for _, call := range m.Calls {
		if calls[call.ID] {
			out = append(out, item{Type: "function_call", CallID: call.ID, Name: call.Name, Arguments: &call.Arguments})
		}
	}
	return out
}

func textOf(parts []responses.Part) (text string) {
	for _, p := range parts {
		text += p.Text
	}
	return text
}
