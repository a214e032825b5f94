package verify

import (
	"context"
	"errors"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/footprint"
	"cookoff/verify/tree"
)

// hearing is a state that is ready to be judged: what is known of it before its
// checks run, and whom they are asked of.
type hearing struct {
	*bench
	fresh *fresh // worlds of the referee
	facts stateFacts
	procs []footprint.Process // that were left running
	close func() error
}

// hear looks through what a scene left, has the live checks run where its world
// is alive, and calls the witnesses; live is what they said elsewhere. worlds are
// the referee's, not opened yet. Where it gives an error, which is the sandbox's,
// nothing is left open.
func hear(ctx context.Context, c *Case, sc Scene, s *Start, worlds *fresh, live []trial.Verdict) (h *hearing,
	err error) {
	f := worlds
	f.Open, f.modes, f.serve = sc.over(sandbox.Verify), sc.modes, c.again(c.env)
	f.watch = c.watch()
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if _, err := f.manifest(ctx); err != nil {
		return nil, err
	}
	f.laid = c.laid.over(s, f.final)
	if err := layInto(ctx, sc, f.laid); err != nil {
		return nil, err
	}
	h = &hearing{fresh: f}
	if sc.World != nil {
		if live, err = c.Live(ctx, sc.World, s); err != nil {
			return nil, err
		}
	}
	if h.procs, err = s.Left(ctx, sc.World, trustedEnv(s.Path)); err != nil {
		return nil, err
	}
	if h.facts, err = c.facts(ctx, f, s, live); err != nil {
		return nil, err
	}
	if c.foot != nil {
		h.facts.deeds = append(h.facts.deeds, c.foot.Holding(h.procs)...)
	}
	f.again = f.again || len(tree.Differences(s.Files, f.final)) == 0 // nobody left anything
	b, done := c.bench(sc, f, f.final)
	h.bench, h.close = b, func() error { return errors.Join(done(), f.close()) }
	return h, nil
}
