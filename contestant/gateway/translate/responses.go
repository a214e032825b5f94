package translate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cookoff/model/wire/chat"
	"cookoff/model/wire/responses"
)

// responsesRequest is what of a request in Responses is read.
type responsesRequest struct {
	Model        string           `json:"model"`
	Instructions string           `json:"instructions"`
	Input        json.RawMessage  `json:"input"`
	Tools        []responses.Tool `json:"tools"`
	ToolChoice   json.RawMessage  `json:"tool_choice"`
	Parallel     *bool            `json:"parallel_tool_calls"`
	MaxTokens    *int             `json:"max_output_tokens"`
	Temperature  *float64         `json:"temperature"`
	TopP         *float64         `json:"top_p"`
	Stream       bool             `json:"stream"`
	Text         struct {
		Format struct {
			Type   string          `json:"type"`
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"text"`
}

func (a *Asked) responses(body []byte) error {
	var r responsesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return fmt.Errorf("the request is not of the form of Responses: %w", err)
	}
	a.dropSet(body, "reasoning", "truncation")
	a.model = r.Model
	a.Chat = chat.Request{Model: r.Model, MaxTokens: r.MaxTokens, Temperature: r.Temperature, TopP: r.TopP,
		Stream: r.Stream, ParallelToolCalls: r.Parallel}
	if r.Instructions != "" {
		a.Chat.Messages = append(a.Chat.Messages, chat.Message{Role: "system", Content: r.Instructions})
	}
	for _, t := range r.Tools {
		a.tool("", t)
	}
	a.Chat.ToolChoice = a.choice(r.ToolChoice)
	if f := r.Text.Format; f.Type == "json_schema" {
		a.Chat.ResponseFormat = jsonSchema(f.Name, f.Schema)
	} else if f.Type == "json_object" {
		a.Chat.ResponseFormat = map[string]string{"type": f.Type}
	}
	return a.conversation(r.Input)
}

// conversation adds what was said: a text, or items.
func (a *Asked) conversation(raw json.RawMessage) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		a.Chat.Messages = append(a.Chat.Messages, chat.Message{Role: "user", Content: text})
		return nil
	}
	var items []responses.Item
	if err := json.Unmarshal(raw, &items); err != nil {
		return fmt.Errorf("input is neither text nor items")
	}
	for i, item := range items {
		if err := a.item(item); err != nil {
			return fmt.Errorf("input[%d] %w", i, err)
		}
	}
	return nil
}

// item appends one item of the input of a Responses request to the chat: a message, a call
// of a tool or its result.
func (a *Asked) item(item responses.Item) error {
	switch item.Type {
	case "", "message":
		parts, err := responses.Parts(item.Content)
		if err != nil {
			return fmt.Errorf("holds neither text nor parts")
		}
		m := chat.Message{Role: item.Role, Content: a.parts(parts)}
		if m.Role == "developer" {
			m.Role = "system"
		}
		a.Chat.Messages = append(a.Chat.Messages, m)
	case "function_call":
		a.calls(chat.ToolCall{ID: item.CallID, Type: "function",
			Function: chat.Called{Name: qualified(item.Namespace, item.Name), Arguments: text(item.Arguments)}})
	case "custom_tool_call":
		a.calls(chat.ToolCall{ID: item.CallID, Type: "function",
			Function: chat.Called{Name: qualified(item.Namespace, item.Name),
				Arguments: string(marshal(map[string]string{"input": text(item.Input)}))}})
	case "function_call_output", "custom_tool_call_output":
		parts, err := responses.Parts(item.Output)
		if err != nil {
			return fmt.Errorf("has an output that is neither text nor parts")
		}
		var seen []responses.Part
		if i := slices.IndexFunc(parts, func(p responses.Part) bool { return p.Type == "input_image" }); i >= 0 {
			seen = parts[i:]
		}
		a.Chat.Messages = append(a.Chat.Messages, chat.Message{Role: "tool", ToolCallID: item.CallID,
			Content: textOf(parts)})
		if seen != nil { // a chat's results are text alone
			a.Chat.Messages = append(a.Chat.Messages, chat.Message{Role: "user", Content: a.parts(seen)})
		}
	default:
		a.drop(item.Type)
	}
	return nil
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// calls adds a call to the assistant's turn that is under way.
func (a *Asked) calls(c chat.ToolCall) {
	if n := len(a.Chat.Messages); n > 0 && a.Chat.Messages[n-1].Role == "assistant" {
		m := &a.Chat.Messages[n-1]
		m.ToolCalls = append(m.ToolCalls, c)
		return
	}
	a.Chat.Messages = append(a.Chat.Messages, chat.Message{Role: "assistant", ToolCalls: []chat.ToolCall{c}})
}

func textOf(parts []responses.Part) string {
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (a *Asked) parts(parts []responses.Part) any {
	var out []chat.Part
	for _, p := range parts {
		switch p.Type {
		case "input_text", "output_text", "text":
			out = append(out, chat.Part{Type: "text", Text: p.Text})
		case "refusal":
			out = append(out, chat.Part{Type: "text", Text: p.Refusal})
		case "input_image":
			out = append(out, chat.Part{Type: "image_url", ImageURL: &chat.ImageURL{URL: p.ImageURL}})
		default:
			a.drop(p.Type)
		}
	}
	return plainly(out)
}

// qualified is a name in a namespace as a chat, which has none, gets it.
func qualified(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "__" + name
}

// tool adds a tool. Those of other forms than a chat's are put into it, and
// found again by their names.
func (a *Asked) tool(namespace string, t responses.Tool) {
	f := chat.Function{Name: qualified(namespace, t.Name), Description: t.Description, Parameters: t.Parameters,
		Strict: t.Strict}
	switch {
	case t.Type == "namespace":
		for _, inner := range t.Tools {
			a.tool(t.Name, inner)
		}
		return
	case t.Type == "custom":
		if t.Format != nil && t.Format.Definition != "" {
			f.Description += fmt.Sprintf("\n\nThe input follows this %s grammar:\n%s", t.Format.Syntax,
				t.Format.Definition)
		}
		f.Parameters = json.RawMessage(
			`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)
	case t.Type != "function":
		a.drop("tool " + t.Type)
		return
	}
	if namespace != "" || t.Type == "custom" {
		a.origin[f.Name] = origin{t.Name, namespace, t.Type == "custom"}
	}
	a.Chat.Tools = append(a.Chat.Tools, chat.Tool{Type: "function", Function: f})
}

