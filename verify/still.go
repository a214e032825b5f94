package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/tree"
	"cookoff/verify/witness"
)

// Name names the files that a scene left, apart from others that a check could tell from them: their content, modes
// and owners, and of those that differ from the start the day they were written on. Errors are the sandbox's.
func (sc Scene) Name(ctx context.Context, s *Start) (name string, err error) {
	sb, err := sc.Open(ctx, sc.State, sandbox.Verify)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	m, err := sb.FS().Manifest(ctx, nil)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, ch := range tree.Changes(s.Files, m) {
		paths = append(paths, ch.Path)
	}
	name = fmt.Sprintf("%q %v %q", witness.Digest(m), sc.modes, sc.hollow)
	for _, f := range m {
		if f.Attrs != "" || f.Foreign() != "" {
			name += fmt.Sprintf(" %q %s %s", f.Path, f.Owner, f.Attrs)
		}
	}
	err = sb.FS().Pack(ctx, paths, func(it sandbox.Item) error {
		name += fmt.Sprintf(" %q %s", it.Path, it.Time.UTC().Format(time.DateOnly))
		return nil
	})
	return name, err
}

// Still reports whether a state that passed is one where its own world is another: each check holds there, and nobody
// left a process. What the other witnesses see, whose worlds hold nothing but the files, they were asked when it
// passed. false: it does not hold, or all are to be asked. Errors are the sandbox's.
func (c *Case) Still(ctx context.Context, sc Scene, s *Start) (held bool, err error) {
	if !c.one() || c.patch || len(c.Criteria) > 0 {
		return false, nil
	}
	on, err := newJudging(ctx, c, taken{Scene: sc, start: s}, &witness.Worlds{})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, on.close()) }()
	if on.User == nil || len(on.procs) > 0 {
		return false, nil
	}
	holds := func(v trial.Verdict, err error) bool { return err == nil && v.Status == trial.Held }
	for _, ch := range slices.Concat(c.Guard, c.After) {
		v, err := on.User.Script(ctx, ch)
		if !holds(v, err) {
			return false, err
		}
	}
	for _, b := range c.Blocks {
		v, err := on.User.Block(ctx, b)
		if !holds(v, err) {
			return false, err
		}
	}
	return true, nil
}
