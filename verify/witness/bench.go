package witness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/tree"
)

// Bench are the witnesses that a check is asked of. The contestant's code can
// see which world it is in, so that what mends only one of them is found where
// the others disagree.
type Bench struct {
	Hasty     bool       // the first that says no decides
	Asked     []Question // of the user, whose world holds what they left
	Impostors []string   // services in whose place something answers that can't be ended
	Once      bool       // tests are not asked for by name

	Confirmed map[string]trial.Verdict // checks that need not be asked; nil: all are

	User     *Place // nil: the trial's own world is gone
	Stranger *Place // nil: the referee alone is asked
	Referee  *Place // nil: the task says verify_env: agent
}

// Places are the witnesses in the order in which they are named.
func (b *Bench) Places() (list []*Place) {
	for _, p := range []*Place{b.User, b.Stranger, b.Referee} {
		if p != nil {
			list = append(list, p)
		}
	}
	return list
}

// Most is the witness that trusts the contestant least: where a check is asked
// of one alone, and what a verdict shows when all agree.
func (b *Bench) Most() *Place {
	if b.Referee != nil {
		return b.Referee
	}
	return b.Stranger
}

// Question is a check as one witness is asked it. An error is the sandbox's.
type Question func(context.Context, Place) (trial.Verdict, error)

// Ask puts a question to every witness, side by side. The check holds where all
// say so; where they disagree they are asked once more, in worlds of their own.
func (b *Bench) Ask(ctx context.Context, q Question) (trial.Verdict, error) {
	said, err := b.round(ctx, q)
	if err != nil {
		return trial.Verdict{}, err
	}
	if b.User != nil {
		defer func() { b.Asked = append(b.Asked, q) }()
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
	if b.Hasty && !slices.ContainsFunc(said, func(v trial.Verdict) bool { return v.Status == trial.Undecided }) &&
		len(b.Asked) == 0 {
		return b.disagreement(said), nil
	}
	if earlier, err := b.earlier(ctx, q, said); err != nil {
		return trial.Verdict{}, err
	} else if earlier {
		others := &Bench{Stranger: b.Stranger, Referee: b.Referee}
		return others.together(said[1:]), nil
	}
	if b.Stranger != nil {
		if err := b.Stranger.From.Renew(); err != nil {
			return trial.Verdict{}, err
		}
	}
	again, err := b.round(ctx, q)
	if err != nil {
		return trial.Verdict{}, err
	}
	for i, p := range b.Places() {
		if said[i].Status == again[i].Status || p == b.User && again[i].Status != trial.Held {
			continue // in the same world, a check may find what it left
		}
		return unsteady(p.Who, said[i], again[i]), nil
	}
	return b.disagreement(said), nil
}

// afresh has the stranger say again, in a world in which nothing ran, what may
// be due to the checks before.
func (b *Bench) afresh(ctx context.Context, q Question, said []trial.Verdict) (err error) {
	if b.Stranger == nil || !b.Stranger.From.ran() {
		return nil
	}
	if err := b.Stranger.From.Renew(); err != nil {
		return err
	}
	said[slices.Index(b.Places(), b.Stranger)], err = q(ctx, *b.Stranger)
	return err
}

// earlier reports whether it is what the checks before left that makes the user say
// otherwise than all others: in a fresh world, after the same checks, it is so, too.
func (b *Bench) earlier(ctx context.Context, q Question, said []trial.Verdict) (bool, error) {
	decided := func(v trial.Verdict) bool { return v.Status == trial.Held || v.Status == trial.NotHeld }
	if b.User == nil || len(b.Asked) == 0 || b.Stranger == nil || !decided(said[0]) || !agreed(said[1:]) ||
		!decided(said[1]) {
		return false, nil
	}
	sb, err := b.Stranger.From.Open(ctx)
	if err != nil {
		return false, err
	}
	alike := *b.Stranger
	alike.From, alike.World = nil, sb
	var v trial.Verdict
	for _, ask := range append(slices.Clone(b.Asked), q) {
		if v, err = ask(ctx, alike); err != nil {
			break
		}
	}
	same := err == nil && v.Status == said[0].Status
	if same && v.Status == trial.Held { // then by what they built, not by files that nobody may change
		same, err = b.Stranger.keeps(ctx, sb)
	}
	return same, errors.Join(err, sb.Close())
}

// keeps reports whether the files that nobody may change are in a world as they are in the final state.
func (p *Place) keeps(ctx context.Context, sb sandbox.Sandbox) (bool, error) {
	now, err := sb.FS().Manifest(ctx, nil)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(tree.Differences(p.From.Final, now), func(d tree.Difference) bool {
		return d.Was != nil && p.Fixed != nil && p.Fixed(d.Path)
	}), nil
}

// round asks each witness once.
func (b *Bench) round(ctx context.Context, q Question) ([]trial.Verdict, error) {
	places := b.Places()
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

// OnlyDistrusted reports whether a check fails for want of the contestant's
// settings alone.
func OnlyDistrusted(v *trial.Verdict) bool {
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
func (b *Bench) together(said []trial.Verdict) trial.Verdict {
	v := said[len(said)-1]
	for i, p := range b.Places() {
		v.Witnesses = append(v.Witnesses, trial.Testimony{Witness: p.Who, Status: said[i].Status})
	}
	return v
}

// disagreement is the verdict of witnesses that do not: the check holds for
// some only, and the contestant's code can tell which.
func (b *Bench) disagreement(said []trial.Verdict) trial.Verdict {
	v := b.together(said)
	var holds, not []string
	for i, p := range b.Places() {
		v.Witnesses[i].Detail, v.Witnesses[i].Evidence = said[i].Detail, said[i].Evidence
		if said[i].Status == trial.Held {
			holds = append(holds, string(p.Who))
			continue
		}
		not = append(not, string(p.Who))
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

// Script asks the witnesses a check; one that looks at processes was asked before.
func (b *Bench) Script(ctx context.Context, ch checks.Script, live []trial.Verdict) (trial.Verdict, error) {
	if ch.Live {
		return liveVerdict(ch.Name, ch.Kind, live), nil
	}
	if v, is := b.Confirmed[ch.Name]; is {
		return v, nil
	}
	return b.Ask(ctx, func(ctx context.Context, p Place) (trial.Verdict, error) { return p.Script(ctx, ch) })
}

// Block is script for a verify block.
func (b *Bench) Block(ctx context.Context, bl checks.Block, live []trial.Verdict) (trial.Verdict, error) {
	if bl.Live {
		return liveVerdict(bl.Name, trial.KindVerify, live), nil
	}
	return b.Ask(ctx, func(ctx context.Context, p Place) (trial.Verdict, error) { return p.Block(ctx, bl) })
}

// liveVerdict finds what Live said of a check.
func liveVerdict(name string, kind trial.CheckKind, live []trial.Verdict) trial.Verdict {
	for _, v := range live {
		if v.Check == name {
			return v
		}
	}
	return trial.Verdict{Check: name, Kind: kind, Status: trial.Undecided, Strength: trial.StrengthLive,
		Detail: "the live check did not run"}
}
