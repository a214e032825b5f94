package openaitest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"cookoff/model"
)

// Step answers one request.
type Step func(*answer)

type answer struct {
	server *Server
	w      http.ResponseWriter
	r      *Request
	http   *http.Request
}

// Text replies with a text, as Reply does.
func Text(text string) Step {
	return Reply(model.Reply{Message: model.Message{Content: text}, Finish: model.FinishStop, Usage: someUsage()})
}

// Calls replies with tool calls, as Reply does.
func Calls(calls ...model.Call) Step {
	return Reply(model.Reply{Message: model.Message{Calls: calls}, Finish: model.FinishCalls, Usage: someUsage()})
}

func someUsage() model.Usage { return model.Usage{Input: 100, Output: 10, Known: true} }

// Reply sends a reply, as a stream of small pieces when the request asks for
// one. Usage that is not known is not sent, nor is it in a stream whose
// request did not ask for it. Served is the model asked for when empty.
func Reply(reply model.Reply) Step {
	return func(a *answer) {
		if d := a.r.dialect; d.whole != nil {
			a.inDialect(d, reply)
			return
		}
		if a.r.Stream {
			a.events(a.chunks(reply))
			a.send("data: [DONE]\n\n")
			return
		}
		msg := map[string]any{"role": "assistant", "content": reply.Message.Content}
		if calls := wireCalls(reply.Message.Calls); calls != nil {
			msg["tool_calls"] = calls
		}
		body := a.envelope(reply, "chat.completion")
		body["choices"] = []any{map[string]any{"index": 0, "message": msg, "finish_reason": reply.Finish}}
		if reply.Usage.Known {
			body["usage"] = wireUsage(reply.Usage)
		}
		a.json(http.StatusOK, body)
	}
}

// Cut begins a reply and closes the connection in the middle of it.
func Cut(reply model.Reply) Step {
	return func(a *answer) {
		if !a.r.Stream {
			a.w.Header().Set("Content-Length", "4096")
			a.send(`{"id":"x","object":"chat.completion","choices":[{"index":0,"mess`)
			panic(http.ErrAbortHandler)
		}
		if d := a.r.dialect; d.stream != nil {
			frames := d.stream(a.served(reply))
			a.frames(frames[:len(frames)/2])
			panic(http.ErrAbortHandler)
		}
		chunks := a.chunks(reply)
		a.events(chunks[:(len(chunks)+1)/2])
		panic(http.ErrAbortHandler)
	}
}

// inDialect replies in another dialect than Chat Completions.
func (a *answer) inDialect(d *dialect, reply model.Reply) {
	if reply = a.served(reply); a.r.Stream {
		a.frames(d.stream(reply))
		return
	}
	a.json(http.StatusOK, d.whole(reply))
}

// served is a reply that says by which model.
func (a *answer) served(reply model.Reply) model.Reply {
	reply.Served = cmp.Or(reply.Served, a.r.Model)
	return reply
}

// Status answers with a status and a body; headers are pairs of name and value.
func Status(status int, body string, headers ...string) Step {
	return func(a *answer) {
		a.w.Header().Set("Content-Type", "application/json")
		a.headers(headers)
		a.w.WriteHeader(status)
		a.send(body)
	}
}

// Raw answers with status 200 and the body as it stands.
func Raw(contentType, body string) Step {
	return Status(http.StatusOK, body, "Content-Type", contentType)
}

// Handler answers as h does.
func Handler(h http.HandlerFunc) Step {
	return func(a *answer) { h(a.w, a.http) }
}

// Events answers with a stream of the given data, and no more.
func Events(data ...string) Step {
	return func(a *answer) { a.events(data) }
}

// Stall says nothing at all until the server is released or closed, or the
// client goes away.
func Stall() Step { return func(a *answer) { a.stall() } }

// StallAfter sends a part of a stream, then nothing more, as Stall does.
func StallAfter(data ...string) Step {
	return func(a *answer) {
		a.events(data)
		a.stall()
	}
}

func (a *answer) stall() {
	select {
	case <-a.server.released:
	case <-a.http.Context().Done():
	}
	panic(http.ErrAbortHandler)
}

func (a *answer) headers(pairs []string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		a.w.Header().Set(pairs[i], pairs[i+1])
	}
}

// send writes to the client at once; that it may be gone is its own affair.
func (a *answer) send(text string) {
	if _, err := a.w.Write([]byte(text)); err != nil {
		panic(http.ErrAbortHandler)
	}
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}

func (a *answer) events(data []string) {
	a.w.Header().Set("Content-Type", "text/event-stream")
	a.send(": a comment keeps the connection alive\n\n")
	for _, d := range data {
		a.send("data: " + d + "\n\n")
	}
}

func (a *answer) frames(frames []string) {
	a.w.Header().Set("Content-Type", "text/event-stream")
	for _, f := range frames {
		a.send(f)
	}
}

func (a *answer) json(status int, v any) {
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(status)
	a.send(encoded(v))
}

// chunks gives the events of a stream: text and arguments in two pieces each,
// the reason to finish, and the usage if it was asked for.
func (a *answer) chunks(reply model.Reply) (out []string) {
	delta := func(d map[string]any, finish any) {
		c := a.envelope(reply, "chat.completion.chunk")
		c["choices"] = []any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}}
		out = append(out, encoded(c))
	}
	delta(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, part := range halves(reply.Message.Content) {
		delta(map[string]any{"content": part}, nil)
	}
	for i, c := range reply.Message.Calls {
		delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": c.ID, "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": ""}}}}, nil)
		for _, part := range halves(c.Arguments) {
			delta(map[string]any{"tool_calls": []any{map[string]any{"index": i,
				"function": map[string]any{"arguments": part}}}}, nil)
		}
	}
	delta(map[string]any{}, reply.Finish)
	var asked struct {
		Options struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if json.Unmarshal(a.r.Body, &asked) == nil && asked.Options.Usage && reply.Usage.Known {
		c := a.envelope(reply, "chat.completion.chunk")
		c["choices"], c["usage"] = []any{}, wireUsage(reply.Usage)
		out = append(out, encoded(c))
	}
	return out
}

func (a *answer) envelope(reply model.Reply, object string) map[string]any {
	return map[string]any{"id": "chatcmpl-1", "object": object, "created": 1, "model": a.served(reply).Served}
}

func halves(s string) []string {
	r := []rune(s)
	switch len(r) {
	case 0:
		return nil
	case 1:
		return []string{s}
	}
	return []string{string(r[:len(r)/2]), string(r[len(r)/2:])}
}

func wireCalls(calls []model.Call) (out []Call) {
	for _, c := range calls {
		out = append(out, Call{c.ID, "function", Function{c.Name, c.Arguments}})
	}
	return out
}

func wireUsage(u model.Usage) map[string]any {
	return map[string]any{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.Cached},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
	}
}

// encoded gives v as JSON; what this package encodes always can be.
func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding an answer: %v", err))
	}
	return string(b)
}
