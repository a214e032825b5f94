package initialize

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/diagnose"
	"cookoff/internal/propose"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// Bounds of planting a fault.
const (
	mostFaults = 12
	faultTime  = 3 * time.Minute // no further one is tried
	// A fault may have tests that never end: they get three times what they took without, and
	// so much more.
	shortTime = 5 * time.Second
)

// somebody is whom git takes for the author where nothing else says who that is.
var somebody = []string{"GIT_AUTHOR_NAME=tester", "GIT_AUTHOR_EMAIL=tester@localhost", "GIT_COMMITTER_NAME=tester",
	"GIT_COMMITTER_EMAIL=tester@localhost"}

// look runs the test command once, once more with what it lacked, and says what it saw.
func (i *initiation) look(ctx context.Context, c *cookoff.Comparison) error {
	i.prepare = propose.Preparation{}
	if i.get != "" && i.get != "none" {
		i.prepare = propose.Given(i.get)
		return i.lookPrepared(ctx)
	}
	venvs, err := i.Unrunnable(ctx)
	if err == nil {
		err = refuseVenvs(i.test, venvs, i.Say)
	}
	if err != nil {
		return err
	}
	hidden := []string{".cookoff", "**/.env", "**/.env.*"}
	links := propose.LinksOut(i.Dir)
	for _, name := range slices.Sorted(maps.Keys(links)) {
		i.Say("%s leads out of the project, to %s: no sandbox has it", text.Line(name), text.Line(links[name]))
		if name == "node_modules" { // which is got anew
			hidden = append(hidden, name)
		}
	}
	sb, err := c.Scratch(ctx, sandbox.Spec{Network: sandbox.NoNetwork, Hidden: hidden, Env: i.vars,
		Limits: sandbox.Limits{Call: faultTime}},
		func() { i.Say("running %s in the sandbox, without a network", text.Line(i.test)) })
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	run, err := i.tried(ctx, sb)
	if err == nil && !run.OK() && i.vars == nil && diagnose.GitNobody(printed(run)) {
		i.vars = somebody
		i.Say("git knows nobody in a sandbox, and the tests commit: the recipe sets GIT_AUTHOR_NAME and its like")
		if err := sb.Close(); err != nil {
			return cli.Fail(cli.ExitInfra, err)
		}
		return i.look(ctx, c)
	}
	if err == nil && !run.OK() && i.get == "" {
		err = i.part(ctx, c, hidden, run)
	}
	if err == nil && !run.OK() && i.get == "" && propose.Beyond(i.Dir, printed(run)) == "" {
		i.lacked = printed(run)
		if i.prepare = i.gets(string(run.Stdout) + "\n" + string(run.Stderr)); i.prepare.Command != "" {
			err = refuseMember(i.Dir, i.test)
		}
	}
	if err == nil && !run.OK() && i.prepare.Command == "" && !untested(run) {
		run, err = i.otherwise(ctx, sb, run)
	}
	switch {
	case err != nil:
	case run.OK():
		err = i.offerFault(ctx, sb, run)
	case i.prepare.Command == "" && untested(run):
		err = refuseUntested(i.test)
	case i.prepare.Command == "" && diagnose.Missing(run.Exit, printed(run)) != "":
		i.sayWhyRed(run, false)
		err = refuseMissing(i.test, diagnose.Missing(run.Exit, printed(run)), propose.Hint(printed(run)))
	case i.prepare.Command == "":
		err = i.red(ctx, sb, run)
	default:
		i.sayWhyRed(run, false)
	}
	err = errors.Join(err, sb.Close())
	if err != nil || i.prepare.Command == "" {
		return err
	}
	if i.Asks() {
		get, err := i.Accept(ctx,
			fmt.Sprintf("Something is missing. Get it with %q, once, in a sandbox with a network?", i.prepare.Command))
		if err != nil {
			return err
		}
		if !get {
			i.prepare = propose.Preparation{}
			return nil
		}
	}
	return i.lookPrepared(ctx)
}

