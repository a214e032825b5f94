package hooks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// answer is a decision as a command prints it: in our words, or in those of
// Claude Code.
type answer struct {
	Decision  string          `json:"decision"`
	Reason    string          `json:"reason"`
	Args      json.RawMessage `json:"args"`
	Arguments json.RawMessage `json:"arguments"`
	Context   string          `json:"context"`

	Continue       *bool     `json:"continue"`
	StopReason     string    `json:"stopReason"`
	SystemMessage  string    `json:"systemMessage"`
	SuppressOutput bool      `json:"suppressOutput"` // there is no screen that shows it
	Specific       *specific `json:"hookSpecificOutput"`
}

type specific struct {
	Event        string          `json:"hookEventName"`
	Decision     string          `json:"permissionDecision"`
	Reason       string          `json:"permissionDecisionReason"`
	UpdatedInput json.RawMessage `json:"updatedInput"`
	Context      string          `json:"additionalContext"`
}

// read makes a decision of the JSON object that a command printed. Whatever is
// not understood is an error: it may have meant to deny.
func read(p Point, out []byte) (Decision, error) {
	var a answer
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return Decision{}, fmt.Errorf("its output is no decision: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Decision{}, fmt.Errorf("its output is no decision: more follows the JSON object")
	}
	if a.Specific == nil {
		a.Specific = &specific{}
	}
	if name := a.Specific.Event; name != "" && name != p.info().claude {
		return Decision{}, fmt.Errorf("its hookSpecificOutput is of %q; asked was about %s", name, p)
	}
	d := Decision{Allow: true, Reason: cmp.Or(a.Reason, a.Specific.Reason, a.StopReason, a.SystemMessage),
		Context: cmp.Or(a.Context, a.Specific.Context)}
	for _, word := range []string{a.Decision, a.Specific.Decision} {
		switch word {
		case "", "allow", "approve":
		case "deny", "block":
			d.Allow = false
		case "halt":
			d.Allow, d.Halt = false, true
		case "ask":
			return Decision{}, errors.New(
				`its decision is "ask", and there is nobody who could be asked; allowed: allow, deny, halt`)
		default:
			return Decision{}, fmt.Errorf("its decision is %q; allowed: allow, deny, halt", word)
		}
	}
	if a.Continue != nil && !*a.Continue {
		d.Allow, d.Halt = false, true
	}
	for _, args := range []json.RawMessage{a.Args, a.Arguments, a.Specific.UpdatedInput} {
		if args == nil {
			continue
		}
		if p != PreToolUse {
			return Decision{}, fmt.Errorf("it changes arguments, which only %s can", PreToolUse)
		}
		if len(args) == 0 || args[0] != '{' {
			return Decision{}, errors.New("its arguments are no JSON object")
		}
		d.Args = args
	}
	return d, nil
}
