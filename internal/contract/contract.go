// Package contract proves that fixes do what their test blocks claim: staged,
// broken, mended, mended again without drift, and not by the wrong repairs.
package contract

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"cookoff/internal/pattern"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/tools"
	"cookoff/tools/repair"
	"cookoff/trial"
	"cookoff/verify"
)

// Contract is one fix with what its test block claims.
type Contract struct {
	Repair string
	Fix    *repair.Fix
	// Native has a contract that names an image run in the sandbox of this machine,
	// without it.
	Native bool

	rep  *repair.Repair
	task recipe.Task // the zero Task without a test
}

// Status is how a contract ended.
type Status string

// A contract is kept, broken, or could not be tried here.
const (
	Pass Status = "pass"
	Fail Status = "fail"
	Skip Status = "skip"
)

// Outcome is what became of a contract. Keys of its JSON are only added.
type Outcome struct {
	Repair string `json:"repair"`
	Fix    string `json:"fix"`
	Class  string `json:"class"`
	Status Status `json:"status"`
	Phase  string `json:"phase,omitempty"`  // fail: the phase that broke
	Reason string `json:"reason,omitempty"` // skip: why it was not tried
	Detail string `json:"detail,omitempty"` // fail: what was seen
	Cause  string `json:"cause,omitempty"`  // fail: what usually causes it
	Native string `json:"native,omitempty"` // the image that it ran without, in the sandbox of this machine
}

// Verdict is the outcome in one word: pass, fail:PHASE or skip:REASON.
func (o Outcome) Verdict() string {
	switch o.Status {
	case Fail:
		return "fail:" + o.Phase
	case Skip:
		return "skip:" + o.Reason
	}
	return string(o.Status)
}

// Opening opens a sandbox for a task: over the state, or with st nil at the
// clean start.
type Opening func(ctx context.Context, task recipe.Task, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error)