// refuseVenvs says which virtual environments of the project no sandbox can run. A test command that one of them
// begins is refused: nothing could be judged.
func refuseVenvs(test string, list []door.Environment, say func(format string, args ...any)) error {
	for _, e := range list {
		switch {
		case strings.HasPrefix((propose.Command{Text: test}).Program(), e.Dir+"/bin/"):
			what, hint, _ := strings.Cut(e.Said, "\n")
			return cli.Usage("%s: nothing was written\n%s", text.Line(what), text.Lines(hint))
		case !strings.Contains(test, e.Dir+"/bin/"): // else it is said as the sandbox is opened
			say("%s", text.Lines(e.Said))
		}
	}
	return nil
}

// gets is what gets the packages that the test command missed, by its output.
func (f initFlags) gets(output string) propose.Preparation {
	if f.all != "" && f.test == f.all {
		return propose.PrepareTogether(f.dir, f.below, output, door.Installed)
	}
	return propose.PrepareBelow(f.dir, f.test, output, door.Installed)
}

// refuseMissing says that a program is not there, without which nothing can be judged.
func refuseMissing(test, program, hint string) error {
	if program == (propose.Command{Text: test}).Program() {
		return cli.Usage("there is no %s here: nothing was written\n  hint: %s", text.Line(program), hint)
	}
	return cli.Usage("%s needs %s, which is not there: nothing was written\n  hint: %s", text.Line(test), program,
		hint)
}

// lookPrepared runs the test command over what the preparation gets. One that fails
// is not put into the recipe.
func (i *initiation) lookPrepared(ctx context.Context) (err error) {
	was, all := i.test, i.all
	i.test = i.prepare.Called(i.test)
	if was == i.all {
		i.all = i.test
	}
	i.looking = true
	c, err := i.checked(ctx)
	i.looking = false
	if err != nil {
		return err
	}
	i.Say("the recipe gets what is missing with: %s", text.Line(i.prepare.Command))
	sb, done, err := c.Stage(ctx)
	if ctx.Err() != nil {
		return cli.Fail(cli.ExitInterrupted, nil)
	}
	if err != nil {
		if i.get != "" {
			return cli.Usage("--prepare: %v", err)
		}
		i.Say("  it did not work: %v", err)
		if why, hint := diagnose.TooOld(err.Error()); why != "" {
			return cli.Usage("%s %s: nothing was written\n  hint: %s", text.Line(was), text.Line(why), hint)
		}
		without := i.prepare.WithoutProject(i.Dir, was)
		i.prepare, i.test, i.all = propose.Preparation{}, was, all
		if without.Command != "" {
			i.Say("the project itself may be what can't be installed")
			i.prepare = without
			return i.lookPrepared(ctx)
		}
		return cli.Usage("%s lacks something that could not be got: nothing was written\n  hint: %s; or "+
			"--prepare names another command that gets it, and --prepare none does without",
			text.Line(was), propose.Hint(i.lacked))
	}
	defer func() {
		err = errors.Join(err, sb.Close())
		done()
	}()
	i.Say("running %s once more", text.Line(i.test))
	run, err := i.tried(ctx, sb)
	if err == nil && !run.OK() && !untested(run) {
		run, err = i.otherwise(ctx, sb, run)
	}
	switch {
	case err != nil:
		return err
	case run.OK():
		return i.offerFault(ctx, sb, run)
	case untested(run):
		return refuseUntested(i.test)
	}
	return i.red(ctx, sb, run)
}

// otherwise gives the run of a red test command with what no sandbox has by itself, or else of another command; the run
// as it was where neither is better.
func (i *initiation) otherwise(ctx context.Context, sb sandbox.Sandbox, red *testrun.Outcome) (*testrun.Outcome,
	error) {
	run, err := i.withEnvFile(ctx, sb, red)
	if err != nil || run.OK() {
		return run, err
	}
	return i.instead(ctx, sb, run)
}

// untested reports whether a test command found no tests.
func untested(run *testrun.Outcome) bool {
	return len(run.Passed)+len(run.Failed) == 0 && diagnose.NoTests(run.OK(), printed(run))
}

