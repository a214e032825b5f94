package initialize

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/propose"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner/project"
)

// initiation is one "init": the questions, and what the answers lead to.
type initiation struct {
	*door.Door
	initFlags
	given  func(flag string) bool
	warned problem.List  // about the answers
	took   time.Duration // of one run of the test command, the shortest
	step   atomic.Value  // string: of the proof of the task
	halted bool          // the proof was interrupted
}

// A task is proved with about so many runs of its check; one whose solution is known, as of a
// fault that was planted, with more. Where they take longer than this together, how long is said
// before.
const (
	provingRuns  = 7
	provingMends = 17
	longProving  = 20 * time.Second
)

// run asks what no flag says and writes the recipe.
func (i *initiation) run(ctx context.Context) error {
	if !i.force && i.output != "-" {
		if _, err := os.Lstat(i.output); err == nil {
			return cli.Usage("%s is there already\n  hint: --force overwrites it, --output names another file",
				i.output)
		}
	}
	if i.output != "-" {
		if err := cli.CanWrite("", i.output); err != nil {
			return err
		}
	}
	if what := project.Everything(i.Dir); what != "" {
		return cli.Usage("this is %s, and no project: every model would see all of it, with keys and mail\n"+
			"  hint: go to the directory of a project, or make one (mkdir)", what)
	}
	if _, err := os.Lstat(filepath.Join(i.Dir, ".git")); err == nil {
		i.git = true
	}
	i.dir, i.members = i.Dir, propose.Members(i.Dir)
	if err := i.command(ctx); err != nil {
		return i.unproven(ctx, err)
	}
	if i.Asks() {
		if err := i.rest(ctx); err != nil {
			return err
		}
	}
	if err := i.problems(ctx); err != nil {
		return err
	}
	return i.write()
}

// command finds the test command: the flag, else the first of the proposals, or
// what is answered. An answer that can't be is asked for again.
func (i *initiation) command(ctx context.Context) error {
	given := i.given("test-command")
	list := propose.Commands(i.Dir)
	switch {
	case given:
	case len(list) > 0 && !propose.OneOfSeveral(i.Dir, list):
		i.test = proposed(i.Say, list)
	default:
		if all, here, ok := several(i.Say, propose.Below(i.Dir)); ok {
			i.test, i.all, i.below = all.Text, all.Text, here
		}
	}
	if given {
		return i.try(ctx)
	}
	if !i.Asks() {
		return i.tryEach(ctx, list)
	}
	question := "Which command must succeed in the end? (none: an example is staged)"
	if i.test != "" {
		question = "Which command must succeed in the end? (- for none: an example is staged)"
	}
	return again(ctx, i.Door, question, &i.test, func() error {
		if i.test == "-" {
			i.test = ""
		}
		return i.try(ctx)
	})
}

// tryEach tries what is proposed, and where that finds no tests what is proposed after it.
func (i *initiation) tryEach(ctx context.Context, list []propose.Command) error {
	first := i.try(ctx)
	for at := slices.IndexFunc(list, func(c propose.Command) bool { return c.Text == i.test }) + 1; at > 0 &&
		at < len(list) && errors.As(first, new(untestedError)); at++ {
		if !door.Installed(list[at].Program()) {
			continue
		}
		was := i.test
		i.test, i.fault = list[at].Text, nil
		i.Say("%s finds no tests: trying %s", text.Line(was), text.Line(i.test))
		if err := i.try(ctx); !errors.As(err, new(untestedError)) {
			return err
		}
		i.test = was
	}
	return first
}

// proposed says which test commands a project proposes, and gives the first whose
// program is installed.
func proposed(say func(format string, args ...any), list []propose.Command) string {
	first := max(slices.IndexFunc(list, func(c propose.Command) bool { return door.Installed(c.Program()) }), 0)
	c := list[first]
	say("%s proposes: %s", text.Line(c.From), text.Line(c.Text))
	for n, other := range list {
		switch missing := !door.Installed(other.Program()); {
		case n == first && missing:
			say("  but %s is not installed here", text.Line(other.Program()))
		case n == first:
		case missing:
			say("  or %s, but %s is not installed here", text.Line(other.Text), text.Line(other.Program()))
		default:
			say("  or, as %s has it: %s", text.Line(other.From), text.Line(other.Text))
		}
	}
	return c.Text
}

