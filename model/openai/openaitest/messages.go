package openaitest

import (
	"encoding/json"

	"cookoff/model"
)

// readMessages reads what a request to /messages asks.
func readMessages(r *Request) error {
	var q struct {
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string
			Content json.RawMessage
		} `json:"messages"`
		Tools []struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &q); err != nil {
		return err
	}
	r.Messages, r.Tools = nil, nil
	if text := content(q.System); text != "" {
		r.say("system", text)
	}
	for _, m := range q.Messages {
		var blocks []struct {
			Type    string
			Content json.RawMessage
		}
		_ = json.Unmarshal(m.Content, &blocks) // else it is a text
		for _, b := range blocks {
			if b.Type == "tool_result" {
				r.say("tool", content(b.Content))
			}
		}
		if text := content(m.Content); text != "" {
			r.say(m.Role, text)
		}
	}
	for _, t := range q.Tools {
		r.offer(t.Name, t.Schema)
	}
	return nil
}

// blocksOf are what a reply is made of in Messages.
func blocksOf(reply model.Reply) (blocks []object) {
	if text := reply.Message.Content; text != "" {
		blocks = append(blocks, object{"type": "text", "text": text})
	}
	for _, c := range reply.Message.Calls {
		blocks = append(blocks, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": arguments(c)})
	}
	return blocks
}

// message is a reply without what it says, of which so many tokens are written.
func message(reply model.Reply, blocks []object, stop any, written int) object {
	out := object{"id": "msg_1", "type": "message", "role": "assistant", "model": reply.Served, "content": blocks,
		"stop_reason": stop, "stop_sequence": nil}
	if u := reply.Usage; u.Known {
		out["usage"] = object{"input_tokens": u.Input - u.Cached, "cache_read_input_tokens": u.Cached,
			"cache_creation_input_tokens": 0, "output_tokens": written, "service_tier": "standard",
			"cache_creation": object{"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}}
	}
	return out
}

func stopReason(reply model.Reply) string {
	if len(reply.Message.Calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func wholeMessage(reply model.Reply) any {
	return message(reply, blocksOf(reply), stopReason(reply), reply.Usage.Output)
}

func streamMessage(reply model.Reply) (out []string) {
	event := func(name string, data object) {
		data["type"] = name
		out = append(out, frame(name, data))
	}
	event("message_start", object{"message": message(reply, []object{}, nil, 1)})
	for n, b := range blocksOf(reply) {
		delta := func(d object) { event("content_block_delta", object{"index": n, "delta": d}) }
		if b["type"] == "text" {
			event("content_block_start", object{"index": n, "content_block": object{"type": "text", "text": ""}})
			event("ping", object{})
			for _, half := range halves(reply.Message.Content) {
				delta(object{"type": "text_delta", "text": half})
			}
		} else {
			event("content_block_start", object{"index": n, "content_block": object{"type": "tool_use", "id": b["id"],
				"name": b["name"], "input": object{}}})
			for _, half := range halves(encoded(b["input"])) {
				delta(object{"type": "input_json_delta", "partial_json": half})
			}
		}
		event("content_block_stop", object{"index": n})
	}
	end := object{"delta": object{"stop_reason": stopReason(reply), "stop_sequence": nil}}
	if reply.Usage.Known {
		end["usage"] = object{"output_tokens": reply.Usage.Output}
	}
	event("message_delta", end)
	event("message_stop", object{})
	return out
}
