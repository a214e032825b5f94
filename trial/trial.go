// Package trial holds the words and the record of a comparison: trials,
// events, outcomes, and the journal that everything shown is a fold of.
package trial

import (
	"cookoff/model"
)

// Trial is one model, one task, one go.
type Trial struct {
	ID    string `json:"id"` // t001, … in plan order; says nothing of model or task
	Model string `json:"model"`
	Task  string `json:"task"`
	N     int    `json:"n"` // which repeat, from 1
}

// Status is what became of a trial.
type Status string

// A trial passes or fails; what was not the model's doing is void and counts
// for nothing.
const (
	Pass Status = "pass"
	Fail Status = "fail"
	Void Status = "void"
)

// Stop says why the loop of a trial ended. A limit is no failure: the final
// state is judged all the same.
type Stop string

// The reasons a loop ends.
const (
	StopDone         Stop = "done"
	StopMaxSteps     Stop = "max_steps"
	StopTimeout      Stop = "timeout"
	StopMaxToolCalls Stop = "max_tool_calls"
	StopMaxCost      Stop = "max_cost"
	StopContextFull  Stop = "context_full"
	StopRefused      Stop = "refused"
	StopMalformed    Stop = "malformed" // three unusable replies in a row
	StopLoop         Stop = "loop"      // the same call six times
	StopHalted       Stop = "halted"    // by a hook
	StopCancelled    Stop = "cancelled"
	StopCrashed      Stop = "crashed" // an agent program ended by a fault of its own
	StopBroken       Stop = "broken"  // void, not the model's doing; in a sequence also a task that it spoilt before
)

// Cause says why a trial failed, or why it is void.
type Cause string

// Causes of a fail.
const (
	CauseWrongFix   Cause = "wrong_fix"
	CauseGaveUp     Cause = "gave_up"    // nothing was changed
	CauseCollateral Cause = "collateral" // guard or footprint broken
	CauseLimit      Cause = "limit"
	CauseMalformed  Cause = "malformed"
	CauseRefused    Cause = "refused"

	CauseTrap         Cause = "trap"          // something was left that runs by itself later
	CauseDefeatDevice Cause = "defeat_device" // a check holds for the judge and not for the user
	CauseForged       Cause = "forged"        // with evidence: a planted result, a hijacked runner
	CauseUnproven     Cause = "unproven"      // verify holds, after does not, no evidence of forging
	CauseBrokeJudging Cause = "broke_judging" // judging worked on the start, not on what was left
	CauseBrokeSandbox Cause = "broke_sandbox" // the contestant took its own world down
	CauseCrashed      Cause = "crashed"       // an agent program ended by a fault of its own
)

// Causes of a void.
const (
	CauseProvider  Cause = "provider"
	CauseSandbox   Cause = "sandbox"
	CauseStaging   Cause = "staging"
	CauseVerifier  Cause = "verifier"
	CauseHook      Cause = "hook"
	CauseInternal  Cause = "internal"
	CauseAdmission Cause = "admission"
	CauseCancelled Cause = "cancelled"
)

// Outcome is what became of a trial, and what it took.
type Outcome struct {
	Status   Status      `json:"status"`
	Cause    Cause       `json:"cause,omitempty"`
	Stop     Stop        `json:"stop"`
	Detail   string      `json:"detail,omitempty"` // one sentence for people
	Steps    int         `json:"steps"`
	Usage    model.Usage `json:"usage"`
	CostUSD  *float64    `json:"cost_usd"` // nil: unknown
	Seconds  Seconds     `json:"seconds"`
	Counters Counters    `json:"counters"`
	Verdicts []Verdict   `json:"verdicts,omitempty"`
	Answer   string      `json:"answer,omitempty"` // the final text
	State    *StateRef   `json:"state,omitempty"`  // what it left; nil: not kept
	// SideEffects is what the trial left beside a repair; nil: nothing.
	SideEffects *SideEffects `json:"side_effects,omitempty"`
	// Cheats is what the trial of baseline/cheater came to; nil for all others.
	Cheats *Cheats `json:"cheats,omitempty"`
	// Caveats say how the model was asked otherwise than the recipe says, since
	// its endpoint does not take that.
	Caveats []string `json:"caveats,omitempty"`
	// LostUSD is the least that replies cost which broke off. It is not in
	// CostUSD: no provider tells.
	LostUSD float64 `json:"lost_usd,omitempty"`
	// Pressure is how busy the machine was; nil: it does not say.
	Pressure *Pressure `json:"pressure,omitempty"`
}

// Cheats counts generated cheats that played a task, and names those that were
// accepted: they did not end as a fail.
type Cheats struct {
	Tried    int      `json:"tried"`
	Accepted []string `json:"accepted,omitempty"`
}

// SideEffects are files that are new, or changed and allowed to be, and that no
// solution of the task makes or changes.
type SideEffects struct {
	Count int      `json:"count"`
	Paths []string `json:"paths"` // the first of them; a new directory stands for what is in it
}

// Seconds says where the time went. Agent is the loop's wall time without
// waiting for a provider: until it may be asked, or asked again.
type Seconds struct {
	Agent    float64 `json:"agent"`
	Provider float64 `json:"provider"` // in requests
	Tools    float64 `json:"tools"`
	Wait     float64 `json:"wait"` // backing off, and for a free slot; charged to nobody
	Judge    float64 `json:"judge"`
	Stage    float64 `json:"stage,omitempty"` // opening the world and staging the task
}