// several proposes what tests all projects below, where the directory itself is none; ok is false where nothing does.
func several(say func(format string, args ...any), below []propose.Member) (all propose.Command,
	here []propose.Member, ok bool) {
	here = slices.DeleteFunc(slices.Clone(below), func(c propose.Member) bool { return !door.Installed(c.Program()) })
	if all, ok = propose.Together(here); !ok {
		sayNothingProposes(say, below)
		return all, nil, false
	}
	for _, c := range below {
		if !slices.Contains(here, c) {
			say("%s proposes %s, but %s is not installed here: it is left out", text.Line(c.From), text.Line(c.Text),
				text.Line(c.Program()))
		}
	}
	say("%s propose: %s", text.Line(all.From), text.Line(all.Text))
	return all, here, true
}

// sayNothingProposes says why the recipe is an example, and where else to look.
func sayNothingProposes(say func(format string, args ...any), below []propose.Member) {
	say("nothing here says how the project is tested " +
		"(go.mod, Cargo.toml, package.json with a test script, pytest, pom.xml,\n" +
		"CMakeLists.txt with tests, a Makefile with a target test, …): the recipe is an example")
	for _, c := range below {
		say("  but %s proposes: %s", text.Line(c.From), text.Line(c.Text))
	}
	hint := "cookoff init --force --test-command 'COMMAND' writes one that your own command judges"
	if len(below) > 0 {
		if dir, err := syntax.Quote(below[0].Dir, syntax.LangBash); err == nil {
			hint = fmt.Sprintf("cookoff init in there, or --test-command %q", "cd "+dir+" && "+below[0].Text)
		}
	}
	say("  hint: %s", hint)
}

// rest asks for what else no flag says.
func (i *initiation) rest(ctx context.Context) error {
	if !i.given("task") && i.test != "" {
		i.task = promptFor(i.test)
		if err := again(ctx, i.Door, "What are models told?", &i.task, func() error { return i.problems(ctx) }); err != nil {
			return err
		}
	}
	if i.given("models") {
		return nil
	}
	models := strings.Join(i.defaultModels(), ", ")
	return again(ctx, i.Door, "Which models try it? (cookoff models lists providers)", &models, func() error {
		i.initFlags.models = nil
		for m := range strings.SplitSeq(models, ",") {
			if m = strings.TrimSpace(m); m != "" {
				i.initFlags.models = append(i.initFlags.models, m)
			}
		}
		return i.problems(ctx)
	})
}

// again asks until check takes the answer; what was answered before is kept, and
// the offer of the first time is the offer of each.
func again(ctx context.Context, d *door.Door, question string, answer *string, check func() error) error {
	offered := *answer
	for {
		var err error
		if *answer, err = d.Ask(ctx, question, offered); err != nil {
			return err
		}
		err = check()
		f, wrong := errors.AsType[*cli.Failure](err)
		if !wrong || f.Code != cli.ExitUsage {
			return err
		}
		d.PrintError(f.Err)
	}
}

// text is the recipe as it is written.
func (i *initiation) text() string {
	r := i.recipe(filepath.Base(i.Dir))
	return strings.Replace(r.MarshalMarkdown(), "\n## Models\n",
		"\n## Models\n\n<!-- The contestants, such as openai/gpt-5-mini; \"cookoff models\" says who can be asked. -->",
		1)
}

