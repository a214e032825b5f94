package verify

import (
	"context"
	"errors"
	"fmt"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/patch"
)

// taken is a scene as it is judged: what a trial left, or a clean start with the
// patch of that.
type taken struct {
	Scene
	start    *Start
	live     []trial.Verdict
	verdicts []trial.Verdict  // of taking the patch
	no       bool             // there is none to be taken
	final    sandbox.Manifest // then: of what was left
	done     func() error
}

// takePatch gives the scene that is judged. Where the task wants a patch it is made in a
// world that is staged anew, in which the contestant never was: that world, its
// processes alive, then stands for the trial's own. Errors are the sandbox's, or
// say that the task can't be staged.
func takePatch(ctx context.Context, c *Case, sc Scene, s *Start, live []trial.Verdict) (t taken, err error) {
	t = taken{Scene: sc, start: s, live: live, done: func() error { return nil }}
	if !c.patch {
		return t, nil
	}
	base, err := sc.Open(ctx, nil, sandbox.Agent)
	if err != nil {
		return t, err
	}
	defer func() {
		if err != nil || t.no {
			err = errors.Join(err, base.Close())
		}
	}()
	if t.start, err = c.Stage(ctx, base); err != nil {
		return t, err
	}
	if err := c.Quiet(ctx, base); err != nil { // what services write when they end is not to undo the patch
		return t, err
	}
	p, err := patchOf(ctx, sc, s, base)
	var refused *patch.RefusedError
	if errors.As(err, &refused) {
		t.no, t.final = true, p.Final
		t.verdicts = []trial.Verdict{{Check: "patch", Kind: trial.KindJudging, Status: trial.NotHeld,
			Cause:  trial.CauseBrokeJudging,
			Detail: refused.Error()}}
		return t, nil
	}
	if err != nil {
		return t, err
	}
	t.verdicts = []trial.Verdict{{Check: "patch", Kind: trial.KindJudging, Status: trial.Held, Detail: p.String()}}
	clean, live, err := c.End(ctx, base, t.start, sc.Open)
	if err != nil {
		return t, err
	}
	t.live = live
	t.World, t.State, t.modes = clean.World, clean.State, clean.modes
	t.done = func() error { return errors.Join(clean.State.Release(), base.Close()) }
	return t, nil
}

// patchOf makes the patch of what a scene left in a clean start.
func patchOf(ctx context.Context, sc Scene, s *Start, base sandbox.Sandbox) (p *patch.Patch, err error) {
	left, err := sc.Open(ctx, sc.State, sandbox.Verify)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, left.Close()) }()
	if p, err = patch.Take(ctx, patch.Sides{Start: s.Files, Left: left, Base: base}); err != nil {
		return p, err
	}
	err = p.Apply(ctx, base)
	var file *sandbox.FileError
	if errors.As(err, &file) {
		err = &patch.RefusedError{Why: fmt.Sprintf("it does not apply: %v", file)}
	}
	return p, err
}
