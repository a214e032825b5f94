// Package hooks lets a recipe allow, deny, rewrite or halt before something
// happens, and add context after. A hook decides; it never watches.
package hooks

import (
	"context"
	"encoding/json"

	"cookoff/sandbox"
)

// Point is a moment at which hooks are asked.
type Point string

// The moments of a trial.
const (
	SessionStart Point = "session_start" // the environment is staged, no model was called yet
	PreToolUse   Point = "pre_tool_use"
	PostToolUse  Point = "post_tool_use"
	SessionEnd   Point = "session_end" // the loop has ended, nothing is sealed yet
)

// Event is what a hook is asked about.
type Event struct {
	Point   Point
	Tool    string          // of pre_tool_use and post_tool_use
	Args    json.RawMessage // a JSON object
	Result  string          // of post_tool_use: what the model will see
	Sandbox sandbox.Sandbox // the trial's world, where hook commands run
}

// Decision is a hook's answer. The zero Decision denies.
type Decision struct {
	Allow   bool
	Halt    bool            // end the loop now
	Reason  string          // told to the model when denied
	Args    json.RawMessage // replaces the arguments when set
	Context string          // added to what the model sees next
}

// Hook decides. An error denies: hooks fail closed, and the trial is void.
type Hook interface {
	Decide(ctx context.Context, e Event) (Decision, error)
}
