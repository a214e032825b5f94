// Package textcalls lets a model that is not made for tools call them in the text of its replies: how they are offered
// to it, and how its calls are read.
package textcalls

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"cookoff/model"
)

// callFence is the info string of a fence that holds a tool call.
const callFence = "tool_call"

// Offer is what a model that is not made for tools is told of them, in the words of version 1.
func Offer(specs []model.ToolSpec) string {
	if len(specs) == 0 {
		return "There are no tools."
	}
	var b strings.Builder
	b.WriteString("To call a tool, write a fenced block that holds one JSON object, as here:\n\n```" + callFence +
		"\n{\"name\": \"TOOL\", \"arguments\": {\"ARGUMENT\": \"VALUE\"}}\n```\n\n" +
		"Write as many blocks as you want calls, then end your reply: the results come in the next message. " +
		"A reply without such a block ends the session.\n\nThe tools, and the JSON Schema of their arguments:")
	for _, s := range specs {
		fmt.Fprintf(&b, "\n\n%s: %s\n%s", s.Name, s.Description, s.Parameters)
	}
	return b.String()
}

// Read finds the tool calls in the text of a reply: in fences called
// tool_call; in others, or in a reply that is one JSON object, where what they
// hold has the form of a call. What is called a call, or looks like one, and
// can't be read is wrong, and said why.
func Read(text string) (calls []model.Call, wrong []string) {
	take := func(body string, meant bool) {
		c, err := readCall(body)
		switch {
		case err == nil:
			calls = append(calls, c...)
		case meant || !errors.Is(err, errNoCall):
			wrong = append(wrong, err.Error())
		}
	}
	fences := fencesOf(text)
	for _, f := range fences {
		switch f.info {
		case callFence:
			take(f.body, true)
		case "", "json", "tool", "tool_code", "tool_calls":
			take(f.body, false)
		}
	}
	if len(fences) == 0 && strings.HasPrefix(strings.TrimSpace(text), "{") {
		take(text, false)
	}
	return calls, wrong
}

// errNoCall is a text that was not meant as a call.
var errNoCall = errors.New(`it is no JSON object with "name" and "arguments"`)

// readCall reads an object, or a list of them.
func readCall(body string) ([]model.Call, error) {
	body = strings.TrimSpace(body)
	if list := []json.RawMessage(nil); strings.HasPrefix(body, "[") && json.Unmarshal([]byte(body), &list) == nil {
		var calls []model.Call
		for _, one := range list {
			c, err := readObject(one)
			if err != nil {
				return nil, err
			}
			calls = append(calls, c)
		}
		if calls == nil {
			return nil, errNoCall
		}
		return calls, nil
	}
	c, err := readObject([]byte(body))
	if err != nil {
		return nil, err
	}
	return []model.Call{c}, nil
}

// readObject reads one call. Arguments are JSON as the model wrote it.
func readObject(body []byte) (model.Call, error) {
	var o map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(&o); err != nil {
		if meant := bytes.Contains(body, []byte(`"name"`)) && bytes.Contains(body, []byte(`"arguments"`)); !meant {
			return model.Call{}, errNoCall
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return model.Call{}, errors.New("the JSON is not complete")
		}
		return model.Call{}, fmt.Errorf("it is no valid JSON: %v", err)
	}
	var name string
	if _, ok := o["name"]; !ok || json.Unmarshal(o["name"], &name) != nil {
		return model.Call{}, errNoCall
	}
	args, given := o["arguments"]
	if !given {
		return model.Call{}, errNoCall
	}
	if _, err := dec.Token(); err != io.EOF {
		return model.Call{}, errors.New("there is more than one JSON object in it: write one a block")
	}
	for key := range o {
		if !slices.Contains([]string{"name", "arguments", "id", "type"}, key) {
			return model.Call{}, fmt.Errorf("it has the key %q beside \"name\" and \"arguments\"", key)
		}
	}
	if s := ""; json.Unmarshal(args, &s) == nil { // JSON in a string, as some models are used to
		args = json.RawMessage(s)
	}
	return model.Call{Name: name, Arguments: string(args)}, nil
}

// fence is a fenced block of a text.
type fence struct{ info, body string }

// fencesOf finds the fenced blocks of a text. One that is never closed goes to
// the end: some models stop there.
func fencesOf(text string) []fence {
	var out []fence
	marker := ""
	var body strings.Builder
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case marker == "" && strings.HasPrefix(trimmed, "```"):
			info := strings.TrimLeft(trimmed, "`")
			marker = trimmed[:len(trimmed)-len(info)]
			if f := strings.Fields(info); len(f) > 0 {
				info = f[0]
			}
			out = append(out, fence{info: strings.ToLower(strings.TrimSpace(info))})
		case marker != "" && strings.HasPrefix(trimmed, marker) && strings.Trim(trimmed, "`") == "":
			out[len(out)-1].body = body.String()
			body.Reset()
			marker = ""
		case marker != "":
			body.WriteString(line)
		}
	}
	if marker != "" {
		out[len(out)-1].body = body.String()
	}
	return out
}
