package control

import (
	"context"
	"fmt"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/lessons"
	"cookoff/verify/testrun"
	"cookoff/verify/witness"
)

// disguised runs the i-th test command of a check once more, in a disguise; nil: it can't be.
func disguised(ctx context.Context, p witness.Place, c checks.Script, i int, how testrun.Disguise) (*sandbox.Result,
	error) {
	return witness.Same(p, fmt.Sprintf("disguise %v of %s %d", how, c.Name, i), func() (*sandbox.Result, error) {
		return runDisguised(ctx, p, c, i, how)
	})
}

func runDisguised(ctx context.Context, p witness.Place, c checks.Script, i int, how testrun.Disguise) (
	res *sandbox.Result, err error) {
	err = p.In(ctx, "", func(sb sandbox.Sandbox) error {
		c.Text = p.Asked(c.Text)
		cmd := c.Command(p.ScriptEnv(c.Text))
		run, err := testrun.Find(ctx, sb, cmd, i)
		if err != nil || run == nil {
			return err
		}
		if cmd.Script = run.Disguised(how); cmd.Script == "" {
			return nil
		}
		cmd.Script = p.Draw.Into(p.Who, cmd.Script)
		raw, err := sb.Exec(ctx, cmd)
		res = &raw
		return err
	})
	return res, err
}

// sameDisguised judges tests that passed: with the solution they do so in a disguise as
// well, so that a program whose tests do not asks who it is. What fails once is asked
// twice. Nil: nothing is to be said.
func sameDisguised(ctx context.Context, p witness.Place, c checks.Script, i int, known *lessons.Tests) (*trial.Verdict,
	error) {
	if known == nil || known.Disguise == testrun.Undisguised {
		return nil, nil
	}
	failed, err := failsTwice(func() (*sandbox.Result, error) { return disguised(ctx, p, c, i, known.Disguise) })
	if failed == nil || p.Unlearns {
		if failed != nil {
			all := *known
			all.Disguise = testrun.Undisguised
			p.Tests.Set(c.Name, i, &all)
		}
		return nil, err
	}
	return notHeld(c, trial.CauseDefeatDevice, failed, "the tests pass, and no more where their process has another "+
		"name, other arguments and other files: the program asks whether it is tested"), nil
}
