package initialize

import (
	"context"
	"errors"
	"slices"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/propose"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// part refuses a test command that does better with the whole repository around the project than in the project alone,
// which is all that a trial has. Nothing that is missing is got then: packages of others may have the
// name of what lies beside the project. run is how it ended alone.
func (i *initiation) part(ctx context.Context, c *cookoff.Comparison, hidden []string, run *testrun.Outcome) error {
	hint := propose.Alone(i.Dir, i.test)
	if hint == "" || propose.Beyond(i.Dir, printed(run)) != "" {
		return nil
	}
	top, script, err := propose.Whole(i.Dir, i.test)
	if err != nil {
		return nil //nolint:nilerr // a name that no shell can be told
	}
	sb, err := c.Scratch(ctx, sandbox.Spec{Project: top, Network: sandbox.NoNetwork, Hidden: hidden, Env: i.vars,
		Limits: sandbox.Limits{Call: faultTime}},
		func() { i.Say("running it once more with all of the repository, which lies at %s", text.Line(top)) })
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	whole, err := testrun.ByName(ctx, sb, sandbox.Cmd{Script: script})
	err = errors.Join(err, sb.Close())
	switch {
	case ctx.Err() != nil:
		return cli.Fail(cli.ExitInterrupted, nil)
	case err != nil:
		return cli.Fail(cli.ExitInfra, err)
	case whole.OK():
		return cli.Usage("%s succeeds with all of the repository and fails without: nothing was written\n  hint: %s",
			text.Line(i.test), text.Line(hint))
	case better(whole, run):
		return cli.Usage("%s passes more tests with all of the repository than without: nothing was written\n  hint: %s",
			text.Line(i.test), text.Line(hint))
	}
	return nil
}

// better reports whether a run has tests that pass and did not in another, and loses none.
func better(a, b *testrun.Outcome) bool {
	lost := slices.ContainsFunc(b.Passed, func(name string) bool { return !slices.Contains(a.Passed, name) })
	return !lost && len(a.Passed) > len(b.Passed)
}

// refuseMember refuses to get what is missing for one package of a workspace alone: what it needs of
// the others may have the name of somebody else's package.
func refuseMember(dir, test string) error {
	at := propose.WorkspaceOf(dir)
	if at == "" {
		return nil
	}
	return cli.Usage("%s lacks something, and this directory is a part of the workspace at %s, which gets it: "+
		"nothing was written\n  hint: %s; --prepare names a command that gets it here", text.Line(test),
		text.Line(at), text.Line(propose.Alone(dir, test)))
}
