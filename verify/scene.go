package verify

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/footprint"
	"cookoff/verify/tree"
	"cookoff/verify/witness"
)

// Scene is what a trial left, ready to be judged.
type Scene struct {
	World sandbox.Sandbox // the trial's own world, its processes alive; nil: it is gone
	State sandbox.State   // project and home
	Open  Opening         // of fresh worlds: over the state, or with nil the clean start
	Draw  string          // what decides all that is drawn by chance; "": something else each time
	Alone bool            // one witness is enough: no contestant was there
	Idle  bool            // the contestant did nothing: one witness may say that it is not fixed
	Hasty bool            // the first no of a witness decides, and nobody asks why

	modes  map[string]fs.FileMode // of the directories of project and home; nil: unknown
	hollow []string               // services that seem ready where nothing runs
}

// End takes the files of a trial's own world as they are when the contestant
// has ended. Where they can be copied the world lives on, and checks are asked
// in it as well; else the live checks run, and it is sealed. The state is to be
// released, and the world closed, by the caller.
func (c *Case) End(ctx context.Context, w sandbox.Sandbox, s *Start, open Opening) (sc Scene, live []trial.Verdict,
	err error) {
	sc.Open = open
	if sc.modes, err = footprint.RootModes(ctx, w); err != nil {
		return sc, nil, err
	}
	if sc.hollow, err = served(c.Serves).end(ctx, w); err != nil {
		return sc, nil, err
	}
	can, copies := w.(sandbox.Copier)
	if copies {
		sc.World = w
		if sc.State, err = can.Copy(ctx); err != nil {
			return sc, nil, err
		}
	}
	if err = served(c.Serves).revive(ctx, w); err != nil {
		return sc, nil, errors.Join(err, sc.release())
	}
	if copies {
		return sc, nil, nil
	}
	if live, err = c.Live(ctx, w, s); err == nil {
		err = c.Quiet(ctx, w)
	}
	if err != nil {
		return sc, nil, err
	}
	sc.State, err = w.Seal(ctx)
	return sc, live, err
}

// release removes the state, where there is one.
func (sc Scene) release() error {
	if sc.State == nil {
		return nil
	}
	return sc.State.Release()
}

// over opens worlds over the state for somebody.
func (sc Scene) over(p sandbox.Profile) witness.Opener {
	return func(ctx context.Context) (sandbox.Sandbox, error) { return sc.Open(ctx, sc.State, p) }
}

// newBench makes the witnesses to the state of a scene. referee gives the
// worlds of the referee. Where there is one, each of its checks begins in a world
// of its own, and the stranger's follow one another in one: what a check leaves
// there makes no later one hold for the referee.
func newBench(c *Case, sc Scene, s *Start, referee *witness.Worlds) (*witness.Bench, func() error) {
	final := referee.Final
	isWritten, isFixed := outputs(c, s, c.Protect), fixed(c, s, final)
	isOutput := func(p string) bool { return s.born[p] || isWritten(p) } // a check made it before, and does again
	draw := witness.Draw{Seed: sc.Draw, State: witness.Digest(final)}
	b, own := &witness.Bench{Hasty: sc.Hasty, Impostors: sc.hollow}, &witness.Worlds{Open: sc.over(sandbox.Agent),
		Again:  referee.Again,
		Shared: c.env != nil, Final: final, Laid: referee.Laid, Serve: served(c.Serves).restart(nil), Watch: newWatch(c)}
	b.Stranger = &witness.Place{Who: trial.Stranger, From: own, Env: c.told, Protect: c.Protect, Output: isOutput,
		Fixed: isFixed,
		Final: final, Draw: draw, Tests: c.tests, Missing: s.missing, Versions: s.Versions}
	if sc.Alone && c.env != nil {
		b.Stranger = nil
	}
	if sc.World != nil && !sc.Alone {
		b.User = &witness.Place{Who: trial.User, World: sc.World, Env: c.told, Draw: draw, Missing: s.missing,
			Versions: s.Versions}
	}
	if c.env != nil {
		b.Referee = &witness.Place{Who: trial.Referee, From: referee, Env: slices.Concat(c.env, c.told),
			Protect: c.Protect, Output: isOutput, Fixed: isFixed, Final: final, Draw: draw, Tests: c.tests,
			Missing: s.missing, Versions: s.Versions}
	}
	if c.without != nil {
		c.without(b)
	}
	return b, own.Close
}

// fixed reports of files whether they are as they were and nobody may change them: they are
// protected, or no solution that is judged changes them.
func fixed(c *Case, s *Start, final sandbox.Manifest) func(path string) bool {
	return func(p string) bool {
		if s.Made(p) != "" { // checks make it anew
			return false
		}
		if tree.Matches(c.Protect, p) {
			return true
		}
		if c.foot == nil || !c.foot.Solved || footprint.Reaches(c.foot.Allowed.Change, p) {
			return false
		}
		was, had := tree.Lookup(s.Files, p)
		is, has := tree.Lookup(final, p)
		return had && has && tree.Differs(was, is) == ""
	}
}

// newWatch is that of the task's services; nil: it has none.
func newWatch(c *Case) *witness.Watch {
	if len(c.Serves) == 0 {
		return nil
	}
	return &witness.Watch{About: strings.Join(c.Texts(), "\n"), Protect: c.Protect, Allowed: c.MayChange(),
		Solved: len(c.Solutions) > 0, Tests: c.tests}
}
