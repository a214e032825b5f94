package translate

import (
	"encoding/json"

	"cookoff/model"
	"cookoff/model/wire/chat"
	"cookoff/model/wire/messages"
)

// messagesStream makes a stream of Messages: one block is open at a time.
type messagesStream struct {
	asked  *Asked
	began  bool
	blocks int  // that were begun
	open   bool // the last of them
	texts  bool // it is text
	calls  assembly
	shown  int    // calls that were begun
	late   string // text that came after a call had begun
	finish string
	usage  *chat.Usage
}

// Chunk takes one event's data.
func (s *messagesStream) Chunk(data []byte) (out []byte) {
	var r chat.Reply
	if json.Unmarshal(data, &r) != nil {
		return nil
	}
	out = s.begin(r.ID)
	if r.Usage.Told() {
		s.usage = r.Usage
	}
	for _, c := range r.Choices {
		if c.Index != 0 {
			continue
		}
		if text := c.Delta.Text(); text != "" && len(s.calls.calls) > 0 {
			s.late += text
		} else if text != "" {
			if !s.texts {
				out = append(append(out, s.close()...), s.start(messages.Block{Type: "text"}, `"text":""`)...)
				s.texts = true
			}
			out = append(out, s.delta(&messages.Delta{Type: "text_delta", Text: text})...)
		}
		for _, t := range c.Delta.ToolCalls {
			out = append(out, s.call(t)...)
		}
		if c.FinishReason != "" {
			s.finish = c.FinishReason
		}
	}
	return out
}

// begin starts the message. What was sent is told about, since nobody knows yet:
// agents count on numbers here.
func (s *messagesStream) begin(id string) []byte {
	if s.began {
		return nil
	}
	s.began = true
	u := messages.UsageOf(model.Usage{Input: s.asked.input, Output: 1})
	return event("message_start", messages.Event{Type: "message_start",
		Message: &messages.Reply{ID: "msg_" + id, Type: "message", Role: "assistant",
			Model: s.asked.model, Content: []messages.Block{}, Usage: u}})
}

// start opens a block; empty is the member that an empty block has all the same.
func (s *messagesStream) start(b messages.Block, empty string) []byte {
	s.blocks, s.open = s.blocks+1, true
	text := marshal(b)
	if empty != "" {
		text = append(append(text[:len(text)-1], ','), empty+"}"...)
	}
	return event("content_block_start", map[string]any{"type": "content_block_start", "index": s.blocks - 1,
		"content_block": json.RawMessage(text)})
}

func (s *messagesStream) close() []byte {
	if !s.open {
		return nil
	}
	s.open, s.texts = false, false
	return event("content_block_stop", messages.Event{Type: "content_block_stop", Index: new(s.blocks - 1)})
}

func (s *messagesStream) delta(d *messages.Delta) []byte {
	return event("content_block_delta", messages.Event{Type: "content_block_delta", Index: new(s.blocks - 1), Delta: d})
}

// call takes a piece of a call: of the first it is handed on, the others wait
// until the end.
func (s *messagesStream) call(piece chat.ToolCall) (out []byte) {
	at := s.calls.add(piece)
	arguments := piece.Function.Arguments
	switch first := s.calls.calls[0]; {
	case at > 0, first.Function.Name == "":
		return nil
	case s.shown == 0:
		out = append(s.close(), s.use(0)...)
		arguments = first.Function.Arguments
	}
	if arguments != "" {
		out = append(out, s.delta(&messages.Delta{Type: "input_json_delta", PartialJSON: &arguments})...)
	}
	return out
}

// use begins the block of a call.
func (s *messagesStream) use(at int) []byte {
	s.shown++
	c := s.calls.calls[at]
	return s.start(messages.Block{Type: "tool_use", ID: c.ID, Name: c.Function.Name}, `"input":{}`)
}

// End closes the message.
func (s *messagesStream) End() []byte {
	out := append(s.begin(""), s.close()...)
	for at := s.shown; at < len(s.calls.calls); at++ {
		out = append(out, s.use(at)...)
		out = append(out, s.delta(&messages.Delta{Type: "input_json_delta",
			PartialJSON: &s.calls.calls[at].Function.Arguments})...)
		out = append(out, s.close()...)
	}
	if s.late != "" {
		out = append(out, s.start(messages.Block{Type: "text"}, `"text":""`)...)
		out = append(append(out, s.delta(&messages.Delta{Type: "text_delta", Text: s.late})...), s.close()...)
	}
	usage := s.usage.Record()
	if !usage.Known {
		usage = model.Usage{Input: s.asked.input, Output: 1}
	}
	out = append(out, event("message_delta", map[string]any{"type": "message_delta", "usage": messages.UsageOf(usage),
		"delta": map[string]any{"stop_reason": stopReason(s.finish, len(s.calls.calls) > 0), "stop_sequence": nil}})...)
	return append(out, event("message_stop", messages.Event{Type: "message_stop"})...)
}

// Fail says in the stream that it failed.
func (s *messagesStream) Fail(text string) []byte {
	return event("error", messages.Event{Type: "error", Error: &messages.Error{Type: "api_error", Message: text}})
}