// checked reads the recipe of the answers, and checks it. The error is what is
// wrong with the answers.
func (i *initiation) checked(ctx context.Context) (*cookoff.Comparison, error) {
	text := i.text()
	read, err := recipe.ParseContent([]byte(text))
	if ps := (problem.List)(nil); errors.As(err, &ps) {
		err = fromAnswers(ps, text)
	}
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
	}
	o := i.Options(false, false)
	o.Offline, o.Proving = true, func(_, step string) { i.step.Store(step) }
	if i.output != "-" {
		o.Outputs = []string{i.output} // no part of the project, as in the run to come
	}
	c, err := cookoff.Check(ctx, read.Over(recipe.Defaults()), nil, o)
	if ps := (problem.List)(nil); errors.As(err, &ps) {
		err = fromAnswers(ps, text)
	}
	return c, door.Failure(ctx, err)
}

func (i *initiation) problems(ctx context.Context) error {
	c, err := i.checked(ctx)
	if err == nil {
		i.warned = c.Problems()
	}
	return err
}

// try runs the test command in the sandbox that it will judge in, says what came
// of it, and plants a fault where nothing is broken. What comes of that must be
// fit to be run.
func (i *initiation) try(ctx context.Context) error {
	i.fault, i.vars, i.setup = nil, nil, ""
	c, err := i.checked(ctx)
	if err != nil || i.test == "" {
		return err
	}
	if err := c.Check(ctx); err != nil {
		i.Say("the command was not tried: %v", err)
		return nil
	}
	if err := i.look(ctx, c); err != nil {
		return err
	}
	if c, err = i.checked(ctx); err != nil {
		return err
	}
	runs := provingRuns
	if i.fault != nil {
		runs = provingMends
	}
	end := i.saying(runs, time.Duration(runs)*i.took)
	found, _, err := c.Lint(ctx, cookoff.Proving, nil, nil)
	end()
	if i.halted = ctx.Err() != nil; i.halted || err != nil || len(found.Errors()) == 0 {
		return door.Failure(ctx, err)
	}
	from := "--test-command"
	if !i.given("test-command") && !i.Asks() {
		from = text.Line(i.test)
	}
	for n := range found {
		found[n].Pos = problem.Pos{File: from}
	}
	return cli.Fail(cli.ExitUsage, found.Errors())
}

// saying says of a proof what it runs, of a long one how long it may take, and then each minute how long it has taken,
// until end is called.
func (i *initiation) saying(runs int, long time.Duration) (end func()) {
	about := ""
	if long > longProving {
		about = ", about " + text.Clock(long)
	}
	i.Say("proving the task, without a model: some %d runs of %s%s", runs, text.Line(i.test), about)
	return i.EachMinute(func(passed time.Duration) string {
		step, _ := i.step.Load().(string)
		return soFar(passed, long, step)
	})
}

// soFar says how long a proof has taken, of how much that was expected, and where it is.
func soFar(took, expected time.Duration, step string) string {
	words := "proving the task: " + text.Clock(took) + " so far, of about " + text.Clock(expected)
	if took > expected {
		words = "proving the task: " + text.Clock(took) + " so far, longer than the " + text.Clock(expected) +
			" that were expected"
	}
	if step != "" {
		words += "; at " + step
	}
	return words
}

// unproven gives err, with which the command was not taken. Where that is because somebody interrupted the
// proof, what was found until then is written: "run" proves it as well.
func (i *initiation) unproven(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if !i.halted || i.output == "-" {
		i.Say("interrupted: nothing was written")
		return err
	}
	if err := cli.Create(i.output, []byte(i.text()), i.force); err != nil {
		return err
	}
	i.Say("interrupted: wrote %s, whose task is not proven yet\n"+
		"  hint: cookoff run %[1]s proves it, and runs it", i.output)
	return cli.Fail(cli.InterruptCode(ctx), nil)
}

// write puts the recipe where --output says.
func (i *initiation) write() error {
	text := i.text()
	if !i.Quiet {
		cli.PrintProblems(i.Err, i.warned)
	}
	if i.output == "-" {
		_, err := io.WriteString(i.Out, text)
		return cli.Written(err)
	}
	if err := cli.Create(i.output, []byte(text), i.force); err != nil {
		return err
	}
	i.Say("wrote %s\n  hint: cookoff run %[1]s", i.output)
	return nil
}
