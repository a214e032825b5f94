package openaitest

import (
	"encoding/json"
	"fmt"
	"strings"

	"cookoff/model"
)

// dialect is a way to ask a model, beside Chat Completions.
type dialect struct {
	// read fills in what most answers follow from.
	read func(r *Request) error
	// whole writes a reply in one piece, stream as the lines of a stream.
	whole  func(reply model.Reply) any
	stream func(reply model.Reply) []string
}

// dialectOf gives the dialect of a path; nil: it is none that is spoken here. That of
// Chat Completions has no functions.
func dialectOf(path string) *dialect {
	switch {
	case path == "/v1/chat/completions":
		return &dialect{}
	case path == "/v1/responses":
		return &dialect{readResponses, wholeResponse, streamResponse}
	case path == "/v1/messages":
		return &dialect{readMessages, wholeMessage, streamMessage}
	case strings.HasPrefix(path, "/v1/models/") && strings.HasSuffix(path, "enerateContent"):
		return &dialect{readGemini, wholeGemini, streamGemini}
	}
	return nil
}

// object is one of JSON.
type object = map[string]any

// frame is an event of a stream; a name of "" is none.
func frame(name string, data any) string {
	text := "data: " + encoded(data) + "\n\n"
	if name != "" {
		text = "event: " + name + "\n" + text
	}
	return text
}

// content is a text, or parts that have one.
func content(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts) // else it holds no text
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// offer adds a tool to those that a request offers.
func (r *Request) offer(name string, schema json.RawMessage) {
	var t Tool
	t.Function.Name, t.Function.Parameters = name, schema
	r.Tools = append(r.Tools, t)
}

func (r *Request) say(role, text string) {
	r.Messages = append(r.Messages, Message{Role: role, Content: text})
}

// arguments are those of a call as an object.
func arguments(c model.Call) any {
	var args any
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return object{}
	}
	return args
}

// readGemini reads what a generateContent asks.
func readGemini(r *Request) error {
	type part struct {
		Text     string          `json:"text"`
		Response json.RawMessage `json:"functionResponse"`
	}
	var q struct {
		System   struct{ Parts []part } `json:"systemInstruction"`
		Contents []struct {
			Role  string
			Parts []part
		}
		Tools []struct {
			Functions []struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		}
	}
	if err := json.Unmarshal(r.Body, &q); err != nil {
		return err
	}
	name, action, _ := strings.Cut(strings.TrimPrefix(r.Path, "/v1/models/"), ":")
	r.Model, r.Stream, r.Messages, r.Tools = name, strings.HasPrefix(action, "stream"), nil, nil
	for _, p := range q.System.Parts {
		r.say("system", p.Text)
	}
	for _, c := range q.Contents {
		for _, p := range c.Parts {
			if p.Response != nil {
				r.say("tool", string(p.Response))
				continue
			}
			r.say(strings.Replace(c.Role, "model", "assistant", 1), p.Text)
		}
	}
	for _, t := range q.Tools {
		for _, f := range t.Functions {
			r.offer(f.Name, f.Schema)
		}
	}
	return nil
}

func wholeGemini(reply model.Reply) any {
	var parts []object
	if reply.Message.Content != "" {
		parts = append(parts, object{"text": reply.Message.Content})
	}
	for _, c := range reply.Message.Calls {
		parts = append(parts, object{"functionCall": object{"name": c.Name, "args": arguments(c)}})
	}
	out := object{"candidates": []any{object{"index": 0, "finishReason": "STOP",
		"content": object{"role": "model", "parts": parts}}}, "modelVersion": reply.Served}
	if u := reply.Usage; u.Known {
		out["usageMetadata"] = object{"promptTokenCount": u.Input, "candidatesTokenCount": u.Output - u.Reasoning,
			"thoughtsTokenCount": u.Reasoning, "cachedContentTokenCount": u.Cached,
			"totalTokenCount": u.Input + u.Output}
	}
	return out
}

func streamGemini(reply model.Reply) []string { return []string{frame("", wholeGemini(reply))} }

// id numbers what a reply is made of.
func id(kind string, n int) string { return fmt.Sprintf("%s_%d", kind, n) }
