package candidate

import (
	"context"
	"path"
	"slices"

	"cookoff/internal/history"
	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/rust"
	"cookoff/internal/mine/sides"
)

// Apart are the commits of a candidate whose tests stood in the files of its code: there
// they have files of their own.
type Apart struct {
	Parent string   // the commit of the history that its parent was made of
	now    string   // the commit that was made of its own
	Fresh  []string // files of tests that the parent has only once they are out of its code
}

// takenApart gives a candidate whose tests have files of their own, where a commit changes
// tests that stand in files of Rust code. Both sides are changed alike: what is built of them
// is the same.
func (f *Finder) takenApart(ctx context.Context, c *Candidate) (*Candidate, error) {
	inRust := func(ch history.Change) bool { return kind.Language(ch.Path) == "rust" }
	if !slices.ContainsFunc(c.Fix, inRust) {
		return c, nil
	}
	before, after, err := f.bothApart(ctx, c)
	if err != nil || len(after) == 0 {
		return c, err
	}
	from := &Apart{Parent: c.Parent}
	for p := range before {
		if !inChanges(c.Fix, p) {
			from.Fresh = append(from.Fresh, p)
		}
	}
	slices.Sort(from.Fresh)
	parent, err := f.repo.Derive(ctx, c.Parent, before)
	if err != nil {
		return nil, err
	}
	if from.now, err = f.repo.Derive(ctx, c.ID, after); err != nil {
		return nil, err
	}
	e := c.Entry
	e.ID = from.now
	out, err := f.changed(ctx, e, parent)
	if err != nil {
		return nil, err
	}
	out.Entry, out.Apart, out.inOne = c.Entry, from, false
	out.Fix = slices.DeleteFunc(out.Fix, func(ch history.Change) bool {
		is := slices.Contains(from.Fresh, ch.Path)
		if is {
			out.Tests = append(out.Tests, ch)
		}
		return is
	})
	return out, nil
}

func inChanges(list []history.Change, p string) bool {
	return slices.ContainsFunc(list, func(ch history.Change) bool { return ch.Path == p })
}

// bothApart gives the files that differ once tests are taken out of the code that a
// candidate changes, before and after.
func (f *Finder) bothApart(ctx context.Context, c *Candidate) (before, after map[string]string, err error) {
	before, after = map[string]string{}, map[string]string{}
	contents := history.NewContents(ctx, f.repo)
	defer contents.Close()
	for _, ch := range c.Fix {
		if path.Ext(ch.Path) != ".rs" || ch.Was.ID == "" || ch.Now.ID == "" || ch.Was.Mode == history.ModeLink ||
			ch.Now.Mode == history.ModeLink {
			continue
		}
		was, err := sides.Text(contents, ch.Was)
		if err != nil {
			return nil, nil, err
		}
		now, err := sides.Text(contents, ch.Now)
		if err != nil {
			return nil, nil, err
		}
		old, next, ok := rust.Apart(ch.Path, was, now)
		if !ok {
			continue
		}
		if taken, err := f.taken(ctx, c, ch.Path, old); taken || err != nil {
			return nil, nil, err
		}
		for p := range old {
			before[p], after[p] = old[p], next[p]
		}
	}
	return before, after, nil
}

// taken reports whether a file of the candidate has a name already that tests of a source
// would get.
func (f *Finder) taken(ctx context.Context, c *Candidate, source string, files map[string]string) (bool, error) {
	for _, commit := range []string{c.Parent, c.ID} {
		has, err := f.repo.Names(ctx, history.Commit{ID: commit})
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(has, func(p string) bool { _, is := files[p]; return is && p != source }) {
			return true, nil
		}
	}
	return false, nil
}
