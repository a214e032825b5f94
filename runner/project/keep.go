package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path"

	"cookoff/internal/history"
	"cookoff/runner/copies"
)

// keep takes the copy that is kept between runs, brought up to date. The error is
// copies.ErrNotKept where there is none, for whatever reason: then the run makes one
// for itself.
func (s Source) keep(ctx context.Context) (*Copy, func(), error) {
	if s.Kept == "" || s.Base != nil {
		return nil, nil, copies.ErrNotKept
	}
	if linked, err := history.LinkedFrom(ctx, s.Dir); err != nil || linked != nil {
		return nil, nil, errors.Join(copies.ErrNotKept, err) // a copy that is kept follows the project's own files
	}
	c := &Copy{source: s, left: s.named()}
	out := map[string]bool{}
	for _, glob := range c.left {
		out[unescapeGlob(glob)] = true
	}
	skip := func(rel string, _ bool) bool {
		if out[rel] {
			return true
		}
		if secret(path.Base(rel)) {
			c.left = append(c.left, escapeGlob(rel))
			return true
		}
		return false
	}
	tree, err := (&copies.Store{Dir: s.Kept}).Take(ctx, s.Dir, skip)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, errors.Join(copies.ErrNotKept, err)
	}
	c.Dir, c.kept = tree.Dir, tree
	if err := errors.Join(c.refuseKeys(), s.refuseKeysIn()); err != nil {
		tree.Release()
		return nil, nil, err
	}
	return c, tree.Release, nil
}

// refuseKeys looks for the value of a key in a kept copy, unless it was found to hold
// none of these keys.
func (c *Copy) refuseKeys() error {
	return remembered(c, "keys", c.source.Secrets, new(struct{}),
		func(*struct{}) error { return c.source.refuseKeys(c.Dir) })
}

// Count lists the files that were copied, see the function.
func (c *Copy) Count() (all Counted, err error) {
	err = remembered(c, "counted", nil, &all, func(out *Counted) (err error) {
		*out, err = Count(c.Dir)
		return err
	})
	return all, err
}

// factsFormat changes when something else than before is found out about the same
// content.
const factsFormat = "1"

// remembered gives what was found out about the content of a kept copy under a name,
// for the same of. Else find finds it out.
func remembered[T any](c *Copy, name string, of any, out *T, find func(*T) error) error {
	if c.kept == nil {
		return find(out)
	}
	about, err := json.Marshal(of)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(c.kept.Made+"\n"+factsFormat+"\n"), about...)) // salted: of may hold keys
	name += "-" + hex.EncodeToString(sum[:16])
	if text, ok := c.kept.Fact(name); ok && json.Unmarshal(text, out) == nil {
		return nil
	}
	*out = *new(T)
	if err := find(out); err != nil {
		return err
	}
	if text, err := json.Marshal(*out); err == nil {
		c.kept.Remember(name, text)
	}
	return nil
}
