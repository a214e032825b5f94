// Package mcp offers the tools of MCP servers. A stdio server runs inside the
// trial's sandbox, like everything else that a recipe brings; only one that is
// reached over HTTP is asked from the host. What a server offers is frozen for
// a run: the tools that one model had are those that every model has.
package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"cookoff/internal/hint"
	"cookoff/internal/pattern"
	"cookoff/model"
)

// Limits of what a server may do.
const (
	startTime   = 10 * time.Second // to start, and to list its tools
	maxFrame    = 8 << 20          // bytes of one message
	maxTotal    = 256 << 20        // bytes of all messages of a server
	maxMessages = 200_000
	maxTools    = 256
	maxPages    = 64
	maxDoc      = 16 << 10 // bytes of a tool's description
)

// Server is an MCP server of a recipe.
type Server struct {
	Name    string
	Command string // a command line for bash, run in the sandbox; "" when URL is set
	URL     string // an http or https address, asked from the host
	// Middleware stands before each request to URL, and may answer in its place; nil:
	// nothing does. Offline: it always does, and nothing is sent.
	Middleware func(next Round) Round
	Offline    bool
}

// Round makes one request of a server. What it gives is the response as
// JSON-RPC has it: an object with a result or an error.
type Round = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// ParseServer reads an entry of the section MCP Servers.
func ParseServer(name, entry string) (Server, error) {
	entry = strings.TrimSpace(entry)
	switch scheme, _, ok := strings.Cut(entry, "://"); {
	case !serverName.MatchString(name):
		return Server{}, hint.New("use letters, digits, - and _", "%q is no name of an MCP server", name)
	case entry == "":
		return Server{}, fmt.Errorf("the MCP server %q has no command", name)
	case !ok || strings.ContainsAny(scheme, " /"):
		return Server{Name: name, Command: entry}, nil
	case scheme != "http" && scheme != "https":
		return Server{}, fmt.Errorf("the MCP server %q has an address of the scheme %q, want https or http", name,
			scheme)
	}
	u, err := url.Parse(entry)
	if err != nil || u.Host == "" || u.User != nil {
		return Server{}, fmt.Errorf("the MCP server %q has an address that can't be used; it holds a host, "+
			"and no password",
			name)
	}
	return Server{Name: name, URL: entry}, nil
}

var serverName = pattern.New(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// Tool is a tool as its server told it. The recipe calls it Server.Name; on
// the wire it has the name of its Spec.
type Tool struct {
	Server string
	Name   string
	Spec   model.ToolSpec
}

// FullName is how recipes name the tool.
func (t Tool) FullName() string { return t.Server + "." + t.Name }

// List is what a server offers, sorted by name.
type List struct {
	Tools  []Tool
	Digest string // SHA-256 of names, descriptions and schemas, hex
}

// ChangedError says that a server does not offer what it did when the run
// began.
type ChangedError struct{ Server, Detail string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the MCP server %q does not offer the tools that the run began with: %s", e.Server, e.Detail)
}

// StartError says that a server can't be started, or does not tell its tools.
type StartError struct {
	Server string
	Err    error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("starting the MCP server %q: %v", e.Server, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// rawTool is a tool in the answer to tools/list. Its schema is kept as the
// server wrote it.
type rawTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// digest of a list: what a model is told of it.
func digest(ts []Tool) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, t := range ts {
		_ = enc.Encode([]any{t.Name, t.Spec.Description, json.RawMessage(t.Spec.Parameters)}) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

// schema checks a schema and gives it in one canonical form: servers that keep
// it in a hash map write it in another order each time.
func schema(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage(`{"properties":{},"type":"object"}`), nil
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber() // numbers stay as they are written
	var v map[string]any
	if err := dec.Decode(&v); err != nil || v == nil || !json.Valid(raw) {
		return nil, errors.New("its schema is no JSON object")
	}
	if _, ok := v["type"]; !ok {
		v["type"] = "object"
	}
	if v["type"] != "object" {
		return nil, errors.New("its schema is not one of an object")
	}
	return json.Marshal(v)
}

// maxName is the longest name of a function that every provider takes.
const maxName = 64

var unsafeChars = pattern.New(`[^A-Za-z0-9_-]`)

// wireName is the name of a tool on the wire: providers take letters, digits,
// - and _ alone. What that changes or shortens gets a mark of its own.
func wireName(server, tool string) string {
	name := server + "__" + unsafeChars.ReplaceAllString(tool, "_")
	if len(name) <= maxName && name == server+"__"+tool {
		return name
	}
	sum := sha256.Sum256([]byte(server + "." + tool))
	mark := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxName-len(mark))] + mark
}
