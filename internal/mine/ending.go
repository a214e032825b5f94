package mine

import (
	"context"

	"cookoff/internal/mine/commands"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/refusal"
)

// Tests are read where the test command comes to them, in a script of make or npm as well. How the whole command ends
// is what the checks of a task go by: `pytest || true`, or a pipe in a Makefile, ends well whatever tests say, and a
// linter behind them fails for something else.

// ending looks at how the whole test command ends.
type ending struct{ *attempt }

// isGood demands that the whole test command succeeds with the fix, where there is more to it than a runner of tests.
func (a ending) isGood(ctx context.Context) error {
	if a.sure || commands.RunsTestsOnly(a.command) {
		return nil
	}
	out, err := a.world.whole(ctx, a.command, a.Limit())
	if err != nil || out.OK() {
		return err
	}
	return failsEvenSo(out, len(a.passed))
}

// isBad demands that it fails without the fix, as its tests do.
func (a ending) isBad(ctx context.Context) error {
	if a.sure || a.hung || commands.RunsTestsOnly(a.command) {
		return nil
	}
	passes, err := a.world.passes(ctx, a.command, a.most())
	if passes && err == nil {
		return refusal.New(refusal.Forgiving, some(a.broken))
	}
	return err
}

// failsEvenSo refuses a candidate whose tests pass with the fix, where the command fails for something else.
func failsEvenSo(out *outcome.Outcome, passed int) error {
	return refusal.New(refusal.FixedFails, out.EvenSo(passed))
}
