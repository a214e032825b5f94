package verify

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/distrust/git"
	"cookoff/verify/tree"
)

// distrusted gives what the referee's worlds get in place of settings that the
// contestant made or changed: those of the start, or none. A setting that the
// task names is what it is about.
func (c *Case) distrusted(s *Start, diff []tree.Change) []sandbox.Item {
	var items []sandbox.Item
	about := c.Setup + c.Before + strings.Join(c.Solutions, "\n")
	for _, s := range slices.Concat(c.Guard, c.After) {
		about += s.Text
	}
	for _, ch := range diff {
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

// lookAtGit has what a contestant made git believe put right for the checks over
// a state, where one of them asks git. Errors are the sandbox's.
func (c *Case) lookAtGit(ctx context.Context, f *fresh, s *Start, diff []tree.Change) (err error) {
	if !c.git || !git.In(f.final) {
		return nil
	}
	sb := f.kept
	f.kept = nil
	defer func() { err = errors.Join(err, sb.Close()) }()
	f.git, err = git.Look(ctx, git.State{World: sb, Start: s.Files, Final: f.final, Changes: diff, Repos: s.repos, Flags: c.flags})
	return err
}

// repos describes the repositories of a staged state that checks ask about.
func (c *Case) repos(ctx context.Context, sb sandbox.Sandbox, m sandbox.Manifest) (map[string]*git.Repo, error) {
	if !c.git {
		return nil, nil
	}
	return git.Describe(ctx, sb, m)
}
