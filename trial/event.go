package trial

import (
	"cookoff/model"
	"encoding/json"
	"time"
)

// Kind names what happened, in the past tense. Kinds are never renamed.
type Kind string

// The kinds of events.
const (
	RunStarted    Kind = "run.started"
	TrialStarted  Kind = "trial.started"
	TrialResumed  Kind = "trial.resumed" // the attempt goes on in another process
	ModelCalled   Kind = "model.called"
	ModelReplied  Kind = "model.replied"
	ToolCalled    Kind = "tool.called"
	HookDecided   Kind = "hook.decided"
	ToolReturned  Kind = "tool.returned"
	GatewayServed Kind = "gateway.served"
	Note          Kind = "note"
	Judged        Kind = "judged"
	TrialFinished Kind = "trial.finished"
	RunFinished   Kind = "run.finished"
)

// Event is one line of the journal: what happened, when, to which trial. Seq
// counts per trial and attempt from 1 (events of the run itself: Trial ""), so
// a transcript is the same whatever runs beside it. Exactly the field that
// belongs to Kind is set.
type Event struct {
	Seq     int       `json:"seq"`
	Kind    Kind      `json:"kind"`
	At      time.Time `json:"at"`
	Trial   string    `json:"trial,omitempty"`
	Attempt int       `json:"attempt,omitempty"` // from 1
	Step    int       `json:"step,omitempty"`    // from 1
	Agent   string    `json:"agent,omitempty"`   // of a sub-agent: 1 is the contestant's first, 1.2 the second of that

	Run      *Run      `json:"run,omitempty"`      // run.started
	Start    *Trial    `json:"start,omitempty"`    // trial.started, trial.resumed
	Host     string    `json:"host,omitempty"`     // trial.started, trial.resumed: the machine, where there are several
	Resumed  *Resumed  `json:"resumed,omitempty"`  // trial.resumed
	Called   *Called   `json:"called,omitempty"`   // model.called
	Replied  *Replied  `json:"replied,omitempty"`  // model.replied
	Tool     *Tool     `json:"tool,omitempty"`     // tool.called
	Returned *Returned `json:"returned,omitempty"` // tool.returned
	Request  *Request  `json:"request,omitempty"`  // gateway.served
	Hook     *Hook     `json:"hook,omitempty"`     // hook.decided
	Note     *NoteText `json:"note,omitempty"`     // note
	Verdicts []Verdict `json:"verdicts,omitempty"` // judged
	Outcome  *Outcome  `json:"outcome,omitempty"`  // trial.finished
	End      *End      `json:"end,omitempty"`      // run.finished
}

