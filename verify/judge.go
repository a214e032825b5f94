package verify

import (
	"context"
	"errors"
	"slices"
	"time"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/footprint"
	"cookoff/verify/verdict"
	"cookoff/verify/witness"
)

// Loop is what criteria need to know of a trial's loop.
type Loop struct {
	Answer     string         // the final text
	Tools      map[string]int // calls per tool
	ToolErrors int            // calls that failed or could not be made, commands that exited non-zero among them
	Wrote      int            // calls that may have changed files
	CostUSD    *float64       // nil: unknown
	Latency    time.Duration  // of the loop
	Live       []trial.Verdict
}

// Judgement is what Judge finds.
type Judgement struct {
	Verdicts []trial.Verdict
	Changed  bool             // the final state differs from the start
	Final    sandbox.Manifest // of every file of the final state
	// SideEffects is what is new or changed beside a repair; nil: nothing.
	SideEffects *trial.SideEffects
	// Allow is what a task adds to allow what was held against the footprint;
	// "": nothing was, or no line allows it.
	Allow string
}

// judge gives the verdicts on a final state: guard, protect, after, verify, then
// the success criteria. Errors are the sandbox's.
func (c *Case) judge(ctx context.Context, sc Scene, s *Start, loop Loop) (j *Judgement, err error) {
	t, err := takePatch(ctx, c, sc, s, loop.Live)
	if err != nil || t.no {
		return &Judgement{Verdicts: t.verdicts, Changed: true, Final: t.final}, err
	}
	defer func() { err = errors.Join(err, t.done()) }()
	on, err := newJudging(ctx, c, t, &witness.Worlds{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, on.close()) }()
	loop.Live = on.facts.live
	vs, err := on.state(ctx, on.Bench)
	if err != nil {
		return nil, err
	}
	all := func(string) bool { return true }
	if vs, err = on.criteria(ctx, on.Bench, slices.Concat(t.verdicts, vs), &loop, all); err != nil {
		return nil, err
	}
	if v := on.Worlds.Git.Verdict(); v != nil {
		vs = append(vs, *v)
	}
	if user := on.User; user != nil && !verdict.Failing(vs) {
		v, err := ownWorld{c, user.World, t.start}.comesBack(ctx, on.Asked, *user, on.procs)
		if err != nil {
			return nil, err
		}
		if v != nil {
			vs = append(vs, *v)
		}
	}
	return judgement(c.foot, vs, on.facts), nil
}

// judgement is what verdicts on a state come to.
func judgement(foot *footprint.Footprint, vs []trial.Verdict, facts stateFacts) *Judgement {
	j := &Judgement{Verdicts: vs, Changed: len(facts.changes) > 0, Final: facts.manifest}
	if foot != nil {
		collateral, set, aside := foot.Judged(facts.differences)
		j.SideEffects = foot.SideEffects(aside, facts.manifest)
		j.Allow = footprint.Proposal(slices.Concat(collateral, set)...)
	}
	return j
}
