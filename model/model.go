// Package model is the one way to talk to a language model: messages, tool
// specs, usage, prices, and errors by kind.
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Chat is one model. It is safe for concurrent use and keeps no conversation.
type Chat interface {
	// Generate asks for the next message. It makes one attempt: waiting and
	// trying again is the caller's. Errors: *RetryError when a later attempt
	// may succeed, *ContextError when the conversation is too long,
	// *RefusedError when the provider declined the content, *AuthError when
	// the key is missing or rejected; any other error is final for this
	// request. No error text contains a key.
	Generate(ctx context.Context, req *Request) (*Reply, error)
}

// Streamer is a Chat that can show text as it arrives. onText is called with
// each piece, from the calling goroutine.
type Streamer interface {
	GenerateStream(ctx context.Context, req *Request, onText func(string)) (*Reply, error)
}

// TrialID names a trial to a Chat that tells them apart.
type TrialID struct {
	Task    string
	N       int // which repeat of the task, from 1
	Attempt int // at the trial, from 1
}

// PerTrial is a Chat that is another for each trial: one that records, or one
// that plays a recording.
type PerTrial interface {
	Chat
	// ForTrial gives the chat of one attempt at a trial.
	ForTrial(t TrialID) Chat
}

// Traits are what is known of a model before it is asked. The zero Traits say
// nothing.
type Traits struct {
	// ToolFormat is how it can be offered tools: native, function_calling,
	// text_in_prompt; "": nobody knows.
	ToolFormat string `json:"tool_format,omitempty"`
	// Omit are the names of parameters that it does not take.
	Omit []string `json:"omit,omitempty"`
}

// Known is a Chat of which something is known.
type Known interface {
	Chat
	Traits() Traits
}

// TraitsOf gives what is known of a chat.
func TraitsOf(c Chat) Traits {
	if k, ok := c.(Known); ok {
		return k.Traits()
	}
	return Traits{}
}

// Tools is what an UnsupportedError calls the tools of a request.
const Tools = "tools"

// UnsupportedError says that the endpoint, or the model, does not take a part
// of the request: Tools, or the name of a parameter. The request may be made
// again without it.
type UnsupportedError struct {
	What  string
	Value bool // it is the parameter's value that is not taken: another one may be
	Err   error
}

func (e *UnsupportedError) Error() string { return e.Err.Error() }
func (e *UnsupportedError) Unwrap() error { return e.Err }

// Role says who speaks.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one turn of a conversation.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content,omitempty"`
	Calls   []Call `json:"calls,omitempty"`   // of an assistant
	CallID  string `json:"call_id,omitempty"` // of a tool result: which call it answers
	Name    string `json:"name,omitempty"`    // of a tool result: the tool
	// Reasoning of an assistant, where the provider wants it back.
	Reasoning string `json:"reasoning,omitempty"`
	// Kept is what the provider wants back of an assistant's turn as it came, in
	// the form of its dialect: what the model thought, signed or encrypted.
	Kept json.RawMessage `json:"kept,omitempty"`
}

// Call is a tool call as the model wrote it; Arguments may be no valid JSON.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// ToolSpec is what a model is told of a tool. Parameters is a JSON Schema of
// an object.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Params are sampling parameters; nil and "" are not sent.
type Params struct {
	Temperature       *float64 `json:"temperature,omitempty"`
	TopP              *float64 `json:"top_p,omitempty"`
	MaxTokens         *int     `json:"max_tokens,omitempty"`
	Seed              *int64   `json:"seed,omitempty"`
	ReasoningEffort   string   `json:"reasoning_effort,omitempty"`
	ParallelToolCalls *bool    `json:"parallel_tool_calls,omitempty"`
}

// ParamNames gives the names of all parameters.
func ParamNames() []string {
	return []string{"temperature", "top_p", "max_tokens", "seed", "reasoning_effort", "parallel_tool_calls"}
}

// Without gives the parameters without those named; had reports whether any of
// them was set.
func (p Params) Without(names ...string) (out Params, had bool) {
	out = p
	for _, name := range names {
		switch name {
		case "temperature":
			out.Temperature = nil
		case "top_p":
			out.TopP = nil
		case "max_tokens":
			out.MaxTokens = nil
		case "seed":
			out.Seed = nil
		case "reasoning_effort":
			out.ReasoningEffort = ""
		case "parallel_tool_calls":
			out.ParallelToolCalls = nil
		}
	}
	return out, out != p
}

// Request is one call of a model: the whole conversation and the tools.
type Request struct {
	Messages []Message  `json:"messages"`
	Tools    []ToolSpec `json:"tools,omitempty"`
	Params   Params     `json:"params"`
	// Functions offers the tools through the older functions field, for
	// servers that know no other: a reply then holds one call at most.
	Functions bool `json:"functions,omitempty"`
	// Key names the request where it may be made twice, to providers that know
	// keys of requests; "": it has none.
	Key string `json:"-"`
	// Wire lets a Chat keep what it encoded of the conversation; nil: nothing
	// is kept.
	Wire *Wire `json:"-"`
}