// Counters count what happened in a loop.
type Counters struct {
	ToolCalls      int   `json:"tool_calls"`
	Malformed      int   `json:"malformed,omitempty"`       // calls with arguments that don't fit, unknown tools
	RefusedClasses int   `json:"refused_classes,omitempty"` // repairs of a class that may not run
	Denied         int   `json:"denied,omitempty"`          // by a hook
	ToolErrors     int   `json:"tool_errors,omitempty"`
	FailedCalls    int   `json:"failed_calls,omitempty"` // what was called went wrong: a command exited non-zero
	Repeated       int   `json:"repeated,omitempty"`     // the same call with the same arguments again
	Retries        int   `json:"retries,omitempty"`      // requests sent again
	Lost           int   `json:"lost,omitempty"`         // replies that broke off, whatever they cost
	Reminders      int   `json:"reminders,omitempty"`
	Compactions    int   `json:"compactions,omitempty"`
	OutputCut      int64 `json:"output_cut,omitempty"`
}

// Failures counts the calls that no_errors allows none of.
func (c Counters) Failures() int { return c.ToolErrors + c.Malformed + c.FailedCalls }

// VerdictStatus is what a check says.
type VerdictStatus string

// A verdict holds, does not, or can't be given.
const (
	Held      VerdictStatus = "pass"
	NotHeld   VerdictStatus = "fail"
	Undecided VerdictStatus = "void"
)

// Strength says on what a verdict of "fixed" rests, strongest first.
type Strength string

// Strengths of a verify block, of the tests of a check, and of checks in the trial's
// own world.
const (
	StrengthFunctional Strength = "functional with pattern"
	StrengthVersion    Strength = "version"
	StrengthOutput     Strength = "output"
	StrengthRuns       Strength = "functional without pattern"
	StrengthNames      Strength = "names without control" // of tests, beside which none can be planted
	StrengthUnshown    Strength = "without control"       // held on the broken state too, and no test could be planted
	StrengthLive       Strength = "live"
)

// CheckKind is what sort of check a verdict is of.
type CheckKind string

// Kinds of checks.
const (
	KindGuard     CheckKind = "guard"
	KindProtect   CheckKind = "protect"
	KindAfter     CheckKind = "after"
	KindVerify    CheckKind = "verify"
	KindCriterion CheckKind = "criterion"
	KindBound     CheckKind = "bound"   // a criterion that bounds what a loop may take
	KindControl   CheckKind = "control" // looks whether another check can be believed
	KindNames     CheckKind = "names"   // which tests ran and passed, by name
	KindService   CheckKind = "service" // whether a service of the task runs
	KindJudging   CheckKind = "judging" // whether the final state can be judged at all
)

// Witness is a world in which a check is asked.
type Witness string

// The witnesses. A check holds where all that were asked say so.
const (
	User     Witness = "user"     // the trial's own world at its end
	Stranger Witness = "stranger" // a fresh world over what it left, as the contestant's shell has it
	Referee  Witness = "referee"  // a fresh world that believes no setting of the contestant's
)

// Testimony is what one witness said.
type Testimony struct {
	Witness  Witness       `json:"witness"`
	Status   VerdictStatus `json:"status"`
	Detail   string        `json:"detail,omitempty"`
	Evidence *Evidence     `json:"evidence,omitempty"` // where the witnesses disagree
}

// Verdict is what one check said, and its evidence.
type Verdict struct {
	Check    string        `json:"check"`          // guard, protect, after, verify[0], criterion[2] run, …
	Kind     CheckKind     `json:"kind,omitempty"` // "" in journals of old: Check says it
	Status   VerdictStatus `json:"status"`
	Cause    Cause         `json:"cause,omitempty"` // of the fail, where the verdict itself says it
	Strength Strength      `json:"strength,omitempty"`
	Detail   string        `json:"detail,omitempty"` // one sentence
	Evidence *Evidence     `json:"evidence,omitempty"`
	// Witnesses are those who were asked; nil: the check needs none.
	Witnesses []Testimony `json:"witnesses,omitempty"`
}

// Evidence is what a verdict rests on.
type Evidence struct {
	Command string  `json:"command,omitempty"`
	Exit    int     `json:"exit"`
	Signal  string  `json:"signal,omitempty"`
	Reason  string  `json:"reason,omitempty"`  // the limit that ended the command
	Pattern string  `json:"pattern,omitempty"` // expanded
	Version string  `json:"version,omitempty"` // asked for, before and after the transform: "biome@2.3.8 -> 2.3.8"
	Binary  string  `json:"binary,omitempty"`  // real path
	Tail    string  `json:"tail,omitempty"`    // of the standard output, or of what was matched
	Stderr  string  `json:"stderr,omitempty"`  // the tail of the standard error
	Seconds float64 `json:"seconds"`
	// Unbelieved are the settings and files that a tool was not believed.
	Unbelieved []string `json:"unbelieved,omitempty"`
}

// NothingJudges is the detail of a void outcome whose task has no check, as one that is typed in a
// shoot-out may have none.
const NothingJudges = "nothing judges this task"

// StateRef names the stored final state of a trial, relative to the run's
// directory.
type StateRef struct {
	File    string `json:"file"`
	Digest  string `json:"digest"` // sha256:… of the file
	Bytes   int64  `json:"bytes"`
	Changes int    `json:"changes"`
	Missing int    `json:"missing,omitempty"` // files whose content is not kept
}
