package verify

import (
	"context"
	"errors"
	"slices"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/control"
	"cookoff/verify/footprint"
	"cookoff/verify/tree"
	"cookoff/verify/verdict"
	"cookoff/verify/witness"
)

// judging is a state that is ready to be judged: what is known of it before its
// checks run, and whom they are asked of.
type judging struct {
	*Case
	*witness.Bench
	start  *Start
	Worlds *witness.Worlds // worlds of the referee
	facts  stateFacts
	procs  []footprint.Process // that were left running
	close  func() error
}

// newJudging looks through what a scene left, has the live checks run where its world
// is alive, and calls the witnesses. f are the worlds of the referee, not opened yet.
// Where it gives an error, which is the sandbox's, nothing is left open.
func newJudging(ctx context.Context, c *Case, t taken, f *witness.Worlds) (j *judging, err error) {
	sc, s, live := t.Scene, t.start, t.live
	f.Open, f.Modes, f.Serve = sc.over(sandbox.Verify), sc.modes, served(c.Serves).restart(c.env)
	f.Watch = newWatch(c)
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if _, err := f.Manifest(ctx); err != nil {
		return nil, err
	}
	f.Laid = c.judgeFiles.over(s, f.Final)
	if err := layInto(ctx, sc, f.Laid); err != nil {
		return nil, err
	}
	j = &judging{Case: c, start: s, Worlds: f}
	if sc.World != nil {
		if live, err = c.Live(ctx, sc.World, s); err != nil {
			return nil, err
		}
	}
	if j.procs, err = s.Left(ctx, sc.World, trustedEnv(s.Path)); err != nil {
		return nil, err
	}
	impostors, err := ownWorld{c, sc.World, s}.impostors(ctx, f.Final)
	if err != nil {
		return nil, err
	}
	live = append(live, impostors...)
	if j.facts, err = factsOf(ctx, c, f, s, live); err != nil {
		return nil, err
	}
	if c.foot != nil {
		differences, err := j.holding(ctx)
		if err != nil {
			return nil, err
		}
		j.facts.differences = append(j.facts.differences, differences...)
	}
	f.Again = f.Again || len(tree.Differences(s.Files, f.Final)) == 0 // nobody left anything
	b, done := newBench(c, sc, s, f)
	j.Bench, j.close = b, func() error { return errors.Join(done(), f.Close()) }
	return j, nil
}

// state gives the verdicts of guard, protect, after and verify. In haste it
// ends with the first that does not hold.
func (j *judging) state(ctx context.Context, b *witness.Bench) ([]trial.Verdict, error) {
	c, live, looked := j.Case, j.facts.live, j.looked()
	if b.Hasty && verdict.Failing(looked) {
		return looked, nil
	}
	vs, err := served(c.Serves).ask(ctx, b)
	if err != nil || b.Hasty && verdict.Failing(vs) {
		return vs, err
	}
	for _, g := range c.Guard {
		v, err := b.Script(ctx, g, live)
		if vs = append(vs, v); err != nil || b.Hasty && verdict.Failing(vs) {
			return vs, err
		}
	}
	vs = append(vs, looked...)
	for _, a := range c.After {
		v, err := b.Script(ctx, a, live)
		if err != nil {
			return nil, err
		}
		if vs, err = control.Add(ctx, b, a, append(vs, v)); err != nil || b.Hasty && verdict.Failing(vs) {
			return vs, err
		}
	}
	for _, bl := range c.Blocks {
		v, err := b.Block(ctx, bl, live)
		if vs = append(vs, v); err != nil || b.Hasty && verdict.Failing(vs) {
			return vs, err
		}
	}
	return vs, nil
}

// looked gives the verdicts for which nothing is run: of protected files and of
// the footprint.
func (j *judging) looked() []trial.Verdict {
	c, f := j.Case, j.facts
	var vs []trial.Verdict
	if len(c.Protect) > 0 {
		isOutput := outputs(c, j.start, c.Protect)
		vs = append(vs, protectVerdict("protect", c.Protect, f, j.start, func(p string) bool {
			return isOutput(p) || j.isBeside(p)
		}))
	}
	if c.foot != nil {
		collateral, set, _ := c.foot.Judged(f.differences)
		vs = append(vs, footVerdicts(slices.DeleteFunc(collateral, j.isLogged), set)...)
	}
	return append(vs, ofProcesses(f.live)...)
}

// withoutLoop gives the verdicts that no loop is needed for.
func (j *judging) withoutLoop(ctx context.Context, b *witness.Bench) ([]trial.Verdict, error) {
	vs, err := j.state(ctx, b)
	if err != nil {
		return nil, err
	}
	return j.criteria(ctx, b, vs, &Loop{}, fromState)
}
