package translate

import (
	"encoding/json"
	"fmt"
	"strings"

	"cookoff/model/wire/chat"
	"cookoff/model/wire/messages"
)

// messagesRequest is what of a request in Messages is read.
type messagesRequest struct {
	Model        string             `json:"model"`
	MaxTokens    *int               `json:"max_tokens"`
	System       json.RawMessage    `json:"system"`
	Messages     []messages.Message `json:"messages"`
	Tools        []messages.Tool    `json:"tools"`
	ToolChoice   *messages.Choice   `json:"tool_choice"`
	Stop         []string           `json:"stop_sequences"`
	Temperature  *float64           `json:"temperature"`
	TopP         *float64           `json:"top_p"`
	Stream       bool               `json:"stream"`
	OutputConfig struct {
		Format struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
}

// messages reads a request of the dialect Messages into one of chat, and notes what chat
// has no word for.
func (a *Asked) messages(body []byte) error {
	var r messagesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return fmt.Errorf("the request is not of the form of Messages: %w", err)
	}
	a.dropSet(body, "thinking", "top_k", "context_management", "safeguards")
	a.model = r.Model
	a.Chat = chat.Request{Model: r.Model, MaxTokens: r.MaxTokens, Temperature: r.Temperature,
		TopP: r.TopP, Stop: r.Stop, Stream: r.Stream}
	if len(r.System) > 0 && string(r.System) != "null" {
		blocks, err := messages.Blocks(r.System)
		if err != nil {
			return fmt.Errorf("system is neither text nor blocks")
		}
		a.Chat.Messages = append(a.Chat.Messages, chat.Message{Role: "system", Content: joined(blocks)})
	}
	for i, m := range r.Messages {
		blocks, err := messages.Blocks(m.Content)
		if err != nil {
			return fmt.Errorf("messages[%d] holds neither text nor blocks", i)
		}
		if m.Role == "assistant" {
			a.assistant(blocks)
		} else {
			a.user(blocks)
		}
	}
	for _, t := range r.Tools {
		if t.InputSchema == nil { // Anthropic's own: the model has learned its form
			a.drop("tool " + t.Name)
			continue
		}
		a.Chat.Tools = append(a.Chat.Tools, chat.Tool{Type: "function",
			Function: chat.Function{Name: t.Name, Description: t.Description, Parameters: t.InputSchema}})
	}
	a.choose(r.ToolChoice)
	if f := r.OutputConfig.Format; f.Type == "json_schema" {
		a.Chat.ResponseFormat = jsonSchema("output", f.Schema)
	}
	return nil
}

func jsonSchema(name string, schema json.RawMessage) any {
	return map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": name, "schema": schema,
		"strict": true}}
}

func (a *Asked) choose(c *messages.Choice) {
	if c == nil {
		return
	}
	switch c.Type {
	case "auto", "none":
		a.Chat.ToolChoice = c.Type
	case "any":
		a.Chat.ToolChoice = "required"
	case "tool":
		a.Chat.ToolChoice = chat.Tool{Type: "function", Function: chat.Function{Name: c.Name}}
	}
	if c.OneOnly {
		a.Chat.ParallelToolCalls = new(false)
	}
}

// joined is the text of blocks.
func joined(blocks []messages.Block) string {
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (a *Asked) assistant(blocks []messages.Block) {
	m := chat.Message{Role: "assistant"}
	if text := joined(blocks); text != "" {
		m.Content = text
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
		case "tool_use":
			m.ToolCalls = append(m.ToolCalls, chat.ToolCall{ID: b.ID, Type: "function",
				Function: chat.Called{Name: b.Name, Arguments: string(b.Input)}})
		default:
			a.drop(b.Type)
		}
	}
	if m.Content == nil && len(m.ToolCalls) == 0 {
		m.Content = ""
	}
	a.Chat.Messages = append(a.Chat.Messages, m)
}

// user adds what a user's turn holds: the results of tools first, each a message
// of its own, then what else was said.
func (a *Asked) user(blocks []messages.Block) {
	var parts []chat.Part
	for _, b := range blocks {
		if b.Type != "tool_result" {
			parts = a.part(parts, b)
			continue
		}
		inner, err := messages.Blocks(b.Content)
		if err != nil {
			inner = nil
		}
		a.Chat.Messages = append(a.Chat.Messages, chat.Message{Role: "tool", ToolCallID: b.ToolUseID,
			Content: joined(inner)})
		for _, i := range inner {
			if i.Type != "text" { // a chat's results are text alone
				parts = a.part(parts, i)
			}
		}
	}
	if len(parts) > 0 {
		a.Chat.Messages = append(a.Chat.Messages, chat.Message{Role: "user", Content: plainly(parts)})
	}
}

func (a *Asked) part(parts []chat.Part, b messages.Block) []chat.Part {
	switch {
	case b.Type == "text":
		return append(parts, chat.Part{Type: "text", Text: b.Text})
	case b.Type == "image" && b.Source != nil && b.Source.Type == "base64":
		return append(parts, chat.Part{Type: "image_url",
			ImageURL: &chat.ImageURL{URL: "data:" + b.Source.MediaType + ";base64," + b.Source.Data}})
	case b.Type == "image" && b.Source != nil && b.Source.Type == "url":
		return append(parts, chat.Part{Type: "image_url", ImageURL: &chat.ImageURL{URL: b.Source.URL}})
	case b.Type == "document" && b.Source != nil && b.Source.Type == "text":
		return append(parts, chat.Part{Type: "text", Text: b.Source.Data})
	}
	a.drop(b.Type)
	return parts
}

// plainly gives text alone as a string: some servers know nothing else.
func plainly(parts []chat.Part) any {
	var texts []string
	for _, p := range parts {
		if p.Type != "text" {
			return parts
		}
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// stopReason is why a reply ended, in the words of Messages.
func stopReason(finish string, calls bool) *string {
	switch {
	case finish == "length":
		return new("max_tokens")
	case finish == "content_filter":
		return new("refusal")
	case calls:
		return new("tool_use")
	}
	return new("end_turn")
}

func (a *Asked) messagesReply(r *chat.Reply) *messages.Reply {
	c := r.Choices[0]
	out := &messages.Reply{ID: "msg_" + r.ID, Type: "message", Role: "assistant", Model: a.model,
		Content:    []messages.Block{},
		StopReason: stopReason(c.FinishReason, len(c.Message.ToolCalls) > 0), Usage: messages.UsageOf(r.Usage.Record())}
	if text := c.Message.Text(); text != "" {
		out.Content = append(out.Content, messages.Block{Type: "text", Text: text})
	}
	for i, t := range c.Message.ToolCalls {
		if t.ID == "" {
			t.ID = fmt.Sprintf("call_%d", i+1)
		}
		out.Content = append(out.Content, messages.Block{Type: "tool_use", ID: t.ID, Name: t.Function.Name,
			Input: object(t.Function.Arguments)})
	}
	return out
}
