// Package translate puts requests of other dialects into Chat Completions, and
// the replies back: for an agent on a model whose endpoint speaks nothing else.
// What a chat has no place for is left out, and named.
package translate

import (
	"encoding/json"
	"fmt"
	"slices"

	"cookoff/model/wire"
	"cookoff/model/wire/chat"
)

// Asked is a request put into a chat's words.
type Asked struct {
	Chat    chat.Request
	Dropped []string // names of parts that a chat has no place for
	from    wire.Dialect
	model   string            // that the agent named: what replies call it
	origin  map[string]origin // of tools that a chat has under another name or form
	input   int               // tokens, about
}

// origin is what a tool was before it was put into a chat's words.
type origin struct {
	name, namespace string
	custom          bool // its input is text, no JSON
}

// Can reports whether requests of a dialect can be translated.
func Can(from wire.Dialect) bool { return from == wire.Messages || from == wire.Responses }

// Request puts a request into a chat's words. Its error says what of the
// request is wrong.
func Request(from wire.Dialect, body []byte) (*Asked, error) {
	a := &Asked{from: from, origin: map[string]origin{}, input: max(len(body)/4, 1)}
	var err error
	if from == wire.Messages {
		err = a.messages(body)
	} else {
		err = a.responses(body)
	}
	if a.Chat.Stream {
		a.Chat.StreamOptions = &chat.StreamOptions{IncludeUsage: true}
	}
	if len(a.Chat.Tools) == 0 { // providers reject them beside no tools
		a.Chat.ToolChoice, a.Chat.ParallelToolCalls = nil, nil
	}
	return a, err
}

func (a *Asked) drop(what string) {
	if !slices.Contains(a.Dropped, what) {
		a.Dropped = append(a.Dropped, what)
	}
}

// dropSet names those members of a request that are set.
func (a *Asked) dropSet(body []byte, names ...string) {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(body, &all) // it was read before
	for _, name := range names {
		if v := all[name]; len(v) > 0 && string(v) != "null" {
			a.drop(name)
		}
	}
}

// Reply puts an answer in one piece back into the agent's dialect.
func (a *Asked) Reply(body []byte) ([]byte, error) {
	var r chat.Reply
	if err := json.Unmarshal(body, &r); err != nil || len(r.Choices) == 0 {
		return nil, fmt.Errorf("the answer is no chat completion")
	}
	if a.from == wire.Messages {
		return marshal(a.messagesReply(&r)), nil
	}
	return marshal(a.responsesReply(&r)), nil
}

// Stream puts the events of a chat's stream back into the agent's dialect.
type Stream interface {
	// Chunk takes one event's data, and gives the events that it makes, as they
	// are written.
	Chunk(data []byte) []byte
	// End gives the events that a stream ends with.
	End() []byte
	// Fail gives the event of a stream that fails.
	Fail(text string) []byte
}

// Stream begins a stream.
func (a *Asked) Stream() Stream {
	if a.from == wire.Messages {
		return &messagesStream{asked: a}
	}
	return &responsesStream{asked: a}
}

// Whole makes a stream of an answer in one piece.
func Whole(s Stream, body []byte) ([]byte, error) {
	var r chat.Reply
	if err := json.Unmarshal(body, &r); err != nil || len(r.Choices) == 0 {
		return nil, fmt.Errorf("the answer is no chat completion")
	}
	for i := range r.Choices {
		c := &r.Choices[i]
		c.Delta, c.Message = c.Message, chat.Answer{}
		for n := range c.Delta.ToolCalls {
			c.Delta.ToolCalls[n].Index = new(n)
		}
	}
	return append(s.Chunk(marshal(r)), s.End()...), nil
}

func marshal(v any) []byte {
	b, _ := json.Marshal(v) // of strings, numbers and what was JSON before
	return b
}

// event writes an event of a stream.
func event(name string, v any) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, marshal(v))
}

// object gives arguments as a JSON object, whatever a model wrote.
func object(arguments string) json.RawMessage {
	var o map[string]json.RawMessage
	switch {
	case json.Unmarshal([]byte(arguments), &o) == nil && o != nil:
		return json.RawMessage(arguments)
	case arguments == "" || arguments == "null":
		return json.RawMessage("{}")
	}
	return marshal(map[string]string{"malformed_arguments": arguments})
}

// assembly puts the tool calls of a stream together. The first that is not
// finished can be handed on as it comes; what belongs to the others waits.
type assembly struct{ calls []*chat.ToolCall }

// add takes a piece, and gives the number of the call that it belongs to.
func (t *assembly) add(piece chat.ToolCall) int {
	at := len(t.calls) - 1
	if piece.Index != nil {
		at = slices.IndexFunc(t.calls, func(c *chat.ToolCall) bool { return *c.Index == *piece.Index })
	}
	if at < 0 || piece.ID != "" && t.calls[at].ID != "" && t.calls[at].ID != piece.ID {
		index := len(t.calls)
		if piece.Index != nil && at < 0 {
			index = *piece.Index
		}
		t.calls = append(t.calls, &chat.ToolCall{Index: &index})
		at = len(t.calls) - 1
		if piece.ID == "" {
			piece.ID = fmt.Sprintf("call_%d", at+1)
		}
	}
	c := t.calls[at]
	if c.ID == "" {
		c.ID = piece.ID
	}
	if c.Function.Name == "" {
		c.Function.Name = piece.Function.Name
	}
	c.Function.Arguments += piece.Function.Arguments
	return at
}
