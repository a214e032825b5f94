// Package acp speaks the Agent Client Protocol, version 1, with a program that works
// on a task: JSON-RPC messages, one a line, over its standard streams. It expects
// agents as they are, not as the protocol wants them: see Client.
package acp

import (
	"encoding/json"
	"fmt"
)

// Version is the version of the protocol that is spoken.
const Version = 1

// Bounds of what an agent may say.
const (
	MaxLine  = 16 << 20 // bytes of one message
	maxNoise = 64 << 20 // bytes of lines that are no messages, together
	// MaxOutput is how much an agent may say together, in bytes: to read it takes a
	// processor that others need.
	MaxOutput = 512 << 20
)

// Agent is what an agent says of itself.
type Agent struct {
	Version int `json:"protocolVersion"`
	Info    struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"agentInfo"`
	Capabilities struct {
		MCP struct {
			HTTP bool `json:"http"`
			SSE  bool `json:"sse"`
		} `json:"mcpCapabilities"`
	} `json:"agentCapabilities"`
	Auth []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"authMethods"`
}

// Session is a conversation with an agent.
type Session struct {
	ID    string `json:"sessionId"`
	Modes struct {
		Current   string `json:"currentModeId"`
		Available []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
}

// HasMode reports whether the agent offers a mode.
func (s Session) HasMode(id string) bool {
	for _, m := range s.Modes.Available {
		if m.ID == id {
			return true
		}
	}
	return false
}

// Stop is why an agent says that it is done with a prompt.
type Stop string

// The reasons of the protocol; an agent may give others.
const (
	EndTurn   Stop = "end_turn"
	MaxTokens Stop = "max_tokens"
	MaxTurns  Stop = "max_turn_requests"
	Refusal   Stop = "refusal"
	Cancelled Stop = "cancelled"
)

// Server is an MCP server that an agent is to use: a command, or a URL.
type Server struct {
	Name    string   `json:"name"`
	Type    string   `json:"type,omitempty"` // http; "": a command
	URL     string   `json:"url,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args"`
	Env     []Pair   `json:"env"`
	Headers []Pair   `json:"headers,omitempty"`
}

// Pair is a variable or a header.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// MarshalJSON leaves out what the sort of server does not have.
func (s Server) MarshalJSON() ([]byte, error) {
	if s.Type != "" {
		return json.Marshal(struct {
			Name    string `json:"name"`
			Type    string `json:"type"`
			URL     string `json:"url"`
			Headers []Pair `json:"headers"`
		}{s.Name, s.Type, s.URL, some(s.Headers)})
	}
	return json.Marshal(struct {
		Name    string   `json:"name"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Env     []Pair   `json:"env"`
	}{s.Name, s.Command, some(s.Args), some(s.Env)})
}

// some is a list that is never null.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Codes of errors that have a meaning here.
const (
	codeMethodNotFound = -32601
	codeAuthRequired   = -32000
)

// RPCError is an error that the agent answered with.
type RPCError struct {
	Method  string          `json:"-"`
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *RPCError) Error() string {
	text := fmt.Sprintf("the agent answered %s with error %d: %s", e.Method, e.Code, clip(e.Message, 500))
	if len(e.Data) > 0 && string(e.Data) != "null" {
		text += " " + clip(string(e.Data), 500)
	}
	return text
}

// Login reports whether the agent wants somebody to log in.
func (e *RPCError) Login() bool { return e.Code == codeAuthRequired }

// GoneError says that the agent speaks no more: it closed its output, it broke the
// protocol beyond use, or it reads nothing.
type GoneError struct{ Why string }

func (e *GoneError) Error() string { return e.Why }

// VersionError says that the agent speaks another version of the protocol.
type VersionError struct{ Theirs int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("the agent speaks version %d of the protocol, and cookoff %d", e.Theirs, Version)
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
