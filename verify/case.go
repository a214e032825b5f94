// Package verify decides whether an environment really was mended: it checks
// versions and verify blocks, admits tasks before a model is paid for, and
// judges final states where no contestant can reach.
//
// There is one evaluator. A run, the admission of a task and a check made by
// hand all judge through Case.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/verify/checks"
	"cookoff/verify/distrust/git"
	"cookoff/verify/distrust/tools"
	"cookoff/verify/footprint"
	"cookoff/verify/lessons"
	"cookoff/verify/lint"
	"cookoff/verify/services"
	"cookoff/verify/substitutes"
	"cookoff/verify/traps"
	"cookoff/verify/witness"
)

// Case is all checks of one task, compiled once a run. It is safe for
// concurrent use.
type Case struct {
	task string
	checks.Set
	foot       *footprint.Footprint // what a repair may touch; nil: nobody looks
	starts     *footprint.Starts    // the states that were staged
	env        []string             // of every check that the referee asks
	told       []string             // variables that the task sets for its checks alone
	judgeFiles judgeFiles           // see Lay
	git        gitChecks
	tests      *lessons.Store       // of the checks, by name
	repeats    bool                 // see MustRepeat
	patch      bool                 // the change of the project is judged, in clean worlds
	without    func(*witness.Bench) // tests take a witness away
}

// NewCase compiles the checks of a task: its own, and those the recipe applies
// to every task. An error names everything that Lint finds wrong.
func NewCase(r *recipe.Recipe, t recipe.Task) (*Case, error) {
	if err := refuse(r, t); err != nil {
		return nil, err
	}
	c := &Case{
		task: t.Name(), Set: checks.Compile(r, t), told: t.JudgeEnv, patch: t.Judge == "patch",
		tests: lessons.New(), starts: &footprint.Starts{},
	}
	if t.VerifyEnv != "agent" {
		c.env = tools.Env()
	}
	about := strings.Join(c.Texts(), "\n")
	asks := footprint.AsksGit(about)
	if len(c.Solutions) == 0 {
		about += "\n" + t.Prompt
	}
	c.foot = footprint.NewFootprint(footprint.Bounds{Solved: len(c.Solutions) > 0, Live: c.AsksLive(),
		Stays:   c.AsksLive() || len(c.Serves) > 0,
		Referee: c.env != nil, About: about, Prompt: t.Prompt, Tools: traps.Tools(), AsksGit: asks,
		Rewrites: footprint.RewritesGit(strings.Join(c.Solutions, "\n")),
		Commits:  !footprint.AsksHistory(about) && !footprint.ForbidsCommits(t.Prompt),
		Allowed:  footprint.Allowance{Change: checks.Globs(t.MayChange), Add: checks.Globs(t.MayAdd)}})
	c.git = gitChecks{asked: c.env != nil && git.Asked(c.Texts()), flags: git.FlagsAsked(c.Texts())}
	return c, nil
}

func refuse(r *recipe.Recipe, t recipe.Task) error {
	t.Mounts, t.Root = slices.Concat(r.Sandbox.Mounts, t.Mounts), cmp.Or(t.Root, r.Sandbox.Root)
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

// MayChange are globs of what the task lets a repair change though no solution does.
func (c *Case) MayChange() []string { return c.foot.Allowed.Change }

// WithBlocks is the case with other verify blocks, whose checks alone are asked:
// nobody looks at what was touched.
func (c *Case) WithBlocks(list []checks.Block) *Case {
	out := *c
	out.foot, out.Blocks = nil, list
	return &out
}

// Learned is what admission learned of the tests of a task and of what its
// solutions touch, for Learn of a later run; nil where there is nothing.
func (c *Case) Learned() []byte { return c.tests.Keep(c.foot.All()) }

// Learn takes what an admission of the same task learned.
func (c *Case) Learn(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	touched, traced, err := c.tests.Restore(text)
	if traced {
		c.foot.Know(touched)
	}
	return err
}

// Quiet stops the services of a task, so that what they hold is written. Errors are the
// sandbox's.
func (c *Case) Quiet(ctx context.Context, sb sandbox.Sandbox) error {
	return services.Stop(ctx, sb, c.Serves)
}

// substitutes say what the referee has in place of what was left.
func (c *Case) substitutes() substitutes.Rule {
	return substitutes.Rule{Foot: c.foot, About: c.About(), Protect: c.Protect}
}
