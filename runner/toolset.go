package runner

import (
	"slices"
	"time"

	"cookoff/model"
	"cookoff/model/baseline"
	"cookoff/sandbox/gate"
	"cookoff/tools"
	"cookoff/tools/repair"
)

// toolset is what a task offers every model.
type toolset struct {
	specs []model.ToolSpec
	names []string
	tools map[string]tools.Tool
	full  map[string]string // names on the wire of MCP tools: as recipes name them
}

// toolset gives the tools of a task; what web_fetch reaches, it reaches through g.
func (r *Runner) toolset(t *task, g *gate.Gate) *toolset { return r.toolsetOf(t, g, 0) }

// toolsetOf is toolset for a contestant whose commands may take solution, where
// that is longer than those of others: the oracle, that runs the task's own.
func (r *Runner) toolsetOf(t *task, g *gate.Gate, solution time.Duration) *toolset {
	c := r.recipe.Constraints
	opt := tools.Options{BashTimeout: max(orDefault(c.BashTimeout, defaultBashTimeout), solution)}
	if r.recipe.Tools != nil {
		opt.BashPrefixes = r.recipe.Tools.BashPrefixes
	}
	if r.fetches() {
		opt.Fetch = &tools.Fetch{Gate: g, Local: r.recipe.Sandbox.AllowLocalFetch}
	}
	offered := r.offered(t)
	opt.Background = offered == nil || slices.Contains(offered, "bash_job")
	set := &toolset{tools: map[string]tools.Tool{}}
	for _, tool := range tools.Builtin(opt) {
		if offered == nil || slices.Contains(offered, tool.Spec().Name) {
			set.add(r.describe(tool.Spec()), tool)
		}
	}
	if offered != nil { // in the order the recipe names them
		slices.SortStableFunc(set.specs, func(a, b model.ToolSpec) int {
			return slices.Index(offered, a.Name) - slices.Index(offered, b.Name)
		})
	}
	for _, p := range t.probes {
		tool := p.Tool()
		set.add(r.describe(tool.Spec()), tool)
	}
	for _, rep := range t.repairs {
		tool := rep.Tool(repair.ToolOptions{Classes: r.classes()})
		set.add(r.describe(tool.Spec()), tool)
	}
	for _, s := range set.specs {
		set.names = append(set.names, s.Name)
	}
	return set
}

func (s *toolset) add(spec model.ToolSpec, tool tools.Tool) {
	s.specs = append(s.specs, spec)
	s.tools[spec.Name] = tool
}

// size is how many bytes of the tools a model reads.
func (s *toolset) size() int {
	n := 0
	for _, t := range s.specs {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return n
}

// offered gives the names of the built-in tools of a task; nil: all.
func (r *Runner) offered(t *task) []string {
	switch {
	case t.Tools != nil:
		return t.Tools
	case r.recipe.Tools != nil:
		return append([]string{}, r.recipe.Tools.Allowlist...)
	}
	return nil
}

// describe applies what the recipe says of a tool to its description.
func (r *Runner) describe(s model.ToolSpec) model.ToolSpec {
	if d, ok := r.recipe.ToolDescriptions[s.Name]; ok {
		s.Description = d
	} else if r.recipe.Tools != nil && r.recipe.Tools.Guidance[s.Name] != "" {
		s.Description = r.recipe.Tools.Guidance[s.Name]
	}
	return s
}

// classes are the classes of repairs that may run in a trial.
func (r *Runner) classes() []string {
	if c := r.recipe.Constraints.AllowClasses; c != nil {
		return c
	}
	return []string{"safe"}
}

// contestant is a model of the recipe: a chat that serves every trial, or a
// baseline that is made for each task. Only the oracle ever sees a solution.
type contestant struct {
	chat     model.Chat
	baseline string
}

// commandTime is how long a command of the contestant may take by the task alone.
func (c contestant) commandTime(t *task) time.Duration {
	if c.baseline == "baseline/oracle" {
		return t.Limits.Solution
	}
	return 0
}

// baselines are the contestants that need no network.
var baselines = []string{"baseline/noop", "baseline/matcher", "baseline/oracle", cheater}

// cheater is the baseline that is no chat: it plays generated cheats.
const cheater = "baseline/cheater"

func (c contestant) chatFor(t *task, id model.TrialID) model.Chat {
	switch c.baseline {
	case "baseline/noop":
		return baseline.Noop()
	case "baseline/oracle":
		return baseline.Oracle(t.Solution)
	case "baseline/matcher":
		return matcherFor(t)
	}
	if each, ok := c.chat.(model.PerTrial); ok {
		return each.ForTrial(id)
	}
	return c.chat
}

// matcherCalls are the calls that a rule-based doctor makes for the task's
// finding: every offered repair that answers its probe, in library order, with
// the values that the probe reports.
func matcherCalls(t *task) []model.Call {
	if t.Probe == "" {
		return nil
	}
	probe, values, _ := repair.ParseProbe(t.Probe) // refused by New when it can't be read
	return answering(t.repairs, probe, values)
}
