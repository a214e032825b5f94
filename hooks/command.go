package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"cookoff/sandbox"
)

// Points gives the names of all moments, in the order of a trial.
func Points() []string {
	return []string{string(SessionStart), string(PreToolUse), string(PostToolUse), string(SessionEnd)}
}

// CommandConfig describes a hook that is a shell command.
type CommandConfig struct {
	Name         string
	Command      string
	Timeout      time.Duration
	InjectOutput bool // plain output is added to what the model sees next
}

// NewCommand makes a hook of a command. It runs in the trial's own world, so
// it can do no more than the model can, and is given the event as a JSON
// object on its standard input: {"event", "tool", "args", "result"}.
//
// Exit status 0 allows, unless standard output is a JSON object that says
// otherwise: {"decision": "allow|deny|halt", "reason", "args", "context"}.
// Exit status 2 denies, standard error says why. Anything else is an error.
func NewCommand(c CommandConfig) Hook { return command{c} }

type command struct{ CommandConfig }

type answer struct {
	Decision string          `json:"decision"`
	Reason   string          `json:"reason"`
	Args     json.RawMessage `json:"args"`
	Context  string          `json:"context"`
}

// Decide runs the command.
func (c command) Decide(ctx context.Context, e Event) (Decision, error) {
	input, err := json.Marshal(map[string]any{"event": e.Point, "tool": e.Tool, "args": e.Args, "result": e.Result})
	if err != nil {
		return Decision{}, fmt.Errorf("describing the event: %w", err)
	}
	res, err := e.Sandbox.Exec(ctx, sandbox.Cmd{Script: c.Command, Stdin: input, Timeout: c.Timeout})
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
		return Decision{}, fmt.Errorf("exit status %d: 0 allows, 2 denies", res.Exit)
	}
	out := bytes.TrimSpace(res.Stdout)
	if res.Cut > 0 && len(out) > 0 && out[0] == '{' {
		return Decision{}, fmt.Errorf("its output is too long: %d bytes of the decision are missing", res.Cut)
	}
	return c.read(out)
}

// read makes a decision of what a command that exited 0 printed.
func (c command) read(out []byte) (Decision, error) {
	if len(out) == 0 || out[0] != '{' {
		d := Decision{Allow: true}
		if c.InjectOutput {
			d.Context = string(out)
		}
		return d, nil
	}
	var a answer
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return Decision{}, fmt.Errorf("its output is no decision: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Decision{}, fmt.Errorf("its output is no decision: more follows the JSON object")
	}
	d := Decision{Reason: a.Reason, Args: a.Args, Context: a.Context}
	switch a.Decision {
	case "", "allow":
		d.Allow = true
	case "deny":
	case "halt":
		d.Halt = true
	default:
		return Decision{}, fmt.Errorf("its decision is %q; allowed: allow, deny, halt", a.Decision)
	}
	if a.Args != nil && (len(a.Args) == 0 || a.Args[0] != '{') {
		return Decision{}, fmt.Errorf("its args are no JSON object")
	}
	return d, nil
}
