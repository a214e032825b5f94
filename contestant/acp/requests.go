package acp

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Wish is something that the agent asks to be allowed.
type Wish struct {
	Call    ToolUpdate
	Options []Option // the answers that it offers, in its order
}

// Option is one of the answers that an agent accepts.
type Option struct {
	ID   string `json:"optionId"`
	Name string `json:"name"` // its words
	Kind string `json:"kind"` // allow_once, allow_always, reject_once, reject_always
}

// Allows reports whether what was asked may be done with this answer.
func (o Option) Allows() bool { return strings.HasPrefix(o.Kind, "allow_") }

// Choice answers a Wish.
type Choice struct {
	Allow  bool
	Option string // id of the option that is meant; "": any that says so, for once where it can be
}

// asked answers a request of the agent's.
func (c *Client) asked(m message) {
	switch m.Method {
	case "session/request_permission":
		var p struct {
			Call    ToolUpdate `json:"toolCall"`
			Options []Option   `json:"options"`
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			c.refuse(m, -32602, "the parameters can't be read")
			return
		}
		if c.opt.Update != nil && p.Call.ID != "" {
			p.Call.Asked = true
			c.opt.Update(Update{Tool: &p.Call})
		}
		if c.opt.Allow == nil {
			c.reply(m, map[string]any{"outcome": choose(p.Options, Choice{Allow: true})})
			return
		}
		c.permit(m, Wish{p.Call, p.Options})
	case "elicitation/create":
		c.reply(m, map[string]any{"action": "decline"})
	default:
		c.refuse(m, codeMethodNotFound, fmt.Sprintf("method not found: %s", clip(m.Method, 200)))
	}
}

// maxAsked is how many answers of a person an agent may wait for at once.
const maxAsked = 32

// permit has somebody decide, while the agent is listened to. What nobody decides is
// cancelled.
func (c *Client) permit(m message, w Wish) {
	select {
	case c.asking <- struct{}{}:
	default:
		c.refuse(m, -32603, fmt.Sprintf("%d questions wait for an answer", maxAsked))
		return
	}
	go func() {
		defer func() { <-c.asking }()
		choice, err := c.opt.Allow(w)
		outcome := map[string]string{"outcome": "cancelled"}
		if err == nil {
			outcome = choose(w.Options, choice)
		}
		c.reply(m, map[string]any{"outcome": outcome})
	}()
}

// maxOption bounds the ids of options and of requests that are repeated to the agent, in bytes.
const maxOption = 1 << 10

// choose picks the answer that is meant, else one that allows or rejects this once, else
// for good.
func choose(options []Option, choice Choice) map[string]string {
	want := "reject"
	if choice.Allow {
		want = "allow"
	}
	for _, o := range options {
		if choice.Option != "" && o.ID == choice.Option && o.Allows() == choice.Allow && len(o.ID) <= maxOption {
			return map[string]string{"outcome": "selected", "optionId": o.ID}
		}
	}
	for _, kind := range []string{want + "_once", want + "_always"} {
		for _, o := range options {
			if o.Kind == kind && len(o.ID) <= maxOption {
				return map[string]string{"outcome": "selected", "optionId": o.ID}
			}
		}
	}
	return map[string]string{"outcome": "cancelled"}
}

func (c *Client) reply(m message, result any) {
	_ = c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

func (c *Client) refuse(m message, code int, text string) {
	_ = c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": code, "message": text}})
}

// Update is something that the agent did or said; exactly one field is set.
type Update struct {
	Text    string      // a piece of what it says
	Thought string      // a piece of what it thinks
	Tool    *ToolUpdate // about a tool call
}

// ToolUpdate is what one message says about a tool call. Empty fields say nothing.
type ToolUpdate struct {
	ID      string          `json:"toolCallId"`
	Name    string          `json:"name"`
	Title   string          `json:"title"`
	Kind    string          `json:"kind"`
	Status  string          `json:"status"` // pending, in_progress, completed, failed
	Input   json.RawMessage `json:"rawInput"`
	Output  json.RawMessage `json:"rawOutput"`
	Content []content       `json:"content"`
	Meta    meta            `json:"_meta"`

	Asked bool `json:"-"` // it was told with a request for permission
	First bool `json:"-"` // it was told as a new call
}

// content is a part of a result: words, a changed file, a terminal.
type content struct {
	Type    string `json:"type"`
	Content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Path string `json:"path"`
}

// meta are the extensions of agents that say what the protocol has no place for.
type meta struct {
	ToolName string `json:"toolName"`
	Claude   struct {
		ToolName string `json:"toolName"`
	} `json:"claudeCode"`
	Delta struct {
		Data string `json:"data"`
	} `json:"terminal_output_delta"`
	Exit struct {
		Code *int `json:"exit_code"`
	} `json:"terminal_exit"`
}

// notified hears a notification. What is unknown is ignored.
func (c *Client) notified(m message) {
	if m.Method != "session/update" || c.opt.Update == nil {
		return
	}
	var p struct {
		Update json.RawMessage `json:"update"`
	}
	var kind struct {
		Kind    string          `json:"sessionUpdate"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(m.Params, &p) != nil || json.Unmarshal(p.Update, &kind) != nil {
		return
	}
	switch kind.Kind {
	case "agent_message_chunk":
		c.opt.Update(Update{Text: words(kind.Content)})
	case "agent_thought_chunk":
		c.opt.Update(Update{Thought: words(kind.Content)})
	case "tool_call", "tool_call_update":
		t := ToolUpdate{First: kind.Kind == "tool_call"}
		if lenient(p.Update, &t) && t.ID != "" {
			c.opt.Update(Update{Tool: &t})
		}
	}
}

// words is the text of a block, "" when it holds something else.
func words(raw json.RawMessage) string {
	var b struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &b)
	return b.Text
}

// lenient decodes what fits: a field of another shape is left empty.
func lenient(raw json.RawMessage, t *ToolUpdate) bool {
	if json.Unmarshal(raw, t) == nil {
		return true
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return false
	}
	first := t.First
	*t = ToolUpdate{First: first, Input: fields["rawInput"], Output: fields["rawOutput"]}
	for name, to := range map[string]any{"toolCallId": &t.ID, "name": &t.Name, "title": &t.Title, "kind": &t.Kind,
		"status": &t.Status, "content": &t.Content} {
		if err := json.Unmarshal(fields[name], to); err != nil {
			continue
		}
	}
	return true
}

// Text is what a tool call printed, as far as one message says it.
func (t *ToolUpdate) Text() string {
	var parts []string
	for _, c := range t.Content {
		switch {
		case c.Content.Text != "":
			parts = append(parts, c.Content.Text)
		case c.Type == "diff":
			parts = append(parts, "changed "+c.Path)
		}
	}
	return strings.Join(parts, "\n")
}
