package runner

import (
	"time"

	"cookoff/model"
	"cookoff/model/baseline"
	"cookoff/runner/loop"
	"cookoff/tools/repair"
)

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

// speaker gives the model as a trial of a task has it.
func (c contestant) speaker(t *task, id model.TrialID) loop.Speaker {
	return loop.Speaker{Chat: c.chatFor(t, id), Traits: model.TraitsOf(c.chat)}
}

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
