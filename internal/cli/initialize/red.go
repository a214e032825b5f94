package initialize

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"cookoff/internal/cli"
	"cookoff/internal/diagnose"
	"cookoff/internal/pattern"
	"cookoff/internal/propose"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/verify/needs"
	"cookoff/verify/testrun"
)

// red says why a test command failed that has all that could be got. One that no repair could make succeed is refused.
func (i *initiation) red(ctx context.Context, sb sandbox.Sandbox, run *testrun.Outcome) error {
	why, hint, err := hopeless(ctx, sb, i.Dir, i.test, run,
		diagnose.OfUser(printed(run), i.Getenv("HOME"), os.Environ()))
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	i.sayWhyRed(run, hint == "")
	switch {
	case why != "":
		return cli.Usage("%s %s: nothing was written\n  hint: %s", text.Line(i.test), text.Line(why), text.Line(hint))
	case hint != "":
		i.Say("  hint: %s", hint)
	}
	return nil
}

// hopeless says why no repair could make a test command succeed, and what to do instead: it ran no test for want of
// something that no trial has either, or for a test itself. A hint alone: it ran some. ofUser is what helps where it
// wants something of its user's own.
func hopeless(ctx context.Context, sb sandbox.Sandbox, dir, test string, run *testrun.Outcome, ofUser string) (
	why, hint string, err error) {
	output := printed(run)
	if p := propose.Beyond(dir, output); p != "" && len(run.Passed) == 0 {
		return fmt.Sprintf("needs %s, which lies in another part of the repository", p), propose.Alone(dir, test), nil
	}
	if hint = cmp.Or(diagnose.Outside(output), ofUser); len(run.Passed)+len(run.Failed) > 0 {
		return "", hint, nil
	}
	if why, hint := diagnose.TooOld(output); why != "" {
		return why, hint, nil
	}
	if word := diagnose.Misnamed(dir, test, output); word != "" {
		return fmt.Sprintf("names %s, which is not there", word), "--test-command gives one that runs in " + dir, nil
	}
	name, err := absentModule(ctx, sb, test, run)
	if err != nil {
		return "", "", err
	}
	if name != "" {
		hint = propose.Hint(output)
		if own := needs.Installing(name, output, test); own != "" {
			hint = own + " (or what else the package of that module is called), then cookoff init again"
		}
		return fmt.Sprintf("needs the module %s, which is not there", name), hint, nil
	}
	if file, hint := diagnose.TestFault(test, output); file != "" {
		return fmt.Sprintf("fails for %s itself, and no repair may change tests", file), hint, nil
	}
	if diagnose.RunnerFault(output) {
		return "fails for pytest itself, or for what configures it, which no repair may change",
			"a plugin or a setting does not fit this pytest: mend that first", nil
	}
	if hint != "" {
		why = "can't succeed in a sandbox, whatever a model does"
	}
	return why, hint, nil
}

// absentModule gives the module for want of which no test ran, that the project names and does not have: "" where
// there is none. Admission would refuse the task for it, after all its runs.
func absentModule(ctx context.Context, sb sandbox.Sandbox, test string, run *testrun.Outcome) (string, error) {
	files, err := sb.FS().Manifest(ctx, nil)
	if err != nil {
		return "", err
	}
	name, module := needs.MissedIn(printed(run), files)
	if name == "" || !module {
		return "", nil
	}
	there, err := needs.Has(ctx, sb, name, module, test)
	if there {
		name = ""
	}
	return name, err
}

// idle are lines that say nothing of what is wrong: blank ones, and how to ask Maven for more.
var idle = pattern.New(
	`^\s*(\[ERROR\]\s*)?$|^\[ERROR\] (\[Help \d|Re-run Maven|To see the full stack|For more information)`)

// sayWhyRed shows the end of what a command said that fails without a test that
// does, and with hints what helps where that is known.
func (i *initiation) sayWhyRed(run *testrun.Outcome, hints bool) {
	output := printed(run)
	if len(run.Failed) == 0 {
		lines := slices.DeleteFunc(strings.Split(ansi.Strip(output), "\n"),
			func(l string) bool { return idle.MatchString(l) })
		for _, line := range lines[max(0, len(lines)-5):] {
			i.Say("  | %s", text.Line(strings.TrimRight(line, "\r ")))
		}
	}
	hint := diagnose.LeaveOut(i.test, output, run.Failed)
	if hint == "" && hints {
		hint = propose.Hint(output)
	}
	if hint != "" {
		i.Say("  hint: %s", hint)
	}
	if alone := propose.Alone(i.Dir, i.test); hints && alone != "" && len(run.Failed) == 0 {
		i.Say("  hint: %s", text.Line(alone))
	}
}
