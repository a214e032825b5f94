package resolve

import (
	"time"

	"cookoff/contestant/agents"
	"cookoff/model"
	"cookoff/model/baseline"
	"cookoff/model/wire"
	"cookoff/tools/repair"
)

// contestant is a model of the recipe: a chat that serves every trial, or a
// baseline that is made for each task. Only the oracle ever sees a solution. Or it is
// an agent program and where its model is asked.
type contestant struct {
	ID       string // provider/model
	chat     model.Chat
	baseline string
	Agent    *Agent // nil: it is no agent
}

// Agent is an agent program, and where its model is asked.
type Agent struct {
	agents.Installed
	Model string // provider/model
	chat  model.Chat
}

// Upstream is where the agent's model is asked in a trial; without dialects: nowhere.
func (a *Agent) Upstream(id model.TrialID) wire.Upstream {
	chat := a.chat
	if each, ok := chat.(model.PerTrial); ok {
		chat = each.ForTrial(id)
	}
	u, _ := wire.UpstreamOf(chat)
	return u
}

// CommandTime is how long a command of the contestant may take by the task alone.
func (c contestant) CommandTime(t *Task) time.Duration {
	if c.baseline == "baseline/oracle" {
		return t.Limits.Solution
	}
	return 0
}

// baselines are the contestants that need no network.
var baselines = []string{"baseline/noop", "baseline/matcher", "baseline/oracle", Cheater}

// Cheater is the baseline that is no chat: it plays generated cheats.
const Cheater = "baseline/cheater"

// Traits are what is known of the model's endpoint.
func (c contestant) Traits() model.Traits { return model.TraitsOf(c.chat) }

// ChatFor gives the model as a trial of a task has it.
func (c contestant) ChatFor(t *Task, id model.TrialID) model.Chat {
	switch c.baseline {
	case "baseline/noop":
		return baseline.Noop()
	case "baseline/oracle":
		return baseline.Oracle(t.Solution)
	case "baseline/matcher":
		return MatcherFor(t)
	}
	if each, ok := c.chat.(model.PerTrial); ok {
		return each.ForTrial(id)
	}
	return c.chat
}

// matcherCalls are the calls that a rule-based doctor makes for the task's
// finding: every offered repair that answers its probe, in library order, with
// the values that the probe reports.
func matcherCalls(t *Task) []model.Call {
	if t.Probe == "" {
		return nil
	}
	probe, values, _ := repair.ParseProbe(t.Probe) // refused by New when it can't be read
	return answering(t.Repairs, probe, values)
}
