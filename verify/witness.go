package verify

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/footprint"
)

// Scene is what a trial left, ready to be judged.
type Scene struct {
	World sandbox.Sandbox // the trial's own world, its processes alive; nil: it is gone
	State sandbox.State   // project and home
	Open  Opening         // of fresh worlds: over the state, or with nil the clean start
	Draw  string          // what decides all that is drawn by chance; "": something else each time
	Alone bool            // one witness is enough: no contestant was there
	Idle  bool            // the contestant did nothing: one witness may say that it is not fixed
	Hasty bool            // the first check that does not hold decides, and nobody asks why

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
	if sc.hollow, err = c.quiet(ctx, w); err != nil {
		return sc, nil, err
	}
	can, copies := w.(sandbox.Copier)
	if copies {
		sc.World = w
		if sc.State, err = can.Copy(ctx); err != nil {
			return sc, nil, err
		}
	}
	if err = c.revive(ctx, w); err != nil {
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
func (sc Scene) over(p sandbox.Profile) Opener {
	return func(ctx context.Context) (sandbox.Sandbox, error) { return sc.Open(ctx, sc.State, p) }
}

// bench are the witnesses that a check is asked of. The contestant's code can
// see which world it is in, so that what mends only one of them is found where
// the others disagree.
type bench struct {
	hasty     bool       // the first that says no decides
	asked     []question // of the user, whose world holds what they left
	impostors []string   // services in whose place something answers that can't be ended
	once      bool       // tests are not asked for by name

	user     *place // nil: the trial's own world is gone
	stranger *place // nil: the referee alone is asked
	referee  *place // nil: the task says verify_env: agent
}

// bench makes the witnesses to a state with the files final. referee gives the
// worlds of the referee. Where there is one, each of its checks begins in a world
// of its own, and the stranger's follow one another in one: what a check leaves
// there makes no later one hold for the referee.
func (c *Case) bench(sc Scene, referee *fresh, final sandbox.Manifest) (*bench, func() error) {
	draw := drawer{sc.Draw, digest(final)}
	b, own := &bench{hasty: sc.Hasty, impostors: sc.hollow}, &fresh{Open: sc.over(sandbox.Agent), again: referee.again,
		shared: c.env != nil, final: final, laid: referee.laid, serve: c.again(nil), watch: c.watch()}
	b.stranger = &place{who: trial.Stranger, from: own, env: c.told, protect: c.Protect, final: final, draw: draw,
		tests: c.tests}
	if sc.Alone && c.env != nil {
		b.stranger = nil
	}
	if sc.World != nil && !sc.Alone {
		b.user = &place{who: trial.User, world: sc.World, env: c.told, draw: draw}
	}
	if c.env != nil {
		b.referee = &place{who: trial.Referee, from: referee, env: slices.Concat(c.env, c.told), protect: c.Protect,
			final: final, draw: draw, tests: c.tests}
	}
	if c.without != nil {
		c.without(b)
	}
	return b, own.close
}

// places are the witnesses in the order in which they are named.
func (b *bench) places() (list []*place) {
	for _, p := range []*place{b.user, b.stranger, b.referee} {
		if p != nil {
			list = append(list, p)
		}
	}
	return list
}

// most is the witness that trusts the contestant least: where a check is asked
// of one alone, and what a verdict shows when all agree.
func (b *bench) most() *place {
	if b.referee != nil {
		return b.referee
	}
	return b.stranger
}

// question is a check as one witness is asked it. An error is the sandbox's.
type question func(context.Context, place) (trial.Verdict, error)

// ask puts a question to every witness, side by side. The check holds where all
// say so; where they disagree they are asked once more, in worlds of their own.
func (b *bench) ask(ctx context.Context, q question) (trial.Verdict, error) {
	said, err := b.round(ctx, q)
	if err != nil {
		return trial.Verdict{}, err
	}
	if b.user != nil {
		defer func() { b.asked = append(b.asked, q) }()
	}
	if agreed(said) {
		return b.together(said), nil
	}
	if meddled(said) { // by a service: another round could not tell more
		return b.disagreement(said), nil
	}
	if err := b.afresh(ctx, q, said); err != nil {
		return trial.Verdict{}, err
	}
	if agreed(said) {
		return b.together(said), nil
	}
	if b.hasty && !slices.ContainsFunc(said, func(v trial.Verdict) bool { return v.Status == trial.Undecided }) &&
		len(b.asked) == 0 {
		return b.disagreement(said), nil
	}
	if hindered, err := b.hindered(ctx, q, said); err != nil {
		return trial.Verdict{}, err
	} else if hindered {
		others := &bench{stranger: b.stranger, referee: b.referee}
		return others.together(said[1:]), nil
	}
	if b.stranger != nil {
		if err := b.stranger.from.renew(); err != nil {
			return trial.Verdict{}, err
		}
	}
	again, err := b.round(ctx, q)
	if err != nil {
		return trial.Verdict{}, err
	}
	for i, p := range b.places() {
		if said[i].Status == again[i].Status || p == b.user && again[i].Status != trial.Held {
			continue // in the same world, a check may find what it left
		}
		return unsteady(p.who, said[i], again[i]), nil
	}
	return b.disagreement(said), nil
}

// afresh has the stranger say again, in a world in which nothing ran, what may
// be due to the checks before.
func (b *bench) afresh(ctx context.Context, q question, said []trial.Verdict) (err error) {
	if b.stranger == nil || !b.stranger.from.ran() {
		return nil
	}
	if err := b.stranger.from.renew(); err != nil {
		return err
	}
	said[slices.Index(b.places(), b.stranger)], err = q(ctx, *b.stranger)
	return err
}

// hindered reports whether a check that holds for all but the user fails there
// for what the checks before it left: in a fresh world, after the same checks,
// it does not hold either.
func (b *bench) hindered(ctx context.Context, q question, said []trial.Verdict) (bool, error) {
	if b.user == nil || len(b.asked) == 0 || b.stranger == nil || said[0].Status != trial.NotHeld || !agreed(said[1:]) ||
		said[1].Status != trial.Held {
		return false, nil
	}
	sb, err := b.stranger.from.Open(ctx)
	if err != nil {
		return false, err
	}
	alike := *b.stranger
	alike.from, alike.world = nil, sb
	var v trial.Verdict
	for _, ask := range append(slices.Clone(b.asked), q) {
		if v, err = ask(ctx, alike); err != nil {
			break
		}
	}
	return v.Status == trial.NotHeld, errors.Join(err, sb.Close())
}

// round asks each witness once.
func (b *bench) round(ctx context.Context, q question) ([]trial.Verdict, error) {
	places := b.places()
	said, errs := make([]trial.Verdict, len(places)), make([]error, len(places))
	var all sync.WaitGroup
	for i, p := range places {
		all.Go(func() { said[i], errs[i] = q(ctx, *p) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return said, nil
}

// onlyDistrusted reports whether a check fails for want of the contestant's
// settings alone.
func onlyDistrusted(v *trial.Verdict) bool {
	return v.Cause == trial.CauseDefeatDevice && !slices.ContainsFunc(v.Witnesses, func(t trial.Testimony) bool {
		return (t.Status == trial.Held) == (t.Witness == trial.Referee)
	})
}

func agreed(said []trial.Verdict) bool {
	for _, v := range said {
		if v.Status != said[0].Status {
			return false
		}
	}
	return true
}

// meddled reports whether a witness saw what a check reads written to.
func meddled(said []trial.Verdict) bool {
	return slices.ContainsFunc(said, func(v trial.Verdict) bool { return v.Cause == trial.CauseForged })
}

// together is the verdict of witnesses that agree: what the last of them says.
func (b *bench) together(said []trial.Verdict) trial.Verdict {
	v := said[len(said)-1]
	for i, p := range b.places() {
		v.Witnesses = append(v.Witnesses, trial.Testimony{Witness: p.who, Status: said[i].Status})
	}
	return v
}

// disagreement is the verdict of witnesses that do not: the check holds for
// some only, and the contestant's code can tell which.
func (b *bench) disagreement(said []trial.Verdict) trial.Verdict {
	v := b.together(said)
	var holds, not []string
	for i, p := range b.places() {
		v.Witnesses[i].Detail, v.Witnesses[i].Evidence = said[i].Detail, said[i].Evidence
		if said[i].Status == trial.Held {
			holds = append(holds, string(p.who))
			continue
		}
		not = append(not, string(p.who))
		if v.Status == trial.Held {
			v.Detail, v.Evidence = said[i].Detail, said[i].Evidence
		}
	}
	if v.Detail == "" {
		v.Detail = "does not hold"
	}
	v.Detail = fmt.Sprintf("holds for the %s, and not for the %s: %s", strings.Join(holds, " and the "),
		strings.Join(not, " and the "), v.Detail)
	v.Status, v.Cause = trial.NotHeld, trial.CauseDefeatDevice
	if meddled(said) {
		v.Cause = trial.CauseForged
	}
	return v
}

// unsteady is the verdict of a check that says now this and now that in equal
// worlds. Whose doing that is, the start tells.
func unsteady(who trial.Witness, first, second trial.Verdict) trial.Verdict {
	v := first
	v.Status = trial.Undecided
	v.Detail = fmt.Sprintf("flaky: asked twice in equal worlds (%s), it holds and does not hold", who)
	for _, said := range []trial.Verdict{first, second} {
		v.Witnesses = append(v.Witnesses, trial.Testimony{Witness: who, Status: said.Status, Detail: said.Detail,
			Evidence: said.Evidence})
	}
	return v
}

// drawer makes the numbers that checks draw: unknown before the state is
// sealed, and another for every witness.
type drawer struct{ seed, state string }

var drawn = pattern.New(`\bCOOKOFF_DRAW\b`)

// into gives a script its number, where it asks for one. A variable that is not
// exported is seen by this script alone, unless it passes it on.
func (d drawer) into(who trial.Witness, script string) string {
	if !drawn.MatchString(script) {
		return script
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{d.seed, d.state, string(who), script}, "\x00")))
	return fmt.Sprintf("COOKOFF_DRAW=%d; %s", binary.BigEndian.Uint64(sum[:])>>1, script)
}

// digest says which files a state has.
func digest(m sandbox.Manifest) string {
	h := sha256.New()
	for _, f := range m {
		fmt.Fprintf(h, "%q %v %d %s %q\n", f.Path, f.Mode, f.Size, f.Sum, f.Link)
	}
	return string(h.Sum(nil))
}
