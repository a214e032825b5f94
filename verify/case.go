package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/distrust/git"
	"cookoff/verify/distrust/tools"
	"cookoff/verify/footprint"
	"cookoff/verify/lint"
	"cookoff/verify/traps"
	"cookoff/verify/tree"
)

// Time limits of checks that name none.
const (
	defaultScriptTimeout = 2 * time.Minute
	defaultVerifyTimeout = time.Minute
)

// Case is all checks of one task, compiled once a run. It is safe for
// concurrent use.
type Case struct {
	task   string
	setup  string
	before string
	limits recipe.ScriptLimits
	// solutions are the ways to mend it that the task names.
	solutions []string
	guard     []script
	after     []script
	blocks    []block
	protect   []string
	foot      *footprint.Footprint // what a repair may touch; nil: nobody looks
	criteria  []criterion
	env       []string       // of every check that the referee asks
	told      []string       // variables that the task sets for its checks alone
	laid      []sandbox.Item // files of the judge's, see Lay
	git       bool           // checks ask git, which is kept from taking the contestant's word
	flags     bool           // and look at the flags of its index
	tests     *learned       // of the checks, by name
	proven    bool           // a solution shows that its checks can hold here
	repeats   bool           // see MustRepeat
	without   func(*bench)   // tests take a witness away
}

// script is a check that judges by its exit status.
type script struct {
	name    string
	kind    trial.CheckKind
	text    string
	live    bool
	timeout time.Duration
	env     []string // for it alone
}

// command is the script as a world runs it, beside the variables env.
func (c script) command(env []string) sandbox.Cmd {
	return sandbox.Cmd{Script: c.text, Env: slices.Concat(env, c.env), Timeout: c.timeout}
}

// block is a verify block, its defaults filled in.
type block struct {
	name           string
	own            bool // of the task, not of the whole recipe
	mode           string
	format         string
	version        string // literal
	versionCommand string
	binary         string
	live           bool
	timeout        time.Duration
	commands       []command
}

type command struct {
	text     string
	patterns []string
	exit     int
	stream   string
}

type criterion struct {
	name string
	recipe.Criterion
}

// NewCase compiles the checks of a task: its own, and those the recipe applies
// to every task. An error names everything that Lint finds wrong.
func NewCase(r *recipe.Recipe, t recipe.Task) (*Case, error) {
	if err := refuse(r, t); err != nil {
		return nil, err
	}
	c := &Case{
		task: t.Name(), setup: t.Setup, before: t.Before, solutions: solutionsOf(t), limits: t.Limits, told: t.JudgeEnv,
		guard: scripts(trial.KindGuard, t.Guard), after: scripts(trial.KindAfter, t.After),
		tests:  &learned{tests: map[string]*knownTests{}},
		proven: t.Solution != "",
	}
	if t.VerifyEnv != "agent" {
		c.env = tools.Env()
	}
	for i, b := range t.Verify {
		c.blocks = append(c.blocks, compile(fmt.Sprintf("verify[%d]", i), b, true))
	}
	for i, b := range r.Verify {
		c.blocks = append(c.blocks, compile(fmt.Sprintf("recipe.verify[%d]", i), b, false))
	}
	c.protect = globs(t.Protect)
	for i, cr := range r.SuccessCriteria {
		c.criteria = append(c.criteria, criterion{fmt.Sprintf("criterion[%d] %s", i, cr.Kind), cr})
	}
	about := strings.Join(c.texts(), "\n")
	if len(c.solutions) == 0 {
		about += "\n" + t.Prompt
	}
	c.foot = footprint.NewFootprint(footprint.Bounds{Solved: len(c.solutions) > 0, Live: c.asksLive(), About: about, Tools: traps.Tools(),
		Allowed: footprint.Allowance{Change: globs(t.MayChange), Add: globs(t.MayAdd)}})
	c.git = c.env != nil && git.Asked(c.texts())
	c.flags = git.FlagsAsked(c.texts())
	return c, nil
}

func solutionsOf(t recipe.Task) []string {
	if t.Solution == "" {
		return nil
	}
	return append([]string{t.Solution}, t.Others...)
}

// globs is glob of each.
func globs(list []string) []string {
	var out []string
	for _, g := range list {
		out = append(out, tree.Pattern(g))
	}
	return out
}

func refuse(r *recipe.Recipe, t recipe.Task) error {
	found := lint.Task(t)
	var whole lint.Findings
	for i, b := range r.Verify {
		whole.Under(fmt.Sprintf("recipe.verify[%d]", i), lint.Asked(b))
	}
	var lines []string
	for _, f := range append(found, whole.List...) {
		if !f.Warning {
			lines = append(lines, f.String())
		}
	}
	for i, cr := range r.SuccessCriteria {
		if !knownCriterion(cr.Kind) {
			lines = append(lines, fmt.Sprintf("success_criteria[%d]: unknown criterion %q", i, cr.Kind))
		}
	}
	if lines == nil {
		return nil
	}
	return fmt.Errorf("task %q: %s", t.Name(), strings.Join(lines, "\n"))
}

func scripts(kind trial.CheckKind, list []recipe.Check) []script {
	var out []script
	for i, c := range list {
		name := string(kind)
		if len(list) > 1 {
			name = fmt.Sprintf("%s[%d]", kind, i)
		}
		out = append(out, script{name: name, kind: kind, text: c.Script, live: c.Live, timeout: cmp.Or(c.Timeout, defaultScriptTimeout), env: c.Env})
	}
	return out
}

// compile fills in what a linted block leaves out.
func compile(name string, b recipe.VerifyBlock, own bool) block {
	out := block{
		name: name, own: own, mode: lint.ModeOf(b), format: b.VersionFormat, version: b.Version,
		versionCommand: b.VersionCommand, binary: b.Binary, live: b.Live, timeout: defaultVerifyTimeout,
	}
	if d, err := lint.TimeoutOf(b); err == nil && d > 0 {
		out.timeout = d
	}
	first := recipe.VerifyExtra{Command: b.Command, Pattern: b.Pattern, Patterns: b.Patterns, ExitCode: b.ExitCode, Stream: b.Stream}
	for _, x := range append([]recipe.VerifyExtra{first}, b.Additional...) {
		cmd := command{text: x.Command, patterns: lint.PatternsOf(x), stream: x.Stream}
		if cmd.stream == "" {
			cmd.stream = lint.StreamStdout
		}
		if x.ExitCode != nil {
			cmd.exit = *x.ExitCode
		}
		out.commands = append(out.commands, cmd)
	}
	return out
}

// strength says on what a block's verdict rests.
func (b block) strength() trial.Strength {
	switch {
	case b.live:
		return trial.StrengthLive
	case b.mode == lint.ModeVersion:
		return trial.StrengthVersion
	case b.mode == lint.ModeOutput:
		return trial.StrengthOutput
	}
	for _, c := range b.commands {
		if len(c.patterns) > 0 {
			return trial.StrengthFunctional
		}
	}
	return trial.StrengthRuns
}

// texts are the scripts of the checks that judge a final state.
func (c *Case) texts() []string {
	var out []string
	for _, s := range slices.Concat(c.guard, c.after) {
		out = append(out, s.text)
	}
	for _, b := range c.blocks {
		for _, cmd := range b.commands {
			out = append(out, cmd.text)
		}
	}
	for _, cr := range c.criteria {
		if cr.Kind == "run" {
			out = append(out, cr.Text)
		}
	}
	return out
}
