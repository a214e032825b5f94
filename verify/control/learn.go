package control

import (
	"context"
	"maps"

	"cookoff/verify/checks"
	"cookoff/verify/lessons"
	"cookoff/verify/testrun"
	"cookoff/verify/witness"
)

// Learn runs the tests of the checks on a state that admission judges: with
// planted ones, and without. solved: it is that of the solution, whose tests
// must pass from now on. solvable: it is not, and that state is learned of later.
func Learn(ctx context.Context, p witness.Place, list []checks.Script, solved, solvable bool) error {
	for _, c := range list {
		for i := range testrun.Commands(c.Text) {
			if err := learnOne(ctx, p, learning{c, i, solved, solvable && !solved}); err != nil {
				return err
			}
		}
		if solved {
			for _, learn := range []func(context.Context, witness.Place, checks.Script) error{
				learnInPlace, learnRebuilt, learnDemands, learnWanted, learnRenames} {
				if err := learn(ctx, p, c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// learning names what is learned.
type learning struct {
	check    checks.Script
	i        int
	solved   bool
	solvable bool
}

func learnOne(ctx context.Context, p witness.Place, l learning) error {
	draw := p.Draw.Rand(l.check.Name)
	alone, err := runTests(ctx, p, l.check, l.i, &planting{rand: draw})
	if err != nil || alone == nil {
		return err
	}
	beside := alone
	if alone.Runner.Source != nil || !l.solvable { // else the solution's two runs say which names change
		if beside, err = runTests(ctx, p, l.check, l.i, &planting{rand: draw, add: true}); err != nil || beside == nil {
			return err
		}
	}
	k := next(p.Tests.Of(l.check.Name, l.i), alone, beside, l.solved)
	if l.solved && alone.raw.OK() {
		for _, how := range alone.Runner.Disguises() {
			res, err := disguised(ctx, p, l.check, l.i, how)
			if err != nil {
				return err
			}
			if res != nil && res.OK() {
				k.Disguise = how
				break
			}
		}
	}
	p.Tests.Set(l.check.Name, l.i, k)
	return nil
}

// next is what is known after two runs on one state, alone and beside planted
// tests: a test that is not named in both has a name that changes.
func next(k *lessons.Tests, alone, beside *testRun, solved bool) *lessons.Tests {
	out := &lessons.Tests{Runner: alone.Runner.Name}
	passed := alone.results.PassedNames()
	names := alone.results.RanNames()
	if solved {
		names = passed
	}
	there := beside.results.RanNames()
	maps.DeleteFunc(names, func(n string, _ bool) bool { return !there[n] })
	out.Required = sortedNames(names)
	for _, n := range out.Required {
		if !passed[n] || solved && !k.PassedAtStart(n) {
			out.Mended = append(out.Mended, n)
		}
		values := alone.planted.Marks(alone.Runner.Short(n))
		if values != nil && alone.results.Saw(n, values) {
			out.Marked = append(out.Marked, n)
		}
	}
	why := beside.forged(&lessons.Tests{Works: true, Marked: out.Marked})
	if out.Long = alone.raw.Cut+beside.raw.Cut > 0; out.Long { // which names are left out differs from run to run
		out.Required, out.Mended, out.Marked = nil, nil, nil
		why = "the record of the tests is too long to be kept"
	}
	if why == "" && len(beside.planted.All()) == 0 && len(out.Marked) == 0 {
		why = "no test can be planted beside them"
	}
	out.Chosen, out.Works = alone.Chosen, why == ""
	out.Broken = why != "" && solved
	out.Why = why
	return out
}
