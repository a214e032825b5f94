// Package tools is what a model may do: typed functions that act only through
// a sandbox.
package tools

import (
	"context"
	"encoding/json"

	"cookoff/model"
	"cookoff/sandbox"
)

// Tool is one thing a model may do. It is safe for concurrent use.
type Tool interface {
	// Spec is what a model is told.
	Spec() model.ToolSpec
	// Call does it. args is a JSON object. A *CallError is the model's
	// mistake and goes back to it; any other error voids the trial.
	Call(ctx context.Context, sb sandbox.Sandbox, args json.RawMessage) (Result, error)
}

// Result is what a call gives the model.
type Result struct {
	Text    string // safe UTF-8, without control characters
	Failed  bool   // the thing itself went wrong: a command exited non-zero
	Refused bool   // the call was not made
	Cut     int64  // bytes of output left out
	Wrote   bool   // the call may have changed files
}

// CallError is a call that can't be made as asked, in words for the model.
type CallError struct {
	Reason string
	Kind   ErrorKind
	// Of ClassRefused, where a person may still allow it: the class, and what
	// would be run.
	Class, Command string
}

// Permitter is a Tool of which a person may allow more than the recipe does.
type Permitter interface {
	Tool
	// Permit gives the tool with one more class of repairs that may run.
	Permit(class string) Tool
}

// ErrorKind says which counter a CallError belongs to.
type ErrorKind string

// Kinds of call errors: the arguments don't fit, the request failed, the class
// of the repair may not run.
const (
	BadArguments ErrorKind = "arguments"
	ToolFailed   ErrorKind = "tool"
	ClassRefused ErrorKind = "class"
)

func (e *CallError) Error() string { return e.Reason }
