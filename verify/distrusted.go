package verify

import (
	"context"
	"errors"
	"path"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/distrust/git"
	"cookoff/verify/tree"
	"cookoff/verify/witness"
)

// distrusted gives what the referee's worlds get in place of settings that the
// contestant made or changed: those of the start, or none. What a build cache says that
// the contestant wrote is not read either. A setting that about,
// the task's own text, names is what it is about.
func (s *Start) distrusted(about string, diff []tree.Change, final sandbox.Manifest) []sandbox.Item {
	items := distrustedCaches(about, s.Files, final)
	for _, ch := range diff {
		if _, is := tree.IsBuildCache(ch.Path); is {
			continue
		}
		if !tree.IsSetting(ch.Path) || strings.Contains(about, path.Base(ch.Path)) {
			continue
		}
		switch it, had := s.settings[ch.Path]; {
		case had:
			items = append(items, it)
		case ch.What == "added":
			items = append(items, sandbox.Item{Path: ch.Path, Gone: true})
		}
	}
	return items
}

// whatIsMade has what checks write noted where it is to be learned, by learn, unless judging ended
// with an error.
func (a *Admission) whatIsMade() (wrote map[string][]tree.Change, learn func(error)) {
	if a.learns != "mended" || a.Wrote != nil {
		return a.Wrote, func(error) {}
	}
	wrote = map[string][]tree.Change{}
	return wrote, func(err error) {
		if err == nil && a.env != nil {
			a.substitutes().learn(wrote)
		}
	}
}

// distrustedCaches are the files of build caches that the contestant wrote, those that
// never count as a change among them.
func distrustedCaches(about string, from, to sandbox.Manifest) (items []sandbox.Item) {
	for _, d := range tree.Differences(from, to) {
		if name, is := tree.IsBuildCache(d.Path); is && d.Is != nil && !d.Is.Mode.IsDir() &&
			!strings.Contains(about, strings.Trim(name, "/~")) {
			items = append(items, sandbox.Item{Path: d.Path, Gone: true})
		}
	}
	return items
}

// gitChecks says what the checks of a task ask git.
type gitChecks struct {
	asked bool // something: git is kept from taking the contestant's word
	flags bool // and the flags of its index
}

// look has what a contestant made git believe put right for the checks over
// a state, where one of them asks git. Errors are the sandbox's.
func (g gitChecks) look(ctx context.Context, f *witness.Worlds, s *Start, diff []tree.Change) (err error) {
	if !g.asked || !git.In(f.Final) {
		return nil
	}
	sb := f.Kept
	f.Kept = nil
	defer func() { err = errors.Join(err, sb.Close()) }()
	f.Git, err = git.Look(ctx, git.State{World: sb, Start: s.Files, Final: f.Final, Changes: diff, Repos: s.repos,
		Flags: g.flags})
	return err
}

// describe describes the repositories of a staged state that checks ask about.
func (g gitChecks) describe(ctx context.Context, sb sandbox.Sandbox, m sandbox.Manifest) (map[string]*git.Repo, error) {
	if !g.asked {
		return nil, nil
	}
	return git.Describe(ctx, sb, m)
}
