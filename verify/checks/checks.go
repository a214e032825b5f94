// Package checks compiles what a task runs: its scripts, its checks, its verify
// blocks and criteria.
package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/shell"
	"cookoff/trial"
	"cookoff/verify/lint"
	"cookoff/verify/tree"
)

// Time limits of checks that name none.
const (
	DefaultTimeout = 2 * time.Minute
	verifyTimeout  = time.Minute
)

// Set is what a task runs: its scripts, and all checks that judge it.
type Set struct {
	Setup  string
	Before string
	Serves []recipe.Service
	Needs  []string // programs without which the task is not tried
	Limits recipe.ScriptLimits
	// solutions are the ways to mend it that the task names.
	Solutions []string
	Guard     []Script
	After     []Script
	Blocks    []Block
	Protect   []string
	Criteria  []Criterion
}

// Compile compiles the checks of a task: its own, and those that the recipe
// applies to every task.
func Compile(r *recipe.Recipe, t recipe.Task) Set {
	c := Set{
		Setup: t.Setup, Before: t.Before, Serves: t.Services, Needs: t.Needs, Solutions: solutionsOf(t),
		Limits: t.Limits, Protect: Globs(t.Protect),
		Guard: scripts(trial.KindGuard, t.Guard), After: scripts(trial.KindAfter, t.After),
	}
	for i, b := range t.Verify {
		c.Blocks = append(c.Blocks, CompileBlock(fmt.Sprintf("verify[%d]", i), b, true))
	}
	for i, b := range r.Verify {
		c.Blocks = append(c.Blocks, CompileBlock(fmt.Sprintf("recipe.verify[%d]", i), b, false))
	}
	for i, cr := range r.SuccessCriteria {
		c.Criteria = append(c.Criteria, Criterion{fmt.Sprintf("criterion[%d] %s", i, cr.Kind), cr})
	}
	return c
}

// Script is a check that judges by its exit status.
type Script struct {
	Name    string
	Kind    trial.CheckKind
	Text    string
	Live    bool
	Timeout time.Duration
	Env     []string // for it alone
}

// Command is the script as a world runs it, beside the variables env.
func (c Script) Command(env []string) sandbox.Cmd {
	return sandbox.Cmd{Script: c.Text, Env: slices.Concat(env, c.Env), Timeout: c.Timeout}
}

// Block is a verify block, its defaults filled in.
type Block struct {
	Name           string
	Own            bool // of the task, not of the whole recipe
	Mode           string
	Format         string
	Version        string // literal
	VersionCommand string
	Binary         string
	Live           bool
	Timeout        time.Duration
	Commands       []Command
}

// Command is a check that runs a command: it holds where the exit status is Exit and the
// Stream (stdout, stderr or both) shows the patterns.
type Command struct {
	Text     string
	Patterns []string
	Exit     int
	Stream   string
}

// Criterion is a criterion of a recipe, by the name of its check.
type Criterion struct {
	Name string
	recipe.Criterion
}

func solutionsOf(t recipe.Task) []string {
	if t.Solution == "" {
		return nil
	}
	return append([]string{t.Solution}, t.Others...)
}

// Globs is glob of each.
func Globs(list []string) []string {
	var out []string
	for _, g := range list {
		out = append(out, tree.Pattern(g))
	}
	return out
}

func scripts(kind trial.CheckKind, list []recipe.Check) []Script {
	var out []Script
	for i, c := range list {
		name := string(kind)
		if len(list) > 1 {
			name = fmt.Sprintf("%s[%d]", kind, i)
		}
		out = append(out, Script{Name: name, Kind: kind, Text: c.Script, Live: c.Live,
			Timeout: cmp.Or(c.Timeout, DefaultTimeout), Env: c.Env})
	}
	return out
}

