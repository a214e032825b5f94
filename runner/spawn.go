package runner

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
	"cookoff/runner/reminder"
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
	parent *loop
	spec   model.ToolSpec
	def    *jsonschema.Definition
}

// spawns reports whether a loop at depth may have sub-agents.
func (r *Runner) spawns(depth int) bool { return depth < r.recipe.SubAgent.MaxDepth }

// offerAgents adds the tool to what a loop offers, where its depth allows.
func (l *loop) offerAgents() {
	if !l.r.spawns(l.depth) {
		return
	}
	s := &spawner{parent: l, def: &jsonschema.Definition{Type: jsonschema.Object, AdditionalProperties: false, Required: []string{"prompt"},
		Properties: map[string]jsonschema.Definition{"prompt": {Type: jsonschema.String, Description: "all it needs to know: it does not see this conversation"}}}}
	if modes := slices.Sorted(maps.Keys(l.r.recipe.SubAgentModes)); len(modes) > 0 {
		s.def.Properties["mode"] = jsonschema.Definition{Type: jsonschema.String, Enum: modes, Description: "what kind of agent it is"}
		s.def.Required = append(s.def.Required, "mode")
	}
	s.spec = toolset.Describe(l.r.recipe, tools.NewSpec(toolset.Spawn, v1.Spawn, s.def))
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
	agent, step := l.rec.Agent, l.rec.Step
	l.rec.Agent = joinNonEmpty(agent, fmt.Sprint(l.agents), ".")
	defer func() { l.rec.Agent, l.rec.Step = agent, step }()
	child := l.child()
	d, err := l.ask(ctx, hooks.Event{Point: hooks.SubagentStart, Mode: args.Mode, Prompt: args.Prompt})
	switch {
	case err != nil:
		return tools.Result{}, err
	case d.Halt:
		return tools.Result{}, &errStop{trial.StopHalted, d.Reason}
	case !d.Allow:
		return tools.Result{Text: fmt.Sprintf(v1.Denied, d.Reason), Failed: true}, nil
	}
	child.mention("hook-context", d.Context)
	child.open(v1.SubSystem(l.r.recipe, child.set.Specs, l.r.recipe.SubAgentModes[args.Mode]), args.Prompt)
	stop, detail, err := child.work(ctx, args.Mode)
	var rejected *model.AuthError
	switch {
	case errors.As(err, &rejected) && traffic.Provider(child.id) != traffic.Provider(l.id): // says nothing of the contestant's provider
		return tools.Result{}, fmt.Errorf("a sub-agent: %v", err)
	case err != nil:
		return tools.Result{}, err
	case stop == trial.StopDone:
		return tools.Result{Text: child.answered}, nil
	case slices.Contains([]trial.Stop{trial.StopRefused, trial.StopMalformed, trial.StopLoop, trial.StopContextFull}, stop):
		return tools.Result{Text: fmt.Sprintf(v1.SubEnded, stop, detail), Failed: true}, nil
	}
	return tools.Result{}, &errStop{stop, detail}
}

// work runs a sub-agent until it is done and may rest.
func (l *loop) work(ctx context.Context, mode string) (trial.Stop, string, error) {
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
func (l *loop) child() *loop {
	id := cmp.Or(l.r.recipe.SubAgent.Model, l.id)
	c := &loop{r: l.r, t: l.t, id: id, plan: l.plan, trial: l.trial, chat: l.r.models[id].chatFor(l.t, l.trial), sb: l.sb, gate: l.gate, set: l.set.Inherit(l.r.recipe.SubAgent.Tools),
		rec: l.rec, out: l.out, history: newHistory(), account: l.account, dialect: l.r.dialect(id), reminders: reminder.Arm(l.r.reminders), depth: l.depth + 1}
	c.offerAgents()
	c.caveats()
	return c
}

// subAgents checks what a recipe says of sub-agents.
func (c *checker) subAgents() {
	s := c.recipe.SubAgent
	if len(c.recipe.SubAgentModes) > 0 && s.MaxDepth < 1 {
		c.warn("sub_agent_modes", "write max_depth: 1 in Sub-Agent", "there are no sub-agents to choose a mode for")
	}
	c.subAgentModel()
	if s.Tools == "" || s.Tools == "inherit" {
		return
	}
	var known []string
	for _, name := range c.runner.order {
		known = append(known, c.runner.tasks[name].offer(c.recipe).Set(nil, 0).Names...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for name := range strings.SplitSeq(s.Tools, ", ") {
		if !slices.Contains(known, name) && !c.served("sub_agent.tools", name) {
			c.unknown("sub_agent.tools", "tool of a sub-agent", name, known)
		}
	}
}

// subAgentModel makes the model of sub-agents. No baseline: one of them knows
// the solution.
func (c *checker) subAgentModel() {
	id := c.recipe.SubAgent.Model
	if _, known := c.runner.models[id]; id == "" {
		return
	} else if strings.HasPrefix(id, "baseline/") {
		c.at("sub_agent.model", "", "a baseline can't be a sub-agent: %s", id)
		return
	} else if known {
		return
	}
	chat, err := c.env.Chat(id)
	if err != nil {
		msg, hint, _ := strings.Cut(err.Error(), "\n")
		c.at("sub_agent.model", strings.TrimPrefix(strings.TrimSpace(hint), "hint: "), "%s", msg)
	}
	c.runner.models[id] = contestant{chat: chat}
	if _, ok := c.runner.cost(id, model.Usage{Known: true}); c.recipe.Constraints.MaxCost > 0 && !ok {
		c.at("sub_agent.model", "add its price under [prices] in your cookoff.toml, or drop max_cost", "max_cost can't be kept for %s: its price is unknown", id)
	}
}
