package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/control"
	"cookoff/verify/footprint"
	"cookoff/verify/tree"
	"cookoff/verify/verdict"
	"cookoff/verify/witness"
)

// Sealed is a judged state of an admission.
type Sealed struct {
	start       *Start
	Verdicts    []trial.Verdict
	changed     bool
	differences []footprint.Difference
}

// proposes says what a task adds to allow what a verdict holds against a state.
func (out Sealed) proposes(c *Case, v *trial.Verdict) string {
	if v.Cause != trial.CauseCollateral && v.Cause != trial.CauseTrap {
		return ""
	}
	collateral, set, _ := c.foot.Judged(out.differences)
	return footprint.Proposes(slices.Concat(collateral, set)...)
}

// SealAndJudge seals a world and judges what it left, as a trial would be. With
// twice, a check that says now this and now that of the same files ends the
// admission: it would decide by chance. Where three witnesses agree it was asked often enough.
func (a *Admission) SealAndJudge(ctx context.Context, w sandbox.Sandbox, s *Start, twice bool) (Sealed, error) {
	return a.sealed(ctx, w, s, func(sc Scene, live []trial.Verdict) (Sealed, error) {
		return a.judgeScene(ctx, sc, s, live, twice)
	})
}

// sealed seals a world and has judge look at what it left.
func (a *Admission) sealed(ctx context.Context, w sandbox.Sandbox, s *Start,
	judge func(sc Scene, live []trial.Verdict) (Sealed, error)) (out Sealed, err error) {
	sc, live, err := a.End(ctx, w, s, a.Open)
	sc.Alone, sc.Draw = a.Alone, a.Draw
	if err != nil {
		return Sealed{}, err
	}
	defer func() { err = errors.Join(err, sc.State.Release()) }()
	if err := a.proven(sc); err != nil {
		return Sealed{}, err
	}
	return judge(sc, live)
}

// judgeScene judges what a scene left.
func (a *Admission) judgeScene(ctx context.Context, sc Scene, s *Start, live []trial.Verdict, twice bool) (out Sealed,
	err error) {
	t, err := takePatch(ctx, a.Case, sc, s, live)
	if err != nil || t.no {
		return Sealed{start: s, Verdicts: t.verdicts, changed: true}, err
	}
	defer func() { err = errors.Join(err, t.done()) }()
	wrote, learn := a.whatIsMade()
	defer func() { learn(err) }()
	on, err := newJudging(ctx, a.Case, t, &witness.Worlds{Again: true, Wrote: wrote})
	if err != nil {
		return Sealed{}, err
	}
	defer func() { err = errors.Join(err, on.close()) }()
	for _, p := range on.Places() {
		p.Learns, p.Unlearns = a.learns == "mended", a.further
		if a.foot != nil {
			p.Prompt = a.foot.Prompt
		}
		if p.From != nil && p.From.Watch != nil {
			p.From.Watch.Learns = a.learns != ""
		}
	}
	if a.learns != "" {
		on.Most().Ran = &witness.Ran{}
		if err := control.Learn(ctx, *on.Most(), a.TestScripts(), a.learns == "mended",
			len(a.Solutions) > 0); err != nil {
			return Sealed{}, err
		}
		if len(a.Solutions) == 0 {
			if err := control.LearnAtStart(ctx, *on.Most(), a.TestScripts()); err != nil {
				return Sealed{}, err
			}
		}
	}
	vs, err := on.withoutLoop(ctx, on.Bench)
	if err != nil {
		return Sealed{}, err
	}
	if twice && len(on.Places()) < 3 {
		if err := on.same(ctx, vs); err != nil {
			return Sealed{}, err
		}
	}
	if v := on.Worlds.Git.Verdict(); v != nil {
		vs = append(vs, *v)
	}
	return Sealed{t.start, slices.Concat(t.verdicts, vs), len(on.facts.changes) > 0, on.facts.differences}, nil
}

// whatIsMade has what checks write noted where it is to be learned, by learn, unless judging ended
// with an error.
func (a *Admission) whatIsMade() (wrote map[string][]tree.Change, learn func(error)) {
	if a.learns != "mended" || a.Wrote != nil {
		return a.Wrote, func(error) {}
	}
	wrote = map[string][]tree.Change{}
	return wrote, func(err error) {
		if err == nil && a.env != nil {
			a.substitutes().Learn(wrote)
		}
	}
}

// same demands that a second judging of a state says what the first did.
func (j *judging) same(ctx context.Context, once []trial.Verdict) error {
	// Who finds nothing that a check left, and need not be asked what a run of learning says.
	alone := &witness.Bench{Referee: j.Most(), Once: true, Confirmed: j.Most().Confirmed(once)}
	again, err := j.withoutLoop(ctx, alone)
	if err != nil {
		return err
	}
	if v := disagree(once, again); v != nil {
		return &BrokenStep{Phase: verdict.Phase(v),
			Why: fmt.Sprintf("flaky: %s holds and does not hold, on the same files", v.Check)}
	}
	return nil
}

// A pass needs every witness, and a no needs one. Where nobody could have deceived one
// of them, that one is asked first, and the others where it does not say no.

// one reports whether a no of one witness settles a state: checks that are asked in the
// trial's own world alone, and services, need that world.
func (c *Case) one() bool { return !c.AsksLive() && len(c.Serves) == 0 }

// unfixed is the judgement on what a contestant left that did nothing, or, in haste, on what anybody left, where one
// witness says that it is not fixed; nil: all are to be asked.
func (c *Case) unfixed(ctx context.Context, sc Scene, s *Start, loop Loop) *Judgement {
	if !c.one() {
		return nil
	}
	if sc.Hasty { // what was left running is seen in the user's world alone
		if left, err := s.Left(ctx, sc.World, trustedEnv(s.Path)); err != nil || len(left) > 0 {
			return nil
		}
	}
	sc.Alone = true
	j, err := c.judge(ctx, sc, s, loop)
	if err != nil || j.Changed && !sc.Hasty || !verdict.Failing(j.Verdicts) ||
		verdict.First(j.Verdicts, verdict.Undecided) != nil {
		return nil
	}
	return j
}

// refused judges what a wrong repair left: by one witness, and where that does not
// reject it by all of them.
func (a *Admission) refused(ctx context.Context, w sandbox.Sandbox, s *Start) (out Sealed, err error) {
	if !a.one() || a.Alone {
		return a.SealAndJudge(ctx, w, s, false)
	}
	return a.sealed(ctx, w, s, func(sc Scene, live []trial.Verdict) (Sealed, error) {
		one := sc
		one.Alone, one.Hasty = true, true
		out, err := a.judgeScene(ctx, one, s, live, false)
		if err != nil || verdict.Failing(out.Verdicts) && verdict.First(out.Verdicts, verdict.Undecided) == nil {
			return out, err
		}
		return a.judgeScene(ctx, sc, s, live, false)
	})
}
