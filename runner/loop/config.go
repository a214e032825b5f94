// Package loop is the conversation of a trial: what a model is told, what it
// answers, and the calls of tools in between. It knows neither tasks nor verdicts.
package loop

import (
	"context"
	"time"

	"cookoff/hooks"
	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/budget"
	"cookoff/runner/clock"
	"cookoff/runner/cores"
	"cookoff/runner/record"
	"cookoff/runner/reminder"
	"cookoff/runner/toolset"
	"cookoff/runner/traffic"
	"cookoff/sandbox"
	"cookoff/sandbox/gate"
	"cookoff/trial"
)

// Shared is what the conversations of a run have in common. It is safe for
// concurrent use.
type Shared struct {
	Recipe    *recipe.Recipe
	Clock     clock.Clock
	Prices    *model.Prices // nil: every cost is unknown
	Lines     *traffic.Lines
	Habits    *Habits
	Hooks     []hooks.Named
	Reminders []reminder.Reminder
	Names     map[string]any // what triggers may name
	Person    Person
}

// Person is somebody before a screen. The zero Person is nobody.
type Person struct {
	// Approve decides about a repair whose class the recipe does not allow, and about
	// what an agent program asks for. An error refuses.
	Approve func(ctx context.Context, a Approval) (Answer, error)
	// Text gets what a model writes, as it arrives.
	Text func(p Piece)
	// Asked gives what was asked of a trial since it was called last: to compact
	// what was said, and reminders by name.
	Asked func(trial string) (compact bool, remind []string)
}

// Speaker is a model in one trial.
type Speaker struct {
	Chat   model.Chat
	Traits model.Traits
}

// Config is what one conversation works with.
type Config struct {
	*Shared
	Trial   trial.Trial
	Model   string // provider/model
	Prompt  string
	Speaker func(model string) Speaker // also of sub-agents
	Sandbox sandbox.Sandbox
	Gate    *gate.Gate // nil: no way out
	Tools   *toolset.Set
	Record  *record.Recorder
	Place   *cores.Place   // among those who work; nil: it needs none
	Claim   *budget.Claim  // on the run's budget; nil: no limit
	Outcome *trial.Outcome // counters, usage and stop are written to it
	Before  *History       // what was said before; nil: nothing

	Timeout  time.Duration
	MaxSteps int // 0: any number
}
