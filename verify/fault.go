package verify

import (
	"context"
	"errors"
	"fmt"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/verdict"
)

// Judge gives the verdicts on what a trial left. A step that can't be done
// there is done on the start as well: works it there, the contestant made it
// impossible, and that is a verdict too. An error is the sandbox's.
func (c *Case) Judge(ctx context.Context, sc Scene, s *Start, loop Loop) (*Judgement, error) {
	if err := c.Trace(ctx, sc.Open); err != nil {
		return nil, err
	}
	if sc.Idle || sc.Hasty {
		if j := c.unfixed(ctx, sc, s, loop); j != nil {
			return j, nil
		}
	}
	j, err := c.judge(ctx, sc, s, loop)
	if err != nil && ctx.Err() == nil {
		j, err = c.judge(ctx, sc, s, loop)
	}
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(ctx.Err(), err)
	case err != nil:
		if broken := (*StagingError)(nil); errors.As(err, &broken) { // of a world in which no contestant was
			return nil, err
		}
		if c.WorksOnStart(ctx, sc.Open) != nil {
			return nil, err
		}
		return &Judgement{Changed: true, Verdicts: []trial.Verdict{{
			Check: "judging", Kind: trial.KindJudging, Status: trial.NotHeld, Cause: trial.CauseBrokeJudging,
			Detail: fmt.Sprintf("can be done on the starting state, and not on what was left: %v", err),
		}}}, nil
	}
	return j, c.blame(ctx, sc, j.Verdicts)
}

// judgeStart judges the starting state of a task, staged once more, as the
// final state of a trial is judged; or what the solution makes of it.
func (c *Case) judgeStart(ctx context.Context, open Opening, solution string) (j *Judgement, err error) {
	w, err := open(ctx, nil, sandbox.Agent)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	s, err := c.Stage(ctx, w)
	if err != nil {
		return nil, err
	}
	if solution != "" {
		if _, err := w.Exec(ctx, sandbox.Cmd{Script: solution, Timeout: c.Limits.Solution}); err != nil {
			return nil, err
		}
	}
	if err := c.Quiet(ctx, w); err != nil {
		return nil, err
	}
	st, err := w.Seal(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Release()) }()
	return c.judge(ctx, Scene{State: st, Open: open}, s, Loop{})
}

// WorksOnStart reports whether the starting state of a task can be staged,
// sealed and judged now: then what could not be done with a trial is the
// contestant's doing. nil: it can.
func (c *Case) WorksOnStart(ctx context.Context, open Opening) error {
	_, err := c.judgeStart(ctx, open, "")
	return err
}

// blame turns verdicts that can't be given into fails, where the same check can
// be given on the start, and always holds on what the solution leaves. Errors
// are ctx's.
func (c *Case) blame(ctx context.Context, sc Scene, vs []trial.Verdict) error {
	if verdict.First(vs, verdict.Undecided) == nil {
		return nil
	}
	start, err := c.judgeStart(ctx, sc.Open, "")
	if err != nil {
		return ctx.Err() // the machine's fault, then: they stay undecided
	}
	var solved []trial.Verdict
	for range solvedAsks {
		if len(c.Solutions) == 0 {
			break
		}
		j, err := c.judgeStart(ctx, sc.Open, c.Solutions[0])
		if err != nil {
			return ctx.Err()
		}
		solved = append(solved, j.Verdicts...)
	}
	for i := range vs {
		v := &vs[i]
		same := func(o trial.Verdict) bool { return o.Check == v.Check }
		there := verdict.First(start.Verdicts, same)
		byItself := verdict.First(solved, func(o trial.Verdict) bool {
			return same(o) && o.Status != trial.Held &&
				verdict.KindOf(o) != trial.KindBound
		})
		if !verdict.Undecided(*v) || there != nil && verdict.Undecided(*there) || byItself != nil {
			continue
		}
		v.Status, v.Cause = trial.NotHeld, trial.CauseBrokeJudging
		if verdict.KindOf(*v) == trial.KindService {
			v.Cause = "" // it is what was to be mended, or was broken
		}
		v.Detail += "; on the starting state it can be judged"
	}
	return nil
}

// solvedAsks is how often what the solution leaves is judged, to find a check
// that is flaky by itself.
const solvedAsks = 3