// CompileBlock fills in what a linted block leaves out.
func CompileBlock(name string, b recipe.VerifyBlock, own bool) Block {
	out := Block{
		Name: name, Own: own, Mode: lint.ModeOf(b), Format: b.VersionFormat, Version: b.Version,
		VersionCommand: b.VersionCommand, Binary: b.Binary, Live: b.Live, Timeout: verifyTimeout,
	}
	if d, err := lint.TimeoutOf(b); err == nil && d > 0 {
		out.Timeout = d
	}
	first := recipe.VerifyExtra{Command: b.Command, Pattern: b.Pattern, Patterns: b.Patterns, ExitCode: b.ExitCode,
		Stream: b.Stream}
	for _, x := range append([]recipe.VerifyExtra{first}, b.Additional...) {
		cmd := Command{Text: x.Command, Patterns: lint.PatternsOf(x), Stream: x.Stream}
		if cmd.Stream == "" {
			cmd.Stream = lint.StreamStdout
		}
		if x.ExitCode != nil {
			cmd.Exit = *x.ExitCode
		}
		out.Commands = append(out.Commands, cmd)
	}
	return out
}

// Strength says on what a block's verdict rests.
func (b Block) Strength() trial.Strength {
	switch {
	case b.Live:
		return trial.StrengthLive
	case b.Mode == lint.ModeVersion:
		return trial.StrengthVersion
	case b.Mode == lint.ModeOutput:
		return trial.StrengthOutput
	}
	for _, c := range b.Commands {
		if len(c.Patterns) > 0 {
			return trial.StrengthFunctional
		}
	}
	return trial.StrengthRuns
}

// Texts are the scripts of the checks that judge a final state.
func (c *Set) Texts() []string {
	var out []string
	for _, s := range slices.Concat(c.Guard, c.After) {
		out = append(out, s.Text)
	}
	for _, b := range c.Blocks {
		for _, cmd := range b.Commands {
			out = append(out, cmd.Text)
		}
	}
	for _, cr := range c.Criteria {
		if cr.Kind == "run" {
			out = append(out, cr.Text)
		}
	}
	return out
}

// Tools are the programs the checks of a case call by name.
func (c *Set) Tools() []string {
	var names []string
	for _, s := range c.After {
		names = append(names, shell.Programs(s.Text)...)
	}
	for _, b := range c.Blocks {
		for _, cmd := range b.Commands {
			names = append(names, shell.Programs(cmd.Text)...)
		}
	}
	for _, cr := range c.Criteria {
		if cr.Kind == "run" {
			names = append(names, shell.Programs(cr.Text)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Named are the scripts and commands of a case, each under its name.
func (c *Set) Named() []Script {
	list := slices.Concat(c.Guard, c.After)
	for _, b := range c.Blocks {
		for _, cmd := range b.Commands {
			list = append(list, Script{Name: b.Name, Text: cmd.Text, Timeout: b.Timeout})
		}
	}
	for _, cr := range c.Criteria {
		if s := cr.Script(); s.Text != "" {
			list = append(list, s)
		}
	}
	return list
}

// TestScripts are the checks that may be test runs.
func (c *Set) TestScripts() []Script {
	var list []Script
	for _, s := range c.After {
		if !s.Live {
			list = append(list, s)
		}
	}
	for _, cr := range c.Criteria {
		if s := cr.Script(); s.Text != "" {
			list = append(list, s)
		}
	}
	return list
}

// AsksLive reports whether a check looks at the processes of the trial's world.
func (c *Set) AsksLive() bool {
	return slices.ContainsFunc(slices.Concat(c.Guard, c.After), func(s Script) bool { return s.Live }) ||
		slices.ContainsFunc(c.Blocks, func(b Block) bool { return b.Live })
}

// Script is what a run criterion runs; of another kind it is empty.
func (c Criterion) Script() Script {
	if c.Kind != "run" {
		return Script{Name: c.Name, Kind: trial.KindCriterion}
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	return Script{Name: c.Name, Kind: trial.KindCriterion, Text: c.Text, Timeout: timeout}
}

// About is the text of a task's scripts and of its own checks, as far as they name
// what they are about.
func (c *Set) About() string {
	about := c.Setup + c.Before + strings.Join(c.Solutions, "\n")
	for _, s := range c.Serves {
		about += s.Command
	}
	for _, s := range slices.Concat(c.Guard, c.After) {
		about += s.Text
	}
	return about
}