// Of gives the contracts of repairs, one a fix, in order.
func Of(repairs []*repair.Repair) ([]Contract, error) {
	var out []Contract
	for _, r := range repairs {
		tasks, err := r.Tasks() // one for each tested fix, in order
		if err != nil {
			return nil, err
		}
		for _, f := range r.Fixes {
			c := Contract{Repair: r.ID, Fix: f, rep: r}
			if f.Test != nil {
				c.task, tasks = tasks[0], tasks[1:]
				if c.task.Solution, err = f.Render(f.Test.Params); err != nil {
					return nil, fmt.Errorf("repair %q: %w", r.ID, err)
				}
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// Bench is where contracts are tried.
type Bench struct {
	open  Opening
	facts *repair.Facts // of a clean start, with every tool that the contracts name
}

// NewBench looks once at what a sandbox holds that is opened at the clean
// start, for all contracts that will be tried. The error is the sandbox's.
func NewBench(ctx context.Context, open Opening, all []Contract) (*Bench, error) {
	var names []string
	for _, c := range all {
		if c.barred() == "" {
			names = append(names, append(c.rep.ToolNames(), c.runtimes()...)...)
		}
	}
	b := &Bench{open: open, facts: &repair.Facts{}}
	if !slices.ContainsFunc(all, func(c Contract) bool { return c.barred() == "" }) {
		return b, nil
	}
	sb, err := open(ctx, recipe.Task{}, nil, sandbox.Agent)
	if err != nil {
		return nil, err
	}
	defer sb.Close()
	slices.Sort(names)
	if b.facts, err = repair.Gather(ctx, sb, slices.Compact(names)); err != nil {
		return nil, brokenWorld(err)
	}
	return b, nil
}

// Run tries the contract, which must be one that b looked for. The error is
// the sandbox's, or says that the test block can't be compiled.
func (c Contract) Run(ctx context.Context, b *Bench) (Outcome, error) {
	o := Outcome{Repair: c.Repair, Fix: c.Fix.ID, Class: string(c.Fix.Class), Status: Pass}
	here := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		return b.open(ctx, c.task, st, p)
	}
	reason, err := c.missing(ctx, b.facts, here)
	if err != nil {
		return o, err
	}
	if reason != "" {
		o.Status, o.Reason = Skip, reason
		return o, nil
	}
	o.Native = c.Fix.Test.Image
	checks, err := verify.NewCase(&recipe.Recipe{}, c.task)
	if err != nil {
		o.fail("checks", err.Error())
		return o, nil
	}
	checks.MustRepeat()
	var wrong []verify.Shortcut
	for _, s := range c.Fix.Test.Shortcuts {
		wrong = append(wrong, verify.Shortcut{ID: s.ID, Command: s.Command, Why: s.Why})
	}
	ex, err := checks.Admit(ctx, here, wrong)
	if err != nil {
		return o, fmt.Errorf("trying %s/%s: %w", c.Repair, c.Fix.ID, err)
	}
	if ex != nil {
		o.fail(phase(ex), ex.Why)
	}
	return o, nil
}

func (o *Outcome) fail(phase, detail string) {
	o.Status, o.Phase, o.Detail, o.Cause = Fail, phase, detail, cause(phase)
}

// beyondCore are the programs beyond the core utilities that scripts of tests
// use; where one is missing, nothing is said about the fix.
var beyondCore = pattern.New(`\b(python3|node|go|git)\b`)

// ofImages are more of them that an image is likely to have brought.
var ofImages = pattern.New(`\b(nc|lsof|ss|curl|wget|docker|make|gcc|java|ruby|cargo)\b`)

// runtimes are the programs beyond the core utilities that the contract's
// scripts call.
func (c Contract) runtimes() []string {
	text := c.Fix.Test.Setup + "\n" + c.Fix.Test.Before + "\n" + c.task.Solution
	names := beyondCore.FindAllString(text, -1)
	if c.Fix.Test.Image != "" {
		names = append(names, ofImages.FindAllString(text, -1)...)
	}
	return slices.DeleteFunc(names, func(tool string) bool { return !mentionsCommand(text, tool) })
}

// barred says why the contract can't be tried anywhere: "" when it can.
func (c Contract) barred() string {
	switch t := c.Fix.Test; {
	case t == nil:
		return "no test"
	case c.Fix.Class == repair.Privileged:
		return "privileged"
	case t.Image != "" && !c.Native:
		return fmt.Sprintf("needs image %s, no container backend", t.Image)
	}
	return ""
}

// missing says why the contract can't be tried here: "" when it can.
func (c Contract) missing(ctx context.Context, facts *repair.Facts, open verify.Opening) (string, error) {
	if why := c.barred(); why != "" {
		return why, nil
	}
	for _, tool := range c.runtimes() {
		if facts.Tools[tool] == "" {
			return "needs tool " + tool, nil
		}
	}
	why := c.Fix.When.Misses(facts)
	if why == "" || c.Fix.When.HasTool == "" {
		return why, nil
	}
	return c.bringsTool(ctx, open)
}

// bringsTool says what the fix misses once the test's setup has run, which may
// bring the tool itself.
func (c Contract) bringsTool(ctx context.Context, open verify.Opening) (string, error) {
	sb, err := open(ctx, nil, sandbox.Agent)
	if err != nil {
		return "", err
	}
	defer sb.Close()
	if _, err := sb.Exec(ctx, sandbox.Cmd{Script: c.Fix.Test.Setup}); err != nil {
		return "", err
	}
	facts, err := repair.Gather(ctx, sb, c.rep.ToolNames())
	if err != nil {
		return "", brokenWorld(err)
	}
	return c.Fix.When.Misses(facts), nil
}

// brokenWorld makes a world too broken to look at an error of its own.
func brokenWorld(err error) error {
	var ce *tools.CallError
	if errors.As(err, &ce) {
		return fmt.Errorf("looking at the sandbox: %s", ce.Reason)
	}
	return err
}

// mentionsCommand reports whether a script has tool at the start of a command.
func mentionsCommand(script, tool string) bool {
	return regexp.MustCompile(`(^|[\n;&|({!]\s*|\b(then|do|else|nohup|exec|if|while)\s+|[A-Z_]+=\S*\s+)` + tool +
		`\s`).MatchString(script)
}

// phase names the phase of a contract that an admission broke in.
func phase(x *trial.Exclude) string {
	switch {
	case x.Phase == "before", x.When == trial.OfBroken:
		return "precondition"
	case x.Phase == "solution":
		return "fix"
	case x.Phase == "again":
		return "idempotence"
	case x.Phase == "protect", x.Phase == "guard" && x.When == trial.OfSolved:
		return "collateral"
	}
	return x.Phase
}

// cause says what usually makes a contract break in a phase.
func cause(phase string) string {
	switch phase {
	case "setup":
		return "a command of setup failed or is not there: setup runs under bash in an empty project without a network"
	case "precondition":
		return "setup does not stage the fault, or a check holds whatever happens (|| true, a test for what " +
			"setup has made)"
	case "guard":
		return "guard must hold before the fix as well: it says what must not break, not what the fix achieves"
	case "fix":
		return "the command failed in a shell of its own: it needs a tool, a value or a directory that only " +
			"another phase had"
	case "after", "verify":
		return "the command does not do what the check asks for, " +
			"or does it in a variable or a process that ends with the command"
	case "idempotence":
		return "the command appends, toggles or counts: let it look before it changes"
	case "collateral":
		return "the command changes or deletes what it should leave alone"
	case "checks":
		return "the test has no after and no verify, or one that can't be compiled"
	}
	return "after, verify, guard and protect accept a wrong repair: " +
		"check the state it should have left, not only the output"
}
