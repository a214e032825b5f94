package mine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"cookoff/internal/mine/commands"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/refusal"
)

// Tests that differ between runs say nothing. Two runs of the broken state show which fail in
// both. The mended state runs once, since the referee runs it several times more when it proves
// the task. Where that refuses it, the runs are made that tell which tests differ.

// moreRuns is how often the mended state is run again once the referee refused the task.
const moreRuns = 2

// flakyRuns is how often it is run again at most, until a test fails, where the referee saw that it wavers: one that
// fails every third time shows itself in 19 of 20 candidates.
const flakyRuns = 8

// mostSteadied is how many times in a row tests are left out of a task that the referee refuses.
const mostSteadied = 3

// runsToSteady is how often the mended state is run at most once the referee refused the task.
func runsToSteady(refused *refusal.Error) int {
	if strings.Contains(refused.Error(), "flaky: ") {
		return flakyRuns
	}
	return moreRuns
}

// again runs the broken state again, and leaves the tests out that do not fail again.
func (a *attempt) again(ctx context.Context) error {
	out, err := a.named(ctx)
	if out == nil && err == nil {
		out, err = a.breaks(ctx)
	}
	if err != nil {
		return err
	}
	a.failing.Other = out
	flaky := map[string]bool{}
	for _, name := range a.broken {
		if !slices.Contains(out.Failed, name) && (out.Cut == 0 || slices.Contains(out.Passed, name)) {
			flaky[name] = true
		}
	}
	return a.leaveOut(flaky)
}

// slowTests is how long tests take with the fix where first those that it mends are asked by name: all of them take
// more than starting the runner once more.
const slowTests = 3 * time.Second

// onlyNamed gives the command that runs the tests alone which only the fix makes pass, where all take long; false: it
// can't be told to, or would save nothing.
func (a *attempt) onlyNamed() (string, bool) {
	if a.took < slowTests {
		return "", false
	}
	return commands.Only(a.command, a.runner, a.broken)
}

// named runs these tests alone in the broken state; nil: they take little time, or some of them don't fail by
// themselves, which all have to tell.
func (a *attempt) named(ctx context.Context) (*outcome.Outcome, error) {
	command, ok := a.onlyNamed()
	if !ok || a.hung {
		return nil, nil
	}
	out, err := a.world.test(ctx, command, a.most())
	if err != nil || slices.ContainsFunc(a.broken, func(n string) bool { return !slices.Contains(out.Failed, n) }) {
		return nil, err
	}
	return out, nil
}

// leaveOut takes tests that differ between runs out of those that judge, by name.
func (a *attempt) leaveOut(flaky map[string]bool) error {
	if len(flaky) == 0 {
		return nil
	}
	a.flaky = slices.Concat(a.flaky, slices.Sorted(maps.Keys(flaky)))
	a.broken = slices.DeleteFunc(a.broken, func(n string) bool { return flaky[n] })
	without, ok := a.leavingOut(a.all, a.runner, slices.Concat(a.always, a.flaky))
	if len(a.broken) == 0 {
		return refusal.New(refusal.Flaky, some(a.flaky))
	}
	if !ok {
		return refusal.New(refusal.Flaky, some(a.flaky)+": "+commands.Stuck(a.command, a.runner))
	}
	a.command = without
	a.broken = slices.DeleteFunc(a.broken, func(n string) bool { return commands.LeftOutWith(n, a.runner, a.flaky) })
	if len(a.broken) == 0 {
		return refusal.New(refusal.Flaky, some(a.flaky))
	}
	return nil
}

// steadied looks for tests that differ between runs of the mended state, at most so many, once the referee refused
// the task, and leaves them out; false: none do.
func (a *attempt) steadied(ctx context.Context, most int) (bool, error) {
	if err := a.world.set(ctx, a.states.mended, nil); err != nil {
		return false, err
	}
	command, whole := a.command, a.whole
	flaky := map[string]bool{}
	for n := 0; n < moreRuns || n < most && len(flaky) == 0; n++ {
		out, err := a.world.test(ctx, command, a.most())
		if err != nil {
			return false, err
		}
		if !out.OK() && len(out.Failed) == 0 {
			return false, refusal.New(refusal.Flaky, "with the fix in they end now well, now not: "+out.KeyLine())
		}
		for _, name := range out.Failed {
			flaky[name] = true
		}
	}
	if err := a.leaveOut(flaky); err != nil {
		return false, err
	}
	if err := a.wholeAgain(ctx); err != nil {
		return false, err
	}
	return a.command != command || a.whole != whole, nil
}

// alone has the whole test command judge alone where the tests of the commit's packages or files are all there
// are: each
// state would have them run twice.
func (a *attempt) alone(whole *outcome.Outcome) {
	others := func(n string) bool { return slices.Contains(a.flaky, n) }
	if slices.Equal(slices.DeleteFunc(slices.Clone(a.passed), others), whole.Passed) &&
		len(a.outside) == len(a.flaky)+len(a.always) {
		a.all, a.command, a.whole, a.narrow, a.took = a.Test, a.whole, "", false, whole.Took
	}
}

// everything has the whole test command judge as well, where it passes with the fix, without
// tests that fail here even so, and is quick. The world is that of the mended state.
func (a *attempt) everything(ctx context.Context) error {
	a.judgeWhole(slices.Concat(a.flaky, a.always))
	if !a.narrow || a.world.slow {
		a.whole = ""
	}
	a.says("all tests with the fix")
	limit := firstWhole
	for range 2 { // what has to be compiled at first is quick then
		if a.whole == "" {
			return nil
		}
		out, err := a.world.test(ctx, a.whole, min(limit, a.Limit()))
		if err != nil {
			return err
		}
		a.world.slow = out.Reason == "timeout"
		switch {
		case out.OK() && out.Took <= quickWhole:
			a.wholeBy = out.Took
			a.alone(out)
			return nil
		case !out.OK() && (limit == quickWhole || !out.FewFailed()):
			a.whole = ""
		case !out.OK():
			a.judgeWhole(slices.Concat(a.outside, out.Failed))
		}
		limit = quickWhole
	}
	a.whole = ""
	return nil
}

// wholeAgain runs the whole test command again, where it judges. What fails is left out of it.
func (a *attempt) wholeAgain(ctx context.Context) error {
	if a.whole == "" {
		return nil
	}
	names := slices.Concat(a.outside, a.flaky)
	for range moreRuns {
		out, err := a.world.test(ctx, a.whole, min(quickWhole, a.Limit()))
		if err != nil {
			return err
		}
		if !out.OK() && !out.FewFailed() {
			a.whole = ""
			return nil
		}
		names = append(names, out.Failed...)
	}
	a.judgeWhole(names)
	return nil
}

// judgeWhole has the whole test command judge, without some tests; where these can't be left out,
// it does not.
func (a *attempt) judgeWhole(without []string) {
	slices.Sort(without)
	a.outside, a.whole = slices.Compact(without), a.Test
	if len(without) > 0 {
		var ok bool
		if a.whole, ok = a.leavingOut(a.Test, a.runner, a.outside); !ok {
			a.whole = ""
		}
	}
}