func (a *Asked) choice(raw json.RawMessage) any {
	var word string
	if json.Unmarshal(raw, &word) == nil && word != "" {
		return word
	}
	var t responses.Tool
	if json.Unmarshal(raw, &t) == nil && t.Name != "" {
		return chat.Tool{Type: "function", Function: chat.Function{Name: t.Name}}
	}
	return nil
}

// callItem is a call as the agent knows the tool.
func (a *Asked) callItem(c chat.ToolCall, at int) responses.Item {
	o, ok := a.origin[c.Function.Name]
	if !ok {
		o = origin{name: c.Function.Name}
	}
	item := responses.Item{Type: "function_call", ID: fmt.Sprintf("fc_%d", at+1), Status: "completed", CallID: c.ID,
		Name: o.name, Namespace: o.namespace, Arguments: &c.Function.Arguments}
	if o.custom {
		var in struct{ Input string }
		if json.Unmarshal([]byte(c.Function.Arguments), &in) != nil {
			in.Input = c.Function.Arguments
		}
		item.Type, item.ID, item.Arguments, item.Input = "custom_tool_call", fmt.Sprintf("ctc_%d", at+1), nil, &in.Input
	}
	return item
}

func message(text string) responses.Item {
	return responses.Item{Type: "message", ID: "msg_1", Role: "assistant", Status: "completed",
		Content: marshal([]responses.Part{{Type: "output_text", Text: text, Annotations: []any{}}})}
}

// responsesReply is a whole answer.
func (a *Asked) responsesReply(r *chat.Reply) *responses.Reply {
	c := r.Choices[0]
	out := a.ended(r.ID, c.FinishReason, r.Usage)
	if text := c.Message.Text(); text != "" {
		out.Output = append(out.Output, marshal(message(text)))
	}
	for i, t := range c.Message.ToolCalls {
		if t.ID == "" {
			t.ID = fmt.Sprintf("call_%d", i+1)
		}
		out.Output = append(out.Output, marshal(a.callItem(t, i)))
	}
	return out
}

// ended is a reply without its output.
func (a *Asked) ended(id, finish string, u *chat.Usage) *responses.Reply {
	out := &responses.Reply{ID: "resp_" + id, Object: "response", Status: "completed", Model: a.model,
		Output: []json.RawMessage{}}
	switch finish {
	case "length":
		out.Status, out.IncompleteDetails = "incomplete", &responses.Incomplete{Reason: "max_output_tokens"}
	case "content_filter":
		out.Status, out.IncompleteDetails = "incomplete", &responses.Incomplete{Reason: "content_filter"}
	}
	if usage := u.Record(); usage.Known {
		out.Usage = responses.UsageOf(usage)
	}
	return out
}
