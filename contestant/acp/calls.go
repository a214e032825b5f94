package acp

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Bounds of what is kept of tool calls.
const (
	maxCalls = 10_000    // in one conversation
	maxText  = 256 << 10 // bytes of what one printed
	maxArgs  = 256 << 10 // bytes of what one was asked
	maxAll   = 64 << 20  // bytes of both, of all together
	maxName  = 200       // bytes of an id, or of a name
	maxTitle = 2 << 10   // bytes
)

// Call is a tool call, merged of all that was said about it.
type Call struct {
	ID     string
	Name   string // of the tool, else the sort of call: execute, read, edit, …
	Args   json.RawMessage
	Text   string // what it printed
	Cut    int64  // bytes of that which are left out
	Failed bool
	Told   bool // the agent said how it ended

	title, kind, status string
	printed, streamed   string
	output              json.RawMessage
	started, ended      bool
}

// Calls merges what an agent says about its tool calls, by their ids, whatever
// mentions one first. It is not safe for concurrent use.
type Calls struct {
	Began func(*Call) // once for each, as soon as its arguments are known
	Ended func(*Call) // once for each, after Began
	Left  int         // calls beyond those that are kept
	byID  map[string]*Call
	order []*Call
	kept  int // bytes
}

// Take takes what one message says.
func (cs *Calls) Take(t *ToolUpdate) {
	id := named(t.ID)
	c := cs.byID[id]
	if c == nil {
		if len(cs.order) >= maxCalls {
			cs.Left++
			return
		}
		c = &Call{ID: id}
		if cs.byID == nil {
			cs.byID = map[string]*Call{}
		}
		cs.byID[id] = c
		cs.order = append(cs.order, c)
	}
	if c.ended { // some say more about what is over
		return
	}
	c.merge(t, maxAll-cs.kept)
	// A first mention may have no arguments yet, or some of them.
	known := t.Asked || c.status == "in_progress" || !t.First && filled(t.Input) || c.over()
	if known && !c.started {
		cs.begin(c)
	}
	if c.over() {
		c.Told = true
		cs.end(c)
	}
}

// Close ends what has no end.
func (cs *Calls) Close() {
	for _, c := range cs.order {
		if !c.started {
			cs.begin(c)
		}
		if !c.ended {
			cs.end(c)
		}
	}
}

func (cs *Calls) begin(c *Call) {
	c.started = true
	c.Name = cmp.Or(c.Name, c.kind, "other")
	if !filled(c.Args) {
		c.Args = titled(c.title)
	}
	cs.kept += len(c.Args)
	cs.Began(c)
	c.Args, c.title = nil, ""
}

func (cs *Calls) end(c *Call) {
	c.ended = true
	c.Text = cmp.Or(c.printed, c.streamed, outputText(c.output))
	if n := len(c.Text) - max(min(maxText, maxAll-cs.kept), 0); n > 0 {
		c.Text, c.Cut = strings.Clone(c.Text[:len(c.Text)-n]), c.Cut+int64(n)
	}
	cs.kept += len(c.Text)
	if !c.Told {
		c.Failed = true
		c.Text = cmp.Or(c.Text, "the agent did not say what came of it")
	}
	cs.Ended(c)
	c.printed, c.streamed, c.output, c.Text = "", "", nil, ""
}

// titled makes arguments of what a call is called, where that is all there is.
func titled(title string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(map[string]string{"title": title}) // of strings: never fails
	return bytes.TrimSpace(b.Bytes())
}

func (c *Call) over() bool { return c.status == "completed" || c.status == "failed" }

// merge takes what one message says. Of all calls so many bytes more are kept.
func (c *Call) merge(t *ToolUpdate, room int) {
	c.Name = cmp.Or(c.Name, named(cmp.Or(t.Name, t.Meta.ToolName, t.Meta.Claude.ToolName)))
	c.kind = cmp.Or(named(t.Kind), c.kind)
	c.status = cmp.Or(named(t.Status), c.status)
	if !c.started {
		c.title = cmp.Or(clip(t.Title, maxTitle), c.title)
	}
	if filled(t.Input) && !c.started {
		if c.Args = slices.Clone(t.Input); len(c.Args) > min(maxArgs, room) {
			c.Args = titled(fmt.Sprintf("%s (arguments of %d bytes are left out)", c.title, len(t.Input)))
		}
	}
	if filled(t.Output) {
		c.output = clipped(t.Output)
	}
	if text := t.Text(); text != "" {
		c.printed, c.Cut = text, 0
		if n := len(text) - maxText; n > 0 {
			c.printed, c.Cut = strings.Clone(text[:maxText]), int64(n)
		}
	}
	if d := t.Meta.Delta.Data; d != "" {
		if room := maxText - len(c.streamed); len(d) > room {
			c.Cut += int64(len(d) - room)
			d = d[:room]
		}
		c.streamed += d
	}
	code := t.Meta.Exit.Code
	if code == nil {
		code = exitOf(t.Output)
	}
	c.Failed = c.status == "failed" || c.Failed || code != nil && *code != 0
}

// named is an id or a name at no more than maxName: of a longer one the beginning, and
// what tells it from others.
func named(s string) string {
	if len(s) <= maxName {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return strings.ToValidUTF8(s[:maxName-20], "") + "…" + hex.EncodeToString(sum[:8])
}

// clipped is an output that is not kept at any length: where it is too long, as text.
func clipped(raw json.RawMessage) json.RawMessage {
	if len(raw) <= 2*maxText {
		return slices.Clone(raw)
	}
	text, _ := json.Marshal(clip(outputText(raw), maxText)) // a string always marshals
	return text
}

// filled reports whether JSON says something.
func filled(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}", `""`, "[]":
		return false
	}
	return true
}

// exitOf is the exit status in a raw output, where that has one.
func exitOf(raw json.RawMessage) *int {
	var o struct {
		Metadata struct {
			Exit *int `json:"exit"`
		} `json:"metadata"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o.Metadata.Exit
}

// outputText is a raw output in words.
func outputText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct {
		Output string `json:"output"`
	}
	if json.Unmarshal(raw, &o) == nil && o.Output != "" {
		return o.Output
	}
	return string(raw)
}