// Run is what was planned.
type Run struct {
	Schema  string `json:"schema"` // cookoff.journal/1
	ID      string `json:"id"`
	Version string `json:"version"` // of cookoff
	// Tools is the SHA-256 of the programs of this machine that tasks use: where
	// they lie, their sizes and times. "": the run did not look.
	Tools string `json:"tools,omitempty"`
	// Programs is the same of each by itself: by its name, or the directory of a tool chain.
	Programs map[string]string `json:"programs,omitempty"`

	Recipe string `json:"recipe"` // its name
	// Metadata are the labels that the recipe has of itself; nil: none.
	Metadata *Metadata `json:"metadata,omitempty"`
	Source   string    `json:"source"` // where it was found: a file relative to the project, builtin:NAME
	// Project is the directory whose content trials start with, relative to
	// the one that the run was started in; "": they start with nothing.
	Project    string `json:"project,omitempty"`
	ProjectSum string `json:"project_sum,omitempty"` // SHA-256 of its files
	// ProjectFiles has a sum of each file that makes the comparison what it is, by
	// its path; absent where they are very many.
	ProjectFiles map[string]string `json:"project_files,omitzero"`
	Outputs      []string          `json:"outputs,omitempty"` // files written for the user, from where it was started
	Digest       string            `json:"digest"`            // sha256 of the resolved recipe
	Lock         []Pinned          `json:"lock,omitempty"`    // the files of the recipe that were read from git
	Markdown     string            `json:"markdown"`
	Models       []string          `json:"models"` // names of all contestants
	// Contestants are those of the names that are no more than names.
	Contestants []Contestant `json:"contestants,omitempty"`
	Tasks       []string     `json:"tasks"`
	Shard       *Shard       `json:"shard,omitempty"` // nil: the run is all of the comparison
	Baseline    string       `json:"baseline"`
	Confidence  float64      `json:"confidence"`
	Seed        int64        `json:"seed"`
	Parallel    int          `json:"parallel"` // trials at once
	// Hosts are the machines that trials run on, and what those that are alike have in
	// common; nil: there is one.
	Hosts    map[string]string `json:"hosts,omitempty"`
	Trials   []Trial           `json:"trials"`
	Excluded []Exclude         `json:"excluded,omitempty"` // tasks not admitted
	Warnings []string          `json:"warnings,omitempty"`
	// Planted are the tasks that stand for tasks of planted faults, by their names, as the
	// recipe says them; the tasks that were made are in Markdown. nil: nothing is known of any.
	Planted map[string]string `json:"planted,omitempty"`
	// MCP has the SHA-256 of what each MCP server offered, by its name.
	MCP    map[string]string `json:"mcp,omitempty"`
	Prices string            `json:"prices,omitempty"` // date of the price table
	// SubAgent is the model that sub-agents are asked of, or SameModel; "": not
	// known, as there were none or the journal is an older one.
	SubAgent string `json:"sub_agent,omitempty"`
	// Places are where the recipe says the tasks, by their names.
	Places map[string]Place `json:"places,omitempty"`
	// Dates are when what tasks are about became known, as 2026-03-31, where the
	// recipe says so.
	Dates map[string]string `json:"dates,omitempty"`
	// Groups are the tags of tasks that name a group, as "kind:git", by their names.
	Groups map[string][]string `json:"groups,omitempty"`
	// Question is what the run is to decide; nil: all trials are tried.
	Question *Question `json:"question,omitempty"`
}

// SameModel says that sub-agents are of the contestant's own model.
const SameModel = "contestant"

// Place is a line of a file, from 1.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Metadata are what a recipe says of itself.
type Metadata struct {
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Author      string   `json:"author,omitempty"`
	Version     string   `json:"version,omitempty"`
}

// Pinned is a file that was read from git: its address, the commit that this
// meant, and the SHA-256 of what it held.
type Pinned struct {
	URL    string `json:"url"`
	Commit string `json:"commit"`
	SHA256 string `json:"sha256"`
}

// Exclude is a task that was not admitted, and why.
type Exclude struct {
	Task string `json:"task"`
	// the step that broke: setup, before, guard, after, verify, solution, again, shortcut ID
	Phase string `json:"phase"`
	Why   string `json:"why"`
	// Evidence is what the check or command printed that it broke at; nil: it was none of these.
	Evidence *Evidence `json:"evidence,omitempty"`
	// When is of which state checks were asked that said otherwise than they must. It is not recorded.
	When Demand `json:"-"`
}

// Demand is a state of a task of which its checks must say something.
type Demand string

// The broken state must be rejected, what the solution left must be accepted.
const (
	OfBroken Demand = "broken"
	OfSolved Demand = "solved"
)

// Called is one request to a model: only the messages that are new since the
// last one, so that a journal grows linearly.
type Called struct {
	New   []model.Message  `json:"new"`
	Tools []model.ToolSpec `json:"tools,omitempty"` // in the first request only
	Try   int              `json:"try,omitempty"`   // from 2 on: the same request again
	// MostUSD is what it costs at most: what counts where nobody hears of its end.
	// nil: nobody knows.
	MostUSD *float64 `json:"most_usd,omitempty"`
	// Request is the number of the agent's request, from 1; 0: no agent asks.
	Request int `json:"request,omitempty"`
}

