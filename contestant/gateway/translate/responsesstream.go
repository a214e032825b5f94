package translate

import (
	"encoding/json"

	"cookoff/model/wire/chat"
	"cookoff/model/wire/responses"
)

// responsesStream makes a stream of Responses: text as it comes, each call when
// it is whole.
type responsesStream struct {
	asked  *Asked
	id     string
	began  bool
	seq    int
	texts  bool
	text   string
	calls  assembly
	finish string
	usage  *chat.Usage
}

type fields = map[string]any

// emit writes an event, with its number.
func (s *responsesStream) emit(out []byte, name string, f fields) []byte {
	f["type"], f["sequence_number"] = name, s.seq
	s.seq++
	return append(out, event(name, f)...)
}

// Chunk takes one event's data.
func (s *responsesStream) Chunk(data []byte) []byte {
	var r chat.Reply
	if json.Unmarshal(data, &r) != nil {
		return nil
	}
	out := s.begin(r.ID)
	if r.Usage.Told() {
		s.usage = r.Usage
	}
	for _, c := range r.Choices {
		if c.Index != 0 {
			continue
		}
		if text := c.Delta.Text(); text != "" {
			if !s.texts {
				s.texts = true
				item := message("")
				item.Status, item.Content = "in_progress", json.RawMessage("[]")
				out = s.emit(out, "response.output_item.added", fields{"output_index": 0, "item": item})
				out = s.emit(out, "response.content_part.added", fields{"item_id": item.ID, "output_index": 0,
					"content_index": 0, "part": part("")})
			}
			s.text += text
			out = s.emit(out, "response.output_text.delta", fields{"item_id": "msg_1", "output_index": 0,
				"content_index": 0, "delta": text})
		}
		for _, t := range c.Delta.ToolCalls {
			s.calls.add(t)
		}
		if c.FinishReason != "" {
			s.finish = c.FinishReason
		}
	}
	return out
}

// part is a message's text; also the empty one has all its members.
func part(text string) any {
	return fields{"type": "output_text", "text": text, "annotations": []any{}}
}

func (s *responsesStream) begin(id string) (out []byte) {
	if s.began {
		return nil
	}
	s.began, s.id = true, id
	r := s.asked.ended(id, "", nil)
	r.Status = "in_progress"
	out = s.emit(out, "response.created", fields{"response": r})
	return s.emit(out, "response.in_progress", fields{"response": r})
}

// End gives what is whole now, and the reply as a whole.
func (s *responsesStream) End() []byte {
	out := s.begin("")
	r := s.asked.ended(s.id, s.finish, s.usage)
	if s.texts {
		item := message(s.text)
		out = s.emit(out, "response.output_text.done", fields{"item_id": item.ID, "output_index": 0, "content_index": 0,
			"text": s.text})
		out = s.emit(out, "response.content_part.done", fields{"item_id": item.ID, "output_index": 0,
			"content_index": 0, "part": part(s.text)})
		out = s.emit(out, "response.output_item.done", fields{"output_index": 0, "item": item})
		r.Output = append(r.Output, marshal(item))
	}
	for i, c := range s.calls.calls {
		item, at := s.asked.callItem(*c, i), len(r.Output)
		out = s.call(out, item, at)
		r.Output = append(r.Output, marshal(item))
	}
	name := "response.completed"
	if r.Status == "incomplete" {
		name = "response.incomplete"
	}
	return s.emit(out, name, fields{"response": r})
}

// call gives the events of one call.
func (s *responsesStream) call(out []byte, item responses.Item, at int) []byte {
	begun, what, word, input := item, "response.function_call_arguments", "arguments", item.Arguments
	begun.Status, begun.Arguments = "in_progress", new("")
	if item.Input != nil {
		what, word, input = "response.custom_tool_call_input", "input", item.Input
		begun.Arguments, begun.Input = nil, new("")
	}
	out = s.emit(out, "response.output_item.added", fields{"output_index": at, "item": begun})
	out = s.emit(out, what+".delta", fields{"item_id": item.ID, "output_index": at, "delta": *input})
	out = s.emit(out, what+".done", fields{"item_id": item.ID, "output_index": at, word: *input})
	return s.emit(out, "response.output_item.done", fields{"output_index": at, "item": item})
}

// Fail says in the stream that it failed.
func (s *responsesStream) Fail(text string) []byte {
	return s.emit(nil, "error", fields{"code": "server_error", "message": text, "param": nil})
}
