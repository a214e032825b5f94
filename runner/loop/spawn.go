package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/hooks"
	"cookoff/model"
	"cookoff/runner/toolset"
	"cookoff/runner/traffic"
	"cookoff/runner/v1"
	"cookoff/sandbox"
	"cookoff/tools"
	"cookoff/trial"

	"github.com/sashabaranov/go-openai/jsonschema"
)

// spawner is that tool in one loop. A sub-agent is a loop of its own, in the
// same world and on the same account: what it uses, its parent has used.
type spawner struct {
	parent *Loop
	spec   model.ToolSpec
	def    *jsonschema.Definition
}

// offerAgents adds the tool to what a loop offers, where its depth allows.
func (l *Loop) offerAgents() {
	if l.depth >= l.Recipe.SubAgent.MaxDepth {
		return
	}
	s := &spawner{parent: l, def: &jsonschema.Definition{Type: jsonschema.Object, AdditionalProperties: false,
		Required: []string{"prompt"},
		Properties: map[string]jsonschema.Definition{"prompt": {Type: jsonschema.String,
			Description: "all it needs to know: it does not see this conversation"}}}}
	if modes := slices.Sorted(maps.Keys(l.Recipe.SubAgentModes)); len(modes) > 0 {
		s.def.Properties["mode"] = jsonschema.Definition{Type: jsonschema.String, Enum: modes,
			Description: "what kind of agent it is"}
		s.def.Required = append(s.def.Required, "mode")
	}
	s.spec = toolset.Describe(l.Recipe, tools.NewSpec(toolset.Spawn, v1.Spawn, s.def))
	l.set.Add(s.spec, s)
	l.set.Names = append(l.set.Names, toolset.Spawn)
}

func (s *spawner) Spec() model.ToolSpec { return s.spec }

// Call runs a sub-agent to its end and gives its answer. A limit that it
// meets is the trial's and ends all of it; what else ends it, it alone.
func (s *spawner) Call(ctx context.Context, _ sandbox.Sandbox, raw json.RawMessage) (tools.Result, error) {
	var args struct {
		Mode   string `json:"mode"`
		Prompt string `json:"prompt"`
	}
	if err := tools.Decode(s.def, raw, &args); err != nil {
		return tools.Result{}, err
	}
	if strings.TrimSpace(args.Prompt) == "" {
		return tools.Result{}, &tools.CallError{Reason: "prompt: empty", Kind: tools.BadArguments}
	}
	l := s.parent
	l.agents++
	agent, step := l.Record.Agent, l.Record.Step
	l.Record.Agent = joinNonEmpty(agent, fmt.Sprint(l.agents), ".")
	defer func() { l.Record.Agent, l.Record.Step = agent, step }()
	child := l.child()
	d, err := l.ask(ctx, hooks.Event{Point: hooks.SubagentStart, Mode: args.Mode, Prompt: args.Prompt})
	switch {
	case err != nil:
		return tools.Result{}, err
	case d.Halt:
		return tools.Result{}, &errStop{trial.StopHalted, d.Reason}
	case !d.Allow:
		return tools.Result{Text: fmt.Sprintf(v1.Denied, d.Reason), Failed: true, Refused: true}, nil
	}
	child.mention("hook-context", d.Context)
	child.open(v1.SubSystem(l.Recipe, child.set.Specs, l.Recipe.SubAgentModes[args.Mode]), args.Prompt)
	stop, detail, err := child.work(ctx, args.Mode)
	var rejected *model.AuthError
	switch {
	case errors.As(err, &rejected) && traffic.Provider(child.id) != traffic.Provider(l.id):
		// It says nothing of the contestant's provider.
		return tools.Result{}, fmt.Errorf("a sub-agent: %v", err)
	case err != nil:
		return tools.Result{}, err
	case stop == trial.StopDone:
		return tools.Result{Text: child.answered}, nil
	case slices.Contains([]trial.Stop{trial.StopRefused, trial.StopMalformed, trial.StopLoop, trial.StopContextFull},
		stop):
		return tools.Result{Text: fmt.Sprintf(v1.SubEnded, stop, detail), Failed: true}, nil
	}
	return tools.Result{}, &errStop{stop, detail}
}

// work runs a sub-agent until it is done and may rest.
func (l *Loop) work(ctx context.Context, mode string) (trial.Stop, string, error) {
	for {
		stop, detail, err := l.run(ctx)
		if err != nil || stop != trial.StopDone {
			return stop, detail, err
		}
		rest, err := l.finished(ctx, hooks.Event{Point: hooks.SubagentStop, Mode: mode}, stop)
		if rest || err != nil {
			return joinStop(stop, detail, err)
		}
	}
}

// child makes the loop of a sub-agent.
func (l *Loop) child() *Loop {
	b := *l.base
	b.id, b.depth = cmp.Or(l.Recipe.SubAgent.Model, l.id), l.depth+1
	return b.loop(l.set.Inherit(l.Recipe.SubAgent.Tools))
}