// Resumed says from where an attempt goes on.
type Resumed struct {
	Replies   int `json:"replies"`             // recorded ones, which are not asked for again
	Calls     int `json:"calls"`               // of tools, which are carried out again
	Unsettled int `json:"unsettled,omitempty"` // requests under way when it was cut off
}

// Replied is a model's answer.
type Replied struct {
	Reply   model.Reply `json:"reply"`
	CostUSD *float64    `json:"cost_usd,omitempty"`
	Seconds float64     `json:"seconds"`
}

// Tool is a call about to be made.
type Tool struct {
	CallID string          `json:"call_id"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args,omitempty"` // as decoded; absent when they were no JSON
}

// Returned is what a tool call gave the model.
type Returned struct {
	CallID  string  `json:"call_id"`
	Name    string  `json:"name"`
	Text    string  `json:"text"`
	Failed  bool    `json:"failed,omitempty"`  // the model's mistake, or a tool error
	Refused bool    `json:"refused,omitempty"` // it was not made: by a hook, a limit, or for its name
	Cut     int64   `json:"cut,omitempty"`     // bytes of output left out
	Seconds float64 `json:"seconds"`
}

// Hook is what a hook decided.
type Hook struct {
	Name     string `json:"name"`
	Point    string `json:"point"`    // pre_tool_use, …
	Decision string `json:"decision"` // allow, deny, rewrite, halt
	Reason   string `json:"reason,omitempty"`
	Context  string `json:"context,omitempty"` // what it adds to the conversation
	// Args are what it puts in the place of a call's.
	Args json.RawMessage `json:"args,omitempty"`
	// WholeTrial says that a person allowed it for the rest of the trial.
	WholeTrial bool `json:"whole_trial,omitempty"`
}

// NoteText says something worth knowing that no other kind says.
type NoteText struct {
	// Kind is one of retried, failed, adapted, slowed, truncated, compacted,
	// reminded, network, host, loop, limit, diverged, anew, provider_down,
	// provider_up, provider_lost, …
	Kind string  `json:"kind"`
	Text string  `json:"text"`
	Wait float64 `json:"wait,omitempty"` // seconds
	// Failure is how a request ended without a reply: retried, failed, adapted.
	Failure *Failure `json:"failure,omitempty"`
}

// Failure is the end of a request that got no reply.
type Failure struct {
	Kind    string      `json:"kind"`               // provider, context, refused, unsupported
	Model   string      `json:"model,omitempty"`    // unsupported: which takes no
	What    string      `json:"what,omitempty"`     // unsupported: tools, or a parameter
	Words   string      `json:"said,omitempty"`     // context, refused: the provider's words
	Usage   model.Usage `json:"usage,omitzero"`     // refused: what it took
	Lost    bool        `json:"lost,omitempty"`     // a reply had begun and broke off
	LostUSD float64     `json:"lost_usd,omitempty"` // what that cost at least
}

// NoteProtocol is the kind of the note that holds what was said by an agent's protocol: for
// whoever looks into an agent, and for nobody who watches.
const NoteProtocol = "acp"

// NotePanic is the kind of the note that holds the stack of a fault of cookoff.
const NotePanic = "panic"

// Kinds of notes about the provider of a trial's model.
const (
	Retried      = "retried"       // a request failed, and is made again after Wait
	ProviderDown = "provider_down" // it is asked again after Wait, by one request for all its trials
	ProviderUp   = "provider_up"   // it answers again
	ProviderLost = "provider_lost" // it was given up
)

// End closes a run.
type End struct {
	Interrupted bool    `json:"interrupted,omitempty"`
	Error       string  `json:"error,omitempty"`  // why the run could not go on
	Budget      bool    `json:"budget,omitempty"` // that is because its money is spent
	Seconds     float64 `json:"seconds"`
	// Changed names files of the project and the recipe that were changed on the disk
	// meanwhile; the run went by what was there when it began.
	Changed []string `json:"changed,omitempty"`
	// Decision answers the run's question; nil: it had none, or did not get so far.
	Decision *Decision `json:"decision,omitempty"`
}
