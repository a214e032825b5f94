package openai

import (
	"bytes"
	"encoding/json"

	"cookoff/model"
)

// The request as it is sent. go-openai's own types leave out what is zero: a
// temperature of 0, the empty result of a tool, empty arguments. All of these
// mean something, so the body is written here.
type (
	wireRequest struct { // but for the model and the messages, which stand before
		Tools               []wireTool      `json:"tools,omitempty"`
		Functions           []wireSpec      `json:"functions,omitempty"`
		Temperature         *float64        `json:"temperature,omitempty"`
		TopP                *float64        `json:"top_p,omitempty"`
		MaxTokens           *int            `json:"max_tokens,omitempty"`
		MaxCompletionTokens *int            `json:"max_completion_tokens,omitempty"`
		Seed                *int64          `json:"seed,omitempty"`
		ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
		ParallelToolCalls   *bool           `json:"parallel_tool_calls,omitempty"`
		Stream              bool            `json:"stream,omitempty"`
		StreamOptions       *wireStreamOpts `json:"stream_options,omitempty"`
	}
	wireMessage struct {
		Role       model.Role `json:"role"`
		Content    *string    `json:"content"` // null only beside tool calls
		ToolCalls  []wireCall `json:"tool_calls,omitempty"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
		Reasoning  string     `json:"reasoning_content,omitempty"`

		FunctionCall *wireFunction `json:"function_call,omitempty"`
		Name         string        `json:"name,omitempty"` // of the function that a result is of
	}
	wireCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Function wireFunction `json:"function"`
	}
	wireFunction struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	wireTool struct {
		Type     string   `json:"type"`
		Function wireSpec `json:"function"`
	}
	wireSpec struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	wireStreamOpts struct {
		IncludeUsage bool `json:"include_usage"`
	}
)

// encode writes the body of a request. The same request gives the same bytes.
func encode(cfg Config, req *model.Request) ([]byte, error) {
	p := req.Params
	w := wireRequest{
		Temperature: p.Temperature, TopP: p.TopP, Seed: p.Seed, ReasoningEffort: p.ReasoningEffort,
		Stream: cfg.Stream,
	}
	if cfg.MaxTokensField == MaxCompletionTokens {
		w.MaxCompletionTokens = p.MaxTokens
	} else {
		w.MaxTokens = p.MaxTokens
	}
	if cfg.Stream && !cfg.NoStreamUsage {
		w.StreamOptions = &wireStreamOpts{IncludeUsage: true}
	}
	for _, t := range req.Tools {
		if len(t.Parameters) == 0 {
			t.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		spec := wireSpec{t.Name, t.Description, t.Parameters}
		if req.Functions {
			w.Functions = append(w.Functions, spec)
		} else {
			w.Tools = append(w.Tools, wireTool{"function", spec})
		}
	}
	if len(w.Tools) > 0 { // providers reject it beside no tools
		w.ParallelToolCalls = p.ParallelToolCalls
	}
	messages, err := encodeMessages(req)
	if err != nil {
		return nil, err
	}
	rest, err := marshal(w)
	if err != nil {
		return nil, err
	}
	name, err := marshal(cfg.Model)
	if err != nil {
		return nil, err
	}
	body := make([]byte, 0, len(messages)+len(rest)+len(name)+32)
	body = append(append(append(body, `{"model":`...), name...), `,"messages":[`...)
	body = append(append(body, messages...), ']')
	if len(rest) > len("{}") {
		body = append(body, ',')
	}
	return append(body, rest[1:]...), nil
}

// encodeMessages writes the messages, those that the conversation's Wire does
// not hold yet alone.
func encodeMessages(req *model.Request) ([]byte, error) {
	w := req.Wire
	if w == nil || w.Messages > len(req.Messages) {
		w = &model.Wire{}
	}
	for i := w.Messages; i < len(req.Messages); i++ {
		form := message
		if req.Functions {
			form = functionMessage
		}
		text, err := marshal(form(&req.Messages[i]))
		if err != nil {
			return nil, err
		}
		if i > 0 {
			w.Bytes = append(w.Bytes, ',')
		}
		w.Bytes, w.Messages = append(w.Bytes, text...), i+1
	}
	return w.Bytes, nil
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func message(m *model.Message) wireMessage {
	w := wireMessage{Role: m.Role, Content: &m.Content, ToolCallID: m.CallID}
	if len(m.Calls) > 0 {
		w.Reasoning = m.Reasoning
	}
	if len(m.Calls) > 0 && m.Content == "" {
		w.Content = nil
	}
	for _, c := range m.Calls {
		w.ToolCalls = append(w.ToolCalls, wireCall{c.ID, "function", wireFunction{c.Name, c.Arguments}})
	}
	return w
}

// functionMessage is a message as servers of the older functions field take it.
func functionMessage(m *model.Message) wireMessage {
	w := wireMessage{Role: m.Role, Content: &m.Content}
	if m.Role == model.ToolRole {
		w.Role, w.Name = "function", m.Name
	}
	if len(m.Calls) > 0 {
		w.FunctionCall = &wireFunction{m.Calls[0].Name, m.Calls[0].Arguments}
		if m.Content == "" {
			w.Content = nil
		}
	}
	return w
}
