package openaitest

import (
	"encoding/json"

	"cookoff/model"
)

// readResponses reads what a request to /responses asks.
func readResponses(r *Request) error {
	var q struct {
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
		Tools        []struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"parameters"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &q); err != nil {
		return err
	}
	r.Messages, r.Tools = nil, nil
	if q.Instructions != "" {
		r.say("system", q.Instructions)
	}
	var items []struct {
		Type, Role string
		Content    json.RawMessage
		Output     json.RawMessage
	}
	if json.Unmarshal(q.Input, &items) != nil {
		r.say("user", content(q.Input))
	}
	for _, i := range items {
		switch i.Type {
		case "", "message":
			r.say(i.Role, content(i.Content))
		case "function_call_output", "custom_tool_call_output":
			r.say("tool", content(i.Output))
		}
	}
	for _, t := range q.Tools {
		if t.Name != "" { // a tool of the provider has none
			r.offer(t.Name, t.Schema)
		}
	}
	return nil
}

// itemsOf are what a reply is made of in Responses.
func itemsOf(reply model.Reply) (items []object) {
	if text := reply.Message.Content; text != "" {
		items = append(items, object{"type": "message", "id": id("msg", 1), "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": text, "annotations": []any{}}}})
	}
	for i, c := range reply.Message.Calls {
		items = append(items, object{"type": "function_call", "id": id("fc", i+1), "call_id": c.ID, "name": c.Name,
			"arguments": c.Arguments, "status": "completed"})
	}
	return items
}

func wholeResponse(reply model.Reply) any {
	out := object{"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": reply.Served,
		"output": itemsOf(reply), "error": nil, "incomplete_details": nil, "usage": nil}
	if u := reply.Usage; u.Known {
		out["usage"] = object{"input_tokens": u.Input, "input_tokens_details": object{"cached_tokens": u.Cached},
			"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": u.Reasoning},
			"total_tokens": u.Input + u.Output}
	}
	return out
}

func streamResponse(reply model.Reply) (out []string) {
	event := func(name string, data object) {
		data["type"], data["sequence_number"] = name, len(out)
		out = append(out, frame(name, data))
	}
	begun := object{"id": "resp_1", "object": "response", "created_at": 1, "status": "in_progress",
		"model": reply.Served, "output": []any{}, "usage": nil, "error": nil, "incomplete_details": nil}
	event("response.created", object{"response": begun})
	event("response.in_progress", object{"response": begun})
	for n, item := range itemsOf(reply) {
		at := func(more object) object {
			more["output_index"], more["item_id"] = n, item["id"]
			return more
		}
		added := object{}
		for k, v := range item {
			added[k] = v
		}
		added["status"] = "in_progress"
		if item["type"] == "message" {
			added["content"] = []any{}
			event("response.output_item.added", object{"output_index": n, "item": added})
			event("response.content_part.added", at(object{"content_index": 0,
				"part": object{"type": "output_text", "text": "", "annotations": []any{}}}))
			for _, half := range halves(reply.Message.Content) {
				event("response.output_text.delta", at(object{"content_index": 0, "delta": half}))
			}
			event("response.output_text.done", at(object{"content_index": 0, "text": reply.Message.Content}))
			event("response.content_part.done", at(object{"content_index": 0, "part": item["content"].([]any)[0]}))
		} else {
			args := item["arguments"].(string)
			added["arguments"] = ""
			event("response.output_item.added", object{"output_index": n, "item": added})
			for _, half := range halves(args) {
				event("response.function_call_arguments.delta", at(object{"delta": half}))
			}
			event("response.function_call_arguments.done", at(object{"arguments": args}))
		}
		event("response.output_item.done", object{"output_index": n, "item": item})
	}
	event("response.completed", object{"response": wholeResponse(reply)})
	return out
}
