package runner

import (
	"context"
	"time"

	"cookoff/contestant/agents"
	"cookoff/model"
	"cookoff/runner/admission"
	"cookoff/runner/agent"
	"cookoff/runner/budget"
	"cookoff/runner/clock"
	"cookoff/runner/loop"
	"cookoff/runner/project"
	"cookoff/runner/record"
	"cookoff/runner/resumed"
	"cookoff/runner/seats"
	"cookoff/runner/worlds"
	"cookoff/tools/mcp"
	"cookoff/tools/repair"
	"cookoff/trial"
	"cookoff/trial/final"
)

// Env is what a Runner works with. Nothing in it is changed.
type Env struct {
	worlds.Machine
	worlds.Project
	Hosts
	Meters
	Providers
	Limits
	admission.Settings
	Storage
	Resume
	Repairs *repair.Library // nil: none
	Front   *Front          // a person before a screen; nil: nobody
	Decider Decider         // says when enough trials were tried; nil: nobody
	Allow   []string        // what the user lets a recipe do: unrestricted, network
	Version string          // of cookoff, for the record
	// Closing is told, when a run was interrupted and all of it is recorded, how many
	// sandboxes are still to be closed; nil: nobody.
	Closing func(n int)
}

// Decider says which trials are still wanted. It is safe for concurrent use.
type Decider interface {
	Question() trial.Question
	// Wanted reports whether a trial is to be begun. One that is not is left out;
	// those under way end.
	Wanted(t trial.Trial) bool
	Decision() trial.Decision
}

// Clock tells time and waits.
type Clock = clock.Clock

// BudgetError says that the run has no money left.
type BudgetError = budget.Error

// OnDivergence says what becomes of a trial that goes on, where a tool says
// something else than it did before.
type OnDivergence = record.OnDivergence

// What can become of it: it begins anew, and its models are asked again; or it goes
// on with what the tool said before.
const (
	Restart     = record.Restart
	UseRecorded = record.UseRecorded
)

// What a person says and sees of a conversation, see Front.
type (
	Approval     = loop.Approval
	Answer       = loop.Answer
	Option       = loop.Option
	Piece        = loop.Piece
	Conversation = loop.Conversation
)

// Answers to an Approval.
const (
	Deny      = loop.Deny
	Once      = loop.Once
	ThisTrial = loop.ThisTrial
)

// Pick answers with an option of the Approval, by its number from 0.
func Pick(option int) Answer { return loop.Pick(option) }

// Spoken remembers which agents speak their protocol.
type Spoken = agent.Spoken

// ProjectCopy says what of a project trials start with.
type ProjectCopy = project.Copied

// Hosts are the machines that trials run on. Its zero value is this one alone.
type Hosts struct {
	Seats *seats.Seats // the machines that trials run on; nil: this one alone
	Mixed []string     // how the tools of those differ, for the record
	Shard *trial.Shard // which part of the comparison this is, for the record; nil: all of it
	// Programs says of each of the programs that it is the same, for the record; nil: of none.
	Programs map[string]string
}

// Meters measure while trials run.
type Meters struct {
	Clock clock.Clock // nil: the real one
	// Pressure begins to measure how busy the machine is; what it gives ends that, with
	// nil where the machine does not say. nil: nobody measures.
	Pressure func() func() *trial.Pressure
	// Still begins to watch whether this process stands still, and what it gives ends that,
	// with for how long it did. nil: nobody watches.
	Still func() func() time.Duration
}

// Providers are who answers: models, and the servers that are asked from this
// machine.
type Providers struct {
	// Chat makes the model of a contestant: of an id, or of an agent with one. It is called once per id by New, before
	// anything is spent; its error becomes a problem of the recipe. Baselines
	// never reach it.
	Chat   func(id string) (model.Chat, error)
	Prices *model.Prices // nil: every cost is unknown
	// Agent finds an agent program on this machine. Its error becomes a problem of the
	// recipe. nil: there are none.
	Agent func(name string) (agents.Installed, error)
	// Spoken remembers which agents were tried; nil: nobody does.
	Spoken *Spoken
	// Slots gives how many requests may be under way at once to the provider
	// of that name; 0, or no Slots: any number.
	Slots func(provider string) int
	// ProviderWait is how long the run waits for a provider that does not answer,
	// or asks to be asked later; then it is given up. 0: 10 minutes for one that is
	// silent, 2 hours for one that says when to ask again. StopOnLoss ends the run
	// then; else it goes on without the provider's trials.
	ProviderWait time.Duration
	StopOnLoss   bool
	// Served stands between a trial and the MCP servers that are asked from this
	// machine; nil: nothing does. Offline: it answers in their place, and none of
	// them is asked, so that they need no permission.
	Served  func(who Asker, next mcp.Round) mcp.Round
	Offline bool
}

// Limits say how much is run.
type Limits struct {
	Only     func(task string) bool // which tasks are run; nil: all. The others are checked all the same
	Parallel int                    // trials under way at once; 0: 1
	Cores    int                    // trials that work at once: wait for no model and no person; 0: all under way
	Retries  int                    // new attempts of a void trial
	MaxCost  float64                // USD that a run may spend; 0: any. It can't be overshot, see BudgetError
	Expect   func(model string) (usd float64,
		ok bool) // with MaxCost: what a trial of a model probably costs; nil: nobody knows
}

// Storage says which final states are stored, and where.
type Storage struct {
	Keep   Keep
	States *final.Writer // nil: none are stored
}

// Resume is the earlier part of a run that goes on. Its zero value begins a run.
type Resume struct {
	Journal *resumed.Journal
	// OnDivergence says what becomes of trials where tools say something else
	// than they did; "": Restart.
	OnDivergence OnDivergence
	// DespiteChanges lets the run go on though recipe, project, tools or servers
	// were changed since; the record says what was.
	DespiteChanges bool
	// Asking asks the providers before anything else, once it is known that nothing was changed
	// since: a run that is refused has paid for nothing. nil: nobody is asked.
	Asking func(ctx context.Context) error
	// Planted says how the recipe says the tasks that others were made of, by their names.
	Planted map[string]string
}