// Wire is what a Chat has encoded of a conversation, so that a long one is not
// encoded anew with every request. It belongs to one conversation with one
// Chat, whose messages, once sent, stay as they are: whoever changes one
// begins with a new Wire.
type Wire struct {
	Bytes    []byte
	Messages int // that Bytes holds
}

// Finish says why a reply ended.
type Finish string

// Reasons a reply ended, as providers report them.
const (
	FinishStop    Finish = "stop"
	FinishCalls   Finish = "tool_calls"
	FinishLength  Finish = "length"
	FinishFilter  Finish = "content_filter"
	FinishUnknown Finish = ""
)

// Reply is what a model answered. Message.Role is Assistant.
type Reply struct {
	Message Message `json:"message"`
	Finish  Finish  `json:"finish,omitempty"`
	Usage   Usage   `json:"usage"`
	Served  string  `json:"served,omitempty"` // the model the provider says it used
	// Notes say what of the reply was left out or mended, for people.
	Notes []string `json:"notes,omitempty"`
}

// Usage counts tokens. Input includes Cached, those read from a cache, and
// those written to one, to stay for five minutes or an hour; Output includes
// Reasoning. Known is false when the provider reported none: unknown is not zero.
type Usage struct {
	Input        int  `json:"input"`
	Output       int  `json:"output"`
	Cached       int  `json:"cached,omitempty"`
	CacheWrite5m int  `json:"cache_write_5m,omitempty"`
	CacheWrite1h int  `json:"cache_write_1h,omitempty"`
	Reasoning    int  `json:"reasoning,omitempty"`
	Known        bool `json:"known"`
}

// Add sums two usages; the sum is known only if both are.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output, Cached: u.Cached + v.Cached,
		Reasoning:    u.Reasoning + v.Reasoning,
		CacheWrite5m: u.CacheWrite5m + v.CacheWrite5m, CacheWrite1h: u.CacheWrite1h + v.CacheWrite1h, Known: u.Known &&
			v.Known,
	}
}

// mostTokens is more than any request or reply has.
const mostTokens = 1 << 27

// Plausible reports whether the numbers can be true: no part is larger than
// the whole, and that no larger than any can be.
func (u Usage) Plausible() bool {
	if max(u.Input, u.Output, u.Cached, u.CacheWrite5m, u.CacheWrite1h) > mostTokens {
		return false
	}
	return u.Cached >= 0 && u.CacheWrite5m >= 0 && u.CacheWrite1h >= 0 && u.Reasoning >= 0 && u.Output >= 0 &&
		u.Cached+u.CacheWrite5m+u.CacheWrite1h <= u.Input && u.Reasoning <= u.Output
}

// RetryError is a fault of the provider or the way to it; a later attempt may
// succeed. After is how long the provider asked to wait, 0 when it did not say.
// Busy: the provider says that it is asked too much at once. Partial: the reply
// broke off, so that it may have to be paid for; nobody says how much. Arrived
// is how many bytes of what the model wrote had come. Down: the provider could not
// be reached, or says that it is out of service, whoever asks. Idle: the caller's time
// ran out, and all that had come of a stream was what keeps a connection open, or the reply
// had stalled in the middle. Page: a
// page for people came in the place of a reply, with a status that says that all is well.
type RetryError struct {
	After   time.Duration
	Busy    bool
	Down    bool
	Partial bool
	Arrived int
	Idle    bool
	Page    bool
	Trouble Trouble // where it is Down, and one knows
	Err     error
}

func (e *RetryError) Error() string { return e.Err.Error() }
func (e *RetryError) Unwrap() error { return e.Err }

// ContextError says that the conversation does not fit the model.
type ContextError struct{ Err error }

func (e *ContextError) Error() string { return fmt.Sprintf("conversation too long: %v", e.Err) }
func (e *ContextError) Unwrap() error { return e.Err }

// RefusedError says that the provider declined to answer this content. Usage
// is what the refusal cost.
type RefusedError struct {
	Reason string
	Usage  Usage
}

func (e *RefusedError) Error() string { return "refused by the provider: " + e.Reason }

// AuthError says that the key is missing or was rejected; Env names the
// variable it was read from. It is final for every trial of the provider.
type AuthError struct {
	Env string
	Err error
}

func (e *AuthError) Error() string { return e.Err.Error() }
func (e *AuthError) Unwrap() error { return e.Err }

// NotFoundError says that the endpoint knows no such model, or is none: asked
// again it would say the same.
type NotFoundError struct{ Err error }

func (e *NotFoundError) Error() string { return e.Err.Error() }
func (e *NotFoundError) Unwrap() error { return e.Err }
