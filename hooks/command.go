package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cookoff/sandbox"
)

// CommandConfig describes a hook that is a shell command.
type CommandConfig struct {
	Name         string
	Command      string
	Timeout      time.Duration
	InjectOutput bool // plain output is added to what the model sees next
}

// NewCommand makes a hook of a command. It runs in the trial's own world, so
// it can do no more than the model can, and is given the event as a JSON
// object on its standard input.
//
// Exit status 0 allows, unless standard output is a JSON object that says
// otherwise: {"decision": "allow|deny|halt", "reason", "arguments", "context"},
// or what Claude Code takes in its place. Exit status 2 denies, standard error
// says why. Anything else is an error.
func NewCommand(c CommandConfig) Hook { return command{c} }

type command struct{ CommandConfig }

// project is where a trial's project lies in its world.
const project = "/work"

// Decide runs the command.
func (c command) Decide(ctx context.Context, e Event) (Decision, error) {
	input, err := describe(e)
	if err != nil {
		return Decision{}, fmt.Errorf("describing the event: %w", err)
	}
	res, err := e.Sandbox.Exec(ctx, sandbox.Cmd{Script: c.Command, Stdin: input, Timeout: c.Timeout,
		Env: []string{"CLAUDE_PROJECT_DIR=" + project}})
	switch {
	case err != nil:
		return Decision{}, err
	case res.Reason != "":
		return Decision{}, fmt.Errorf("the command was ended: %s", res.Reason)
	case res.Signal != "":
		return Decision{}, fmt.Errorf("the command was killed by %s", res.Signal)
	case res.Exit == 2:
		return Decision{Reason: strings.TrimSpace(string(res.Stderr))}, nil
	case res.Exit != 0:
		return Decision{}, fmt.Errorf("exit status %d: 0 allows, 2 denies%s", res.Exit, lastWords(res.Stderr))
	}
	out := bytes.TrimSpace(res.Stdout)
	if len(out) > 0 && out[0] == '{' {
		if res.Cut > 0 {
			return Decision{}, fmt.Errorf("its output is too long: %d bytes of the decision are missing", res.Cut)
		}
		return read(e.Point, out)
	}
	d := Decision{Allow: true}
	if c.InjectOutput {
		d.Context = string(out)
	}
	return d, nil
}

// maxLastWords is how many bytes of what a broken command wrote are told.
const maxLastWords = 200

// lastWords gives the last line of standard error, which most often says what
// broke.
func lastWords(stderr []byte) string {
	line := bytes.TrimSpace(stderr)
	line = bytes.TrimSpace(line[bytes.LastIndexByte(line, '\n')+1:])
	if len(line) == 0 {
		return ""
	}
	return fmt.Sprintf("; it wrote %q", line[:min(len(line), maxLastWords)])
}

// input is an event as a command reads it: our own words, then those of Claude
// Code, so that scripts written for it find what they look for.
type input struct {
	Event     Point           `json:"event"`
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	Result    string          `json:"result"`
	LastReply string          `json:"said,omitempty"`
	Calls     []Call          `json:"calls,omitempty"`
	Mode      string          `json:"mode,omitempty"`
	Stop      string          `json:"stop,omitempty"`
	Prompt    string          `json:"prompt,omitempty"`
	Trigger   string          `json:"trigger,omitempty"`

	Name        string          `json:"hook_event_name"`
	Session     string          `json:"session_id"`
	Dir         string          `json:"cwd"`
	ToolName    string          `json:"tool_name,omitempty"`
	ToolInput   json.RawMessage `json:"tool_input,omitempty"`
	ToolUseID   string          `json:"tool_use_id,omitempty"`
	Response    string          `json:"tool_response,omitempty"`
	Source      string          `json:"source,omitempty"`
	Reason      string          `json:"reason,omitempty"`
	AgentID     string          `json:"agent_id,omitempty"`
	AgentType   string          `json:"agent_type,omitempty"`
	LastMessage string          `json:"last_assistant_message,omitempty"`
	Active      *bool           `json:"stop_hook_active,omitempty"`
}

// describe writes an event. Which model is at work is not in it: a hook is to
// treat all alike.
func describe(e Event) ([]byte, error) {
	in := input{Event: e.Point, Tool: e.Tool, Args: e.Args, Result: e.Result, LastReply: e.LastReply,
		Calls: e.Calls, Mode: e.Mode, Stop: e.Stop,
		Prompt: e.Prompt, Trigger: e.Trigger, Name: e.Point.info().claude, Session: "trial", Dir: project,
		ToolName: e.Tool, ToolInput: e.Args, ToolUseID: e.CallID, Response: e.Result, AgentID: e.Agent}
	if in.Name == "" {
		in.Name = string(e.Point)
	}
	switch e.Point {
	case SessionStart:
		if in.Source = "startup"; e.Resumed {
			in.Source = "resume"
		}
	case SubagentStart, SubagentStop:
		in.AgentType = e.Mode
	case SessionEnd:
		in.Reason = e.Stop
	}
	if e.Point == SubagentStop || e.Point == PreVerify {
		in.LastMessage, in.Active = e.LastReply, &e.Again
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // commands may look for && without reading JSON
	err := enc.Encode(in)
	return b.Bytes(), err
}
