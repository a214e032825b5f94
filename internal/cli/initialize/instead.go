package initialize

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/diagnose"
	"cookoff/internal/propose"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// instead gives the run of another command where the one that was proposed fails for no fault of the project's: the
// same one without the tests that want what no sandbox has, or, where it ran no test at all, what else the project
// proposes. It must succeed; the run as it was where none does. A command that somebody named stays.
func (i *initiation) instead(ctx context.Context, sb sandbox.Sandbox, red *testrun.Outcome) (*testrun.Outcome, error) {
	if i.given("test-command") || i.all != "" {
		return red, nil
	}
	var list []propose.Command
	switch without := diagnose.Without(i.test, printed(red), red.Failed); {
	case without != "" && len(red.Passed) > 0:
		list = []propose.Command{{Text: without}}
	case len(red.Passed)+len(red.Failed) == 0:
		all := propose.Commands(i.Dir)
		is := func(c propose.Command) bool { return i.prepare.Called(c.Text) == i.test }
		if at := slices.IndexFunc(all, is); at >= 0 { // else somebody typed it
			list = all[at+1:]
		}
	}
	was, took := i.test, i.took
	for _, c := range list {
		if !door.Installed(c.Program()) {
			continue
		}
		other, why := i.prepare.Called(c.Text), fmt.Sprintf("%s ran no test", text.Line(was))
		if c.From == "" {
			other, why = c.Text, "this test wants what no sandbox has, and no model could mend that"
		}
		if i.Asks() {
			try, err := i.Accept(ctx, fmt.Sprintf("%s. Try %s instead?", why, text.Line(other)))
			if err != nil {
				return nil, err
			}
			if !try {
				continue
			}
		} else {
			i.Say("%s: trying %s", why, text.Line(other))
		}
		i.test = other
		run, err := i.tried(ctx, sb)
		if f, is := errors.AsType[*cli.Failure](err); is && f.Code == cli.ExitUsage {
			continue // it does not end
		}
		if err != nil || run.OK() && !untested(run) {
			return run, err
		}
	}
	i.test, i.took = was, took
	return red, nil
}
