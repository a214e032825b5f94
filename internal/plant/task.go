package plant

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/internal/mine"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/patches"
	"cookoff/internal/mutants"
	"cookoff/recipe"
	"cookoff/verify/testrun"

	"mvdan.cc/sh/v3/syntax"
)

// task makes a task of faults that the tests notice one by one; nil: together they are
// not noticed as a fault should be, or by other tests from run to run.
func (s *sower) task(ctx context.Context, held []fault, failed *testrun.Outcome, n int) (*Task, error) {
	var edits []mutants.Edit
	for _, f := range held {
		edits = append(edits, f.Edit)
	}
	tried := s.Tried
	if len(held) > 1 { // it failed with the last of them alone
		failed = nil
	}
	first, failed, err := alike(failed, func() (*testrun.Outcome, error) { return s.notices(ctx, edits) })
	s.Tried = tried // these faults were counted
	if err != nil || failed == nil {
		return nil, err
	}
	t := &Task{Tests: failed.Failed}
	for _, e := range edits {
		t.Edits = append(t.Edits, e.String())
	}
	command := s.command(edits)
	r := &t.Recipe
	r.Title = fmt.Sprintf("Planted %d of seed %d", n, s.Seed)
	r.Prompt = prompt(command, failed, first)
	r.Base = s.Base
	r.Setup, r.Solution = s.scripts(edits)
	r.After = []recipe.Check{{Script: command}}
	if limit := (10 * s.green[command].Duration).Round(time.Minute); limit > 2*time.Minute {
		r.After[0].Timeout = limit
	}
	r.Path = s.Path
	r.Tags = []string{"planted", fmt.Sprintf("faults-%d", len(edits))}
	for _, e := range edits {
		if !slices.Contains(r.Tags, e.Operator) {
			r.Tags = append(r.Tags, e.Operator)
		}
	}
	return t, nil
}

// alike runs tests with the same faults until three runs are known, and gives the first and the last of them; nil:
// other tests fail from run to run, by chance. known is a run that there was; nil: there was none.
func alike(known *testrun.Outcome, run func() (*testrun.Outcome, error)) (first, last *testrun.Outcome, err error) {
	first, last = known, known
	for n := 0; n < 3; n++ {
		if n == 0 && known != nil {
			continue
		}
		last, err = run()
		if err != nil || last == nil || first != nil && !slices.Equal(last.Failed, first.Failed) {
			return nil, nil, err
		}
		first = cmp.Or(first, last)
	}
	return first, last, nil
}

// scripts are the one that plants and the one that mends. Times of files stay as they
// were, and a history that would tell is begun anew.
func (s *sower) scripts(edits []mutants.Edit) (setup, solution string) {
	var plant, mend, touch, back strings.Builder
	for i, f := range files(edits) {
		own := slices.DeleteFunc(slices.Clone(edits), func(e mutants.Edit) bool { return e.File != f })
		wrong := mutants.Apply(s.texts[f], own)
		plant.WriteString(mutants.Patch(f, s.texts[f], wrong))
		mend.WriteString(mutants.Patch(f, wrong, s.texts[f]))
		name, err := syntax.Quote(f, syntax.LangBash)
		if err != nil { // such names are no source's
			name = "."
		}
		fmt.Fprintf(&touch, "touch -r %s /tmp/.%d\n", name, i)
		fmt.Fprintf(&back, "touch -r /tmp/.%d %s; rm /tmp/.%[1]d\n", i, name)
	}
	setup = mine.Proven + "set -e\n" + touch.String() + patches.ScriptWith(plant.String(),
		"--unidiff-zero --whitespace=nowarn") + "\n" + back.String() +
		"find . -name __pycache__ -prune -exec rm -rf {} +"
	if s.Git || s.Base != "" {
		setup += "\nrm -rf .git\ngit init -q -b main .\n" +
			"git add -A\ngit -c user.name=base -c user.email=base@localhost commit -q --no-verify --no-gpg-sign -m base"
	}
	return setup, patches.ScriptWith(mend.String(), "--unidiff-zero --whitespace=nowarn")
}

// prompt is what models are told; other is another run of the tests that failed.
func prompt(command string, red, other *testrun.Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s` fails: %s", command, some(red.Failed))
	b.WriteString("\n")
	seen := outcome.Outcome{Outcome: red, Other: outcome.Of(other)}
	if out := seen.Excerpt(red.Failed, nil); out != "" {
		fence := "```"
		for strings.Contains(out, fence) {
			fence += "`"
		}
		b.WriteString("\n" + fence + "text\n" + out + "\n" + fence + "\n")
	}
	b.WriteString("\nFind out why and mend the code. The tests are right: leave them as they are.")
	return b.String()
}

// some names the first of several tests.
func some(names []string) string {
	if len(names) > 5 {
		return fmt.Sprintf("%s and %d more.", strings.Join(names[:5], ", "), len(names)-5)
	}
	return strings.Join(names, ", ") + "."
}
