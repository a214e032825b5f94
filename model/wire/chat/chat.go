package chat

import "encoding/json"

// Request is what a completion is asked with, as far as it is translated to.
type Request struct {
	Model             string         `json:"model"`
	Messages          []Message      `json:"messages"`
	Tools             []Tool         `json:"tools,omitempty"`
	ToolChoice        any            `json:"tool_choice,omitempty"` // a word, or a Tool with its name alone
	ParallelToolCalls *bool          `json:"parallel_tool_calls,omitempty"`
	MaxTokens         *int           `json:"max_tokens,omitempty"`
	Temperature       *float64       `json:"temperature,omitempty"`
	TopP              *float64       `json:"top_p,omitempty"`
	Stop              []string       `json:"stop,omitempty"`
	ResponseFormat    any            `json:"response_format,omitempty"`
	Stream            bool           `json:"stream,omitempty"`
	StreamOptions     *StreamOptions `json:"stream_options,omitempty"`
}

// StreamOptions ask a stream for its usage.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Message is one turn. Content is a string, a list of Part, or nil.
type Message struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// Part is a piece of a message: text, or an image.
type Part struct {
	Type     string    `json:"type"` // text, image_url
	Text     string    `json:"text,omitempty"`
	ImageURL *ImageURL `json:"image_url,omitempty"`
}

// ImageURL is where an image is, or the image itself as a data: address.
type ImageURL struct {
	URL string `json:"url"`
}

// Tool is a function that a model may call.
type Tool struct {
	Type     string   `json:"type"` // function
	Function Function `json:"function"`
}

// Function is what a tool is: its name, what it does, and the JSON Schema of
// its arguments.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// ToolCall is a call, or a piece of one in a stream.
type ToolCall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function Called `json:"function"`
}

// Called is what a call calls. Arguments are JSON in a string, as the model
// wrote it.
type Called struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// Answer is what a model answered, or a piece of it in a stream.
type Answer struct {
	Content   json.RawMessage `json:"content"` // a string, a list of Part, null
	Refusal   string          `json:"refusal"`
	ToolCalls []ToolCall      `json:"tool_calls"`
}

// Text gives what of it is text.
func (s *Answer) Text() string {
	var text string
	if json.Unmarshal(s.Content, &text) == nil {
		return text + s.Refusal
	}
	var parts []Part
	_ = json.Unmarshal(s.Content, &parts) // what is neither has no text
	for _, p := range parts {
		text += p.Text
	}
	return text + s.Refusal
}

// Choice is one answer.
type Choice struct {
	Index        int    `json:"index"`
	Message      Answer `json:"message"` // of a reply in one piece
	Delta        Answer `json:"delta"`   // of a stream
	FinishReason string `json:"finish_reason"`
}

// Reply is an answer in one piece, or one event of a stream.
type Reply struct {
	ID      string   `json:"id"`
	Model   string   `json:"model"`
	Choices []Choice `json:"choices"`
	Usage   *Usage   `json:"usage"`
}
