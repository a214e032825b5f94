package mine

import (
	"context"
	"errors"
	"slices"

	"cookoff/internal/mine/declared"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/mine/sides"
)

// One name that only the fix has keeps all tests of a package of Go's from being built, and all of a module of Python's
// from being imported. What the tests name and the fix declares is told, as somebody who reports it would: its
// signature, and what stands beside it of what it does. Tests that pass with the fix, and that the parent with its own
// tests does not have, fail without it.

// declares finds out what the fix declares and its tests name.
func (a *attempt) declares() error {
	fix, err := sides.Read(a.world.contents, a.c.Fix)
	if err != nil {
		return err
	}
	tests, err := sides.Read(a.world.contents, a.c.Tests)
	if err != nil {
		return err
	}
	a.declared = declared.Fresh(fix, tests)
	return nil
}

// undeclared takes a candidate that is refused for names that its tests need, where the fix declares all of them. It
// gives the run without the fix, of which tests failed that can't be built there.
func (a *attempt) undeclared(ctx context.Context, mended, broken *outcome.Outcome, why error) (*outcome.Outcome,
	error) {
	no, is := errors.AsType[*refusal.Error](why)
	if !is || no.Reason != refusal.NewNames || !declared.Explains(a.declared, broken.Lacks()) {
		return nil, why
	}
	if err := a.world.set(ctx, a.states.parent, nil); err != nil {
		return nil, err
	}
	a.says("tests of the commit before")
	before, err := a.world.test(ctx, a.command, a.most())
	if err != nil {
		return nil, err
	}
	for _, name := range mended.Passed {
		if !slices.Contains(before.Passed, name) && !slices.Contains(broken.Passed, name) {
			a.absent = append(a.absent, name)
		}
	}
	if len(a.absent) == 0 {
		return nil, why
	}
	broken.Fail(a.absent)
	a.broken, a.kept = nil, 0
	for _, name := range mended.Passed {
		switch {
		case slices.Contains(broken.Failed, name):
			a.broken = append(a.broken, name)
		case slices.Contains(before.Passed, name):
			a.kept++
		}
	}
	return broken, a.world.set(ctx, a.states.broken, nil)
}
