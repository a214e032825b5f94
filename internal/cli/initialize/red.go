package initialize

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"cookoff/internal/cli"
	"cookoff/internal/pattern"
	"cookoff/internal/propose"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/verify/needs"
	"cookoff/verify/testrun"
)

// red says why a test command failed that has all that could be got. One that ran no test for want of
// what no sandbox has, of a module, of what the command names, or of what lies in another part of the repository, is
// refused.
func (i *initiation) red(ctx context.Context, sb sandbox.Sandbox, run *testrun.Outcome) error {
	ran := len(run.Passed)+len(run.Failed) > 0
	if p := propose.Beyond(i.Dir, printed(run)); p != "" && len(run.Passed) == 0 {
		i.sayWhyRed(run, false)
		return cli.Usage("%s needs %s, which lies in another part of the repository: nothing was written\n  hint: %s",
			text.Line(i.test), text.Line(p), text.Line(propose.Alone(i.Dir, i.test)))
	}
	if word := propose.Misnamed(i.test, printed(run)); word != "" && !ran && !lies(i.Dir, word) {
		i.sayWhyRed(run, false)
		return cli.Usage("%s names %s, which is not there: nothing was written\n"+
			"  hint: --test-command gives one that runs in %s", text.Line(i.test), text.Line(word), text.Line(i.Dir))
	}
	if !ran {
		switch name, err := absentModule(ctx, sb, i.test, run); {
		case err != nil:
			return cli.Fail(cli.ExitInfra, err)
		case name != "":
			i.sayWhyRed(run, false)
			hint := propose.Hint(printed(run))
			if own := needs.Installing(name, printed(run), i.test); own != "" {
				hint = own + " (or what else the package of that module is called), then cookoff init again"
			}
			return refuseMissing(i.test, "the module "+name, hint)
		}
	}
	hint := propose.Outside(printed(run))
	i.sayWhyRed(run, hint == "")
	if hint == "" {
		return nil
	}
	if ran {
		i.Say("  hint: %s", hint)
		return nil
	}
	return cli.Usage("%s can't succeed in a sandbox, whatever a model does: nothing was written\n  hint: %s",
		text.Line(i.test), hint)
}

// lies reports whether a project has a file of a name.
func lies(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
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
	hint := propose.LeaveOut(i.test, output, run.Failed)
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
