package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/contestant/gateway/document"
	"cookoff/model/wire"
)

// clientTools are how the kinds of tools begin that a client runs: others are left out,
// also where nobody here knows them.
var clientTools = []string{
	"function", "custom", "namespace", "local_shell", "shell", "apply_patch", "computer", "text_editor", "str_replace",
	"bash", "memory", "tool_search",
}

// toolNames are the members of a tool that are looked at.
var toolNames = document.Of("type", "name", "function", "environment", "tools", "functionDeclarations",
	"function_declarations")

// declarations are what Gemini calls the tools that a client runs.
var declarations = []string{"functionDeclarations", "function_declarations"}

// readTools finds the names of the tools, and leaves out those that the
// provider would run itself.
func (c *Call) readTools(all bool) error {
	if !all {
		for _, name := range leftOut {
			if raw := c.Doc.Value(name); !unset(raw) && string(document.Compacted(raw)) != "[]" {
				c.Dropped = append(c.Dropped, name)
				c.Doc.Remove(name)
			}
		}
	}
	if _, err := c.readList("functions", all); err != nil { // as chats had them once
		return err
	}
	cut, err := c.readList("tools", all)
	if cut != nil {
		c.Doc.Set("tools", cut)
	}
	return err
}

// readList reads a list of tools. cut is what is left of it where some are left out.
func (c *Call) readList(member string, all bool) (cut []byte, err error) {
	raw := c.Doc.Value(member)
	if unset(raw) {
		return nil, nil
	}
	var each []json.RawMessage
	if json.Unmarshal(raw, &each) != nil {
		return nil, fmt.Errorf("%s is no list", member)
	}
	kept, before := each[:0:0], len(c.Dropped)
	for _, one := range each {
		doc, err := document.Open(one, toolNames)
		if err != nil {
			return nil, fmt.Errorf("%s holds what is no tool: %w", member, err)
		}
		if what := serverRun(c.Dialect, doc, one); what != "" && !all {
			c.Dropped = append(c.Dropped, what)
			if one = clientPart(c.Dialect, doc, one); one == nil {
				continue
			}
		}
		kept = append(kept, one)
		c.Tools = append(c.Tools, toolNamesOf(doc)...)
	}
	if len(c.Dropped) == before {
		return nil, nil
	}
	return joined(kept), nil
}

// serverRun names a tool that the provider would run itself; "" is none.
func serverRun(d wire.Dialect, tool *document.Document, raw json.RawMessage) string {
	if d == wire.Gemini {
		parts := members(raw)
		for _, name := range declarations {
			delete(parts, name)
		}
		return strings.Join(slices.Sorted(maps.Keys(parts)), ", ")
	}
	kind, ok := tool.Text("type")
	if !ok {
		return "unknown"
	}
	if !isClientTool(kind) {
		return kind
	}
	if kind == "shell" && !local(tool.Value("environment")) {
		return kind
	}
	return ""
}

// isClientTool reports whether the client runs the tools of a kind, not the provider. Those
// without a kind are the client's.
func isClientTool(kind string) bool {
	kind = strings.ToLower(kind)
	return kind == "" || slices.ContainsFunc(clientTools,
		func(begin string) bool { return strings.HasPrefix(kind, begin) })
}

// local reports whether a shell's environment is the client's own.
func local(raw json.RawMessage) bool {
	if unset(raw) {
		return true
	}
	doc, err := document.Open(raw, toolNames)
	if err != nil {
		return false
	}
	kind, ok := doc.Text("type")
	return ok && (kind == "" || kind == "local")
}

// clientPart is what remains of such a tool; nil: nothing.
func clientPart(d wire.Dialect, tool *document.Document, raw json.RawMessage) json.RawMessage {
	if d != wire.Gemini {
		return nil
	}
	some := false
	for name := range members(raw) {
		if slices.Contains(declarations, name) {
			some = true
		} else {
			tool.Remove(name)
		}
	}
	if !some {
		return nil
	}
	return tool.Bytes()
}

func members(raw json.RawMessage) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &m) // it is an object
	return m
}

// toolNamesOf gives what a tool, or the tools of Gemini's one, are called.
func toolNamesOf(tool *document.Document) (names []string) {
	for _, list := range declarations {
		var each []struct {
			Name string `json:"name"`
		}
		document.DecodeInto(tool.Value(list), &each)
		for _, e := range each {
			names = append(names, e.Name)
		}
	}
	if len(names) > 0 {
		return names
	}
	var function struct {
		Name string `json:"name"`
	}
	document.DecodeInto(tool.Value("function"), &function)
	name, _ := tool.Text("name")
	kind, _ := tool.Text("type")
	for _, n := range []string{function.Name, name, kind} {
		if n != "" {
			return []string{n}
		}
	}
	return nil
}

func joined(each []json.RawMessage) []byte {
	out := []byte{'['}
	for i, one := range each {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, one...)
	}
	return append(out, ']')
}

// errNested says of a tool within something else that it is not taken.
var errNested = errors.New("a tool that the provider runs itself is not taken here, least of all within something else")
