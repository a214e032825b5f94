package messages

import "encoding/json"

// Block is a piece of a message's content, of any type.
type Block struct {
	Type string `json:"type"` // text, thinking, redacted_thinking, tool_use, tool_result, image, …

	Text      string `json:"text,omitempty"`
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"` // of thinking: it is sent back as it came
	Data      string `json:"data,omitempty"`      // of redacted_thinking

	ID    string          `json:"id,omitempty"`    // of a tool_use
	Name  string          `json:"name,omitempty"`  // of a tool_use
	Input json.RawMessage `json:"input,omitempty"` // of a tool_use: a JSON object

	ToolUseID string          `json:"tool_use_id,omitempty"` // of a tool_result
	Content   json.RawMessage `json:"content,omitempty"`     // of a tool_result: a string or blocks
	IsError   bool            `json:"is_error,omitempty"`

	Source *Source `json:"source,omitempty"` // of an image or a document

	CacheControl *CacheControl `json:"cache_control,omitempty"`
}

// Source is where the bytes of an image or a document are.
type Source struct {
	Type      string `json:"type"` // base64, url, text, …
	MediaType string `json:"media_type,omitempty"`
	Data      string `json:"data,omitempty"`
	URL       string `json:"url,omitempty"`
}

// CacheControl marks the end of what is to be kept in the cache.
type CacheControl struct {
	Type string `json:"type"` // ephemeral
	TTL  string `json:"ttl,omitempty"`
}

// Message is one turn. Content is a string or a list of blocks.
type Message struct {
	Role    string          `json:"role"` // user, assistant
	Content json.RawMessage `json:"content"`
}

// Tool is a tool that a model may call. Type is set of those that are
// Anthropic's own.
type Tool struct {
	Type         string          `json:"type,omitempty"`
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	CacheControl *CacheControl   `json:"cache_control,omitempty"`
}

// Choice says whether tools are to be called.
type Choice struct {
	Type    string `json:"type"` // auto, any, tool, none
	Name    string `json:"name,omitempty"`
	OneOnly bool   `json:"disable_parallel_tool_use,omitempty"`
}

// Reply is an answer in one piece.
type Reply struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"` // message
	Role         string  `json:"role"`
	Model        string  `json:"model"`
	Content      []Block `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        *Usage  `json:"usage"`
}

// Delta is what an event of a stream adds to a block, or to the message.
type Delta struct {
	Type         string  `json:"type,omitempty"` // text_delta, input_json_delta, thinking_delta, signature_delta
	Text         string  `json:"text,omitempty"`
	PartialJSON  *string `json:"partial_json,omitempty"`
	Thinking     string  `json:"thinking,omitempty"`
	Signature    string  `json:"signature,omitempty"`
	StopReason   *string `json:"stop_reason,omitempty"`
	StopSequence *string `json:"stop_sequence,omitempty"`
}

// Error is what went wrong, in an event or as a whole answer.
type Error struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// Event is one event of a stream.
type Event struct {
	Type    string `json:"type"` // message_start, content_block_start, …
	Message *Reply `json:"message,omitempty"`
	Index   *int   `json:"index,omitempty"`
	Block   *Block `json:"content_block,omitempty"`
	Delta   *Delta `json:"delta,omitempty"`
	Usage   *Usage `json:"usage,omitempty"`
	Error   *Error `json:"error,omitempty"`
}

// Blocks reads a content, which may be a string.
func Blocks(content json.RawMessage) ([]Block, error) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []Block{{Type: "text", Text: text}}, nil
	}
	var blocks []Block
	err := json.Unmarshal(content, &blocks)
	return blocks, err
}
