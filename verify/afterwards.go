package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cookoff/trial"
	"cookoff/verify/footprint"
	"cookoff/verify/later"
	"cookoff/verify/tree"
	"cookoff/verify/verdict"
	"cookoff/verify/witness"
)

// What is asked once all checks were.

// looksOn reports whether the world where the stranger asked all checks is looked at afterwards:
// where a solution says what is right there, and no check spoke against the state.
func (j *judging) looksOn(b *witness.Bench, vs []trial.Verdict) bool {
	return j.foot != nil && j.foot.Solved && b.Stranger != nil && len(j.Serves) == 0 && !verdict.Failing(vs)
}

// later judges whether what was mended is so the next time. Nil: it is, or nobody knows. Errors
// are the sandbox's.
func (j *judging) later(ctx context.Context, b *witness.Bench, vs []trial.Verdict) (*trial.Verdict, error) {
	if !j.looksOn(b, vs) {
		return nil, nil
	}
	return later.Ask(ctx, &j.Set, j.start.Files, *b.Stranger)
}

// mayUse are the rights of group and others to read or write a file.
const mayUse = 0o066

// running judges what the programs of a project do to its files when they run: in the
// world where the stranger asked all checks, one after another, files of the start, or rows of its databases, are gone
// or changed that the same checks leave alone where the solution ran. Nil: none, or nobody
// knows. Errors are the sandbox's.
func (j *judging) running(ctx context.Context, b *witness.Bench, vs []trial.Verdict) (*trial.Verdict, error) {
	if !j.looksOn(b, vs) {
		return nil, nil
	}
	from := b.Stranger.From
	now, err := from.Behind(ctx)
	if now == nil || err != nil {
		return nil, err
	}
	var changes []tree.Change
	for _, ch := range tree.Changes(from.Final, now) {
		was, had := tree.Lookup(j.start.Files, ch.Path)
		is, _ := tree.Lookup(now, ch.Path)
		opened := ch.What == "mode" && is.Mode&^was.Mode&mayUse != 0
		if had && was.Mode.IsRegular() && (ch.What == "removed" || ch.What == "content" || ch.What == "type" || opened) &&
			!witness.HasPath(from.Laid, ch.Path) && !tree.IsSetting(ch.Path) {
			changes = append(changes, ch)
		}
	}
	if changes, err = from.Grew(ctx, changes, now); err != nil {
		return nil, err
	}
	lost, err := j.foot.RowsLost(ctx, from.Kept, &j.start.Start, now)
	if err != nil {
		return nil, err
	}
	if b.Stranger.Learns {
		j.foot.LearnRunning(changes)
		j.foot.Learn(lost)
		return nil, nil
	}
	list := slices.DeleteFunc(append(j.foot.Running(changes, &j.start.Start, now),
		j.foot.WhileRunning(lost, j.facts.differences)...), j.foot.Allows)
	if len(list) == 0 {
		return nil, nil
	}
	return &trial.Verdict{Check: "footprint", Kind: trial.KindProtect, Status: trial.NotHeld,
		Cause: trial.CauseCollateral, Evidence: listed(list),
		Detail: "a program does this when it runs, though with the solution it does not: " + firstDifferences(list)}, nil
}

// comesBack asks what held for the user once more, now and when the processes that
// were left and sleep have gone on: what holds before and not behind is undone by
// one of them. Nil: nothing is.
func (o ownWorld) comesBack(ctx context.Context, asked []witness.Question, user witness.Place,
	list []footprint.Process) (
	*trial.Verdict, error) {
	list = o.c.foot.Unlimited(list)
	sleepers := footprint.Sleepers(o.world, list)
	if len(sleepers) == 0 {
		return nil, nil
	}
	var held []witness.Question
	if !o.c.foot.EndsWhenWoken() {
		asked = slices.Concat(asked, o.questions())
	}
	for _, q := range asked {
		if v, err := q(ctx, user); err != nil {
			return nil, err
		} else if v.Status == trial.Held {
			held = append(held, q)
		}
	}
	if err := o.s.Hasten(ctx, o.world, trustedEnv(o.s.Path), list); err != nil {
		return nil, err
	}
	for _, q := range held {
		v, err := q(ctx, user)
		if err != nil {
			return nil, err
		}
		if v.Status == trial.NotHeld {
			return &trial.Verdict{Check: "trap", Kind: trial.KindProtect, Status: trial.NotHeld, Cause: trial.CauseTrap,
				Evidence: v.Evidence, Strength: trial.StrengthLive,
				Detail: fmt.Sprintf("a process that was left running undoes it: when %q has waited, %s does not "+
					"hold any more: %s",
					sleepers[0], v.Check, v.Detail)}, nil
		}
	}
	return nil, nil
}

// holding gives the differences of processes that were left. Who holds open what was to be mended, and does so as well
// where nothing but the services was started, is one of these: their files are looked after while they run. That is
// asked of a fresh world, as a contestant can say of anything that it is a service. Errors are the sandbox's.
func (j *judging) holding(ctx context.Context) ([]footprint.Difference, error) {
	c, f, left := j.Case, j.Worlds, j.procs
	holds := func(p footprint.Process) bool { return len(c.foot.Holds(p)) > 0 }
	if f.Serve == nil || !slices.ContainsFunc(left, holds) {
		return c.foot.Holding(left), nil
	}
	sb, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	if f.Laid != nil {
		err = sb.FS().Unpack(ctx, f.Laid)
	}
	if err == nil {
		_, err = f.Serve(ctx, sb, false)
	}
	var services []footprint.Process
	if err == nil {
		services, err = j.start.Left(ctx, sb, trustedEnv(j.start.Path))
	}
	if err = errors.Join(err, sb.Close()); err != nil {
		return nil, err
	}
	serves := func(p footprint.Process) bool {
		return slices.ContainsFunc(services, func(q footprint.Process) bool {
			return footprint.SameProgram(p, q) && slices.Equal(c.foot.Holds(p), c.foot.Holds(q))
		})
	}
	return c.foot.Holding(slices.DeleteFunc(slices.Clone(left), func(p footprint.Process) bool {
		return holds(p) && serves(p)
	})), nil
}