// untestedError refuses a test command that finds no tests.
type untestedError struct{ error }

func (e untestedError) Unwrap() error { return e.error }

// refuseUntested says that there is nothing yet that could judge a repair.
func refuseUntested(test string) error {
	return untestedError{cli.Usage("%s finds no tests, so it can't judge a repair: nothing was written\n"+
		"  hint: write a test first, or --test-command names what else has to succeed (a build, a script of checks)",
		text.Line(test))}
}

// tried runs the test command in a sandbox, and says what it saw.
func (i *initiation) tried(ctx context.Context, sb sandbox.Sandbox) (*testrun.Outcome, error) {
	run, err := i.runOnce(ctx, sb)
	if ctx.Err() != nil {
		return nil, cli.Fail(cli.ExitInterrupted, nil)
	}
	if err != nil {
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	i.Say("%s", text.Line(seen(run)))
	if run.Reason == "timeout" {
		i.sayWhyRed(run, false)
		return nil, cli.Usage("%s did not end within %v\n  hint: --test-command names one that ends by itself: "+
			"one that watches files is told CI=1, or to run once (vitest run); one that is slow, to run less",
			text.Line(i.test), faultTime)
	}
	return run, nil
}

// runOnce runs the command as it stands, which decides, and names its tests.
func (i *initiation) runOnce(ctx context.Context, sb sandbox.Sandbox) (*testrun.Outcome, error) {
	plain, err := sb.Exec(ctx, sandbox.Cmd{Script: i.test})
	if err != nil || plain.Reason != "" {
		return &testrun.Outcome{Result: plain}, err
	}
	i.took = plain.Duration
	run, err := i.byName(ctx, sb, faultTime)
	if err == nil {
		run.Result = plain
	}
	return run, err
}

// byName runs the tests, and names them: of several projects those of each, though another one's fail.
func (i *initiation) byName(ctx context.Context, sb sandbox.Sandbox, limit time.Duration) (*testrun.Outcome, error) {
	cmd := sandbox.Cmd{Script: i.test, Timeout: limit}
	if i.all != "" && i.test == i.all {
		cmd.Script = propose.OneByOne(i.all)
	}
	return testrun.ByName(ctx, sb, cmd)
}

// seen says in a line what a run of tests showed.
func seen(run *testrun.Outcome) string {
	n := len(run.Passed) + len(run.Failed)
	switch {
	case untested(run):
		return fmt.Sprintf("it ends with %s: there are no tests", howEnded(run.Result))
	case run.OK() && n == 0:
		return "green: it succeeds"
	case run.OK():
		return fmt.Sprintf("green: %s, all pass", text.Count(n, "test"))
	case diagnose.Missing(run.Exit, printed(run)) != "":
		return fmt.Sprintf("red: %s is not there", diagnose.Missing(run.Exit, printed(run)))
	case len(run.Failed) == 0:
		return fmt.Sprintf("red: it ends with %s, and no test is known to fail", howEnded(run.Result))
	}
	return fmt.Sprintf("red: %s", failing(run))
}

func failing(run *testrun.Outcome) string {
	if len(run.Failed) == 0 {
		return "the command fails"
	}
	names := run.Failed[:min(len(run.Failed), 5)]
	more := ""
	if n := len(run.Failed) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	verb := "fail"
	if len(run.Failed) == 1 {
		verb = "fails"
	}
	return fmt.Sprintf("%d of %s %s: %s%s", len(run.Failed), text.Count(len(run.Passed)+len(run.Failed), "test"), verb,
		strings.Join(names, ", "), more)
}

func howEnded(r sandbox.Result) string {
	if r.Reason != "" {
		return "its limit of " + r.Reason
	}
	return fmt.Sprintf("exit status %d", r.Exit)
}

// printed is what a command printed.
func printed(run *testrun.Outcome) string {
	return strings.TrimSpace(string(run.Stdout) + "\n" + string(run.Stderr))
}

// offerFault plants a fault, unless the user does not want one.
func (i *initiation) offerFault(ctx context.Context, sb sandbox.Sandbox, green *testrun.Outcome) error {
	if !i.plant {
		return nil // that nothing is broken is said by those who prove it
	}
	if i.Asks() {
		question := "Nothing is broken. Plant a fault for models to find?"
		if i.git {
			question = "Nothing is broken. " +
				"Plant a fault for models to find? (n: cookoff mine makes tasks of the project's history)"
		}
		plant, err := i.Accept(ctx, question)
		if err != nil {
			return err
		}
		if !plant {
			return cli.Usage("nothing is broken, so there is nothing to mend\n  hint: %sgive another command, "+
				"or a recipe of your own whose setup takes a fix out again (cookoff help docs/recipe-format.md)", i.history())
		}
	}
	f, red, err := i.findFault(ctx, sb, green)
	if err != nil {
		return err
	}
	switch {
	case f == nil && untested(green):
		return refuseUntested(i.test)
	case f == nil:
		return cli.Usage("%s succeeds, and none of the faults that were tried makes it fail\n"+
			"  hint: %s--test-command names another; cookoff help docs/recipe-format.md says how setup breaks something",
			text.Line(i.test), i.history())
	}
	i.fault = f
	if i.git {
		res, err := sb.Exec(ctx, sandbox.Cmd{Script: "git --version"})
		if err != nil {
			return cli.Fail(cli.ExitInfra, err)
		}
		i.gitRuns = res.OK()
	}
	i.Say("a fault for %s, line %d, only in the recipe: %s", text.Line(f.File), f.Line, text.Line(failing(red)))
	if i.git {
		i.Say("  hint: cookoff mine makes tasks of what the project's history mended")
	}
	return nil
}

// history is the hint that tasks may come of what a checkout has mended before.
func (f initFlags) history() string {
	if !f.git {
		return ""
	}
	return "cookoff mine makes tasks of what the project's history mended; or "
}

// findFault tries faults one after the other in the sandbox; nil: none makes the
// tests fail as a fault would: all still run, and some don't pass.
func (i *initiation) findFault(ctx context.Context, sb sandbox.Sandbox, green *testrun.Outcome) (*propose.Fault,
	*testrun.Outcome, error) {
	var best *propose.Fault
	var shown *testrun.Outcome
	began := time.Now()
	list := propose.Faults(i.Dir, i.protect())
	for _, f := range list[:min(len(list), mostFaults)] {
		if time.Since(began) > faultTime {
			break
		}
		run, err := i.tryFault(ctx, sb, f, min(shortTime+3*green.Duration, faultTime))
		if ctx.Err() != nil {
			return nil, nil, cli.Fail(cli.ExitInterrupted, nil)
		}
		if err != nil {
			return nil, nil, cli.Fail(cli.ExitInfra, err)
		}
		total := len(green.Passed)
		fits := run != nil && !run.OK() && run.Reason == "" && len(run.Failed)+len(run.Passed) == total &&
			(total == 0) == (len(run.Failed) == 0)
		switch {
		case !fits:
			continue
		case shown == nil || len(run.Failed) < len(shown.Failed):
			best, shown = &f, run
		}
		i.took = min(i.took, run.Duration) // the first one may have compiled all that the tests need
		if shown != nil && 2*len(shown.Failed) <= total {
			break
		}
	}
	return best, shown, nil
}

// tryFault runs the tests with a fault planted, for as long as they may take, and takes it out;
// nil: it can't be planted.
func (i *initiation) tryFault(ctx context.Context, sb sandbox.Sandbox, f propose.Fault, limit time.Duration) (
	*testrun.Outcome, error) {
	if res, err := sb.Exec(ctx, sandbox.Cmd{Script: f.Setup()}); err != nil || !res.OK() {
		return nil, err
	}
	run, err := i.byName(ctx, sb, limit)
	if err != nil {
		return nil, err
	}
	_, err = sb.Exec(ctx, sandbox.Cmd{Script: f.Solution()})
	return run, err
}
