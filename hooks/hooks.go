// Package hooks lets a recipe allow, deny, rewrite or halt before something
// happens, and add context after. A hook decides; it never watches.
package hooks

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"cookoff/sandbox"
)

// Point is a moment at which hooks are asked.
type Point string

// The moments of a trial.
const (
	SessionStart   Point = "session_start"   // the environment is staged, no model was called yet
	PrePrompt      Point = "pre_prompt"      // the task is about to be put to the model
	PostResponse   Point = "post_response"   // the model has replied, nothing was done about it yet
	PreToolUse     Point = "pre_tool_use"    // a call is about to be made
	PostToolUse    Point = "post_tool_use"   // a call was made, the model does not know its result yet
	ContextCompact Point = "context_compact" // a summary is about to take the place of what was said
	SubagentStart  Point = "subagent_start"  // a sub-agent is about to begin
	SubagentStop   Point = "subagent_stop"   // a sub-agent has answered
	PreVerify      Point = "pre_verify"      // the loop has ended, nothing is judged yet
	SessionEnd     Point = "session_end"     // the last moment in the trial's world
)

// point is what there is to know of a Point beside its name.
type point struct {
	Point
	claude  string // what Claude Code calls it; "": it has none
	matched string // what a matcher is held against; "": nothing
}

var points = []point{
	{SessionStart, "SessionStart", ""},
	{PrePrompt, "UserPromptSubmit", ""},
	{PostResponse, "", ""},
	{PreToolUse, "PreToolUse", "tool"},
	{PostToolUse, "PostToolUse", "tool"},
	{ContextCompact, "PreCompact", "trigger"},
	{SubagentStart, "SubagentStart", "mode"},
	{SubagentStop, "SubagentStop", "mode"},
	{PreVerify, "Stop", ""},
	{SessionEnd, "SessionEnd", ""},
}

// Points gives the names of all moments, in the order of a trial.
func Points() []string {
	var out []string
	for _, p := range points {
		out = append(out, string(p.Point))
	}
	return out
}

// Matched says what the matcher of a hook at p is held against: tool, trigger,
// mode, or "" for nothing.
func (p Point) Matched() string { return p.info().matched }

func (p Point) info() point {
	for _, known := range points {
		if known.Point == p {
			return known
		}
	}
	return point{Point: p}
}

// Event is what a hook is asked about. What does not belong to its Point is
// zero.
type Event struct {
	Point     Point
	Tool      string          // of pre_tool_use and post_tool_use
	CallID    string          // of these
	Args      json.RawMessage // of these: a JSON object
	Result    string          // of post_tool_use: what the model will see
	Prompt    string          // of pre_prompt and subagent_start: what is asked
	LastReply string          // of post_response, subagent_stop and pre_verify: what the model said last
	Calls     []Call          // of post_response: what it asks for
	Trigger   string          // of context_compact: auto, manual
	Stop      string          // of pre_verify and session_end: why the loop ended
	Agent     string          // the sub-agent that it is about, or happens in; "": the contestant
	Mode      string          // of subagent_start and subagent_stop
	Resumed   bool            // of session_start: the conversation of an earlier task goes on
	Again     bool            // of subagent_stop and pre_verify: a hook has sent it back to work before
	Sandbox   sandbox.Sandbox // the trial's world, where hook commands run
}

// Call is a call that a reply asks for.
type Call struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"` // null: they are no JSON
}

// Matches reports whether a hook with this matcher is asked about e: the name
// or a glob of the tool, trigger or mode, or several of them with | between.
func (e Event) Matches(matcher string) bool {
	subject := map[string]string{"tool": e.Tool, "trigger": e.Trigger, "mode": e.Mode}[e.Point.Matched()]
	return Match(matcher, subject)
}

// Match reports whether a name fits a matcher; "" fits everything.
func Match(matcher, name string) bool {
	if matcher == "" {
		return true
	}
	for p := range strings.SplitSeq(matcher, "|") {
		if ok, err := path.Match(strings.TrimSpace(p), name); err == nil && ok {
			return true
		}
	}
	return false
}

// Decision is a hook's answer. The zero Decision denies.
type Decision struct {
	Allow   bool
	Halt    bool            // end the loop now
	Reason  string          // told to the model when denied
	Args    json.RawMessage // of pre_tool_use: replaces the arguments when set
	Context string          // added to what the model sees next
}

// Hook decides. An error denies: hooks fail closed, and the trial is void.
type Hook interface {
	Decide(ctx context.Context, e Event) (Decision, error)
}
