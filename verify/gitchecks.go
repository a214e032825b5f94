package verify

import (
	"context"
	"errors"

	"cookoff/sandbox"
	"cookoff/verify/distrust/git"
	"cookoff/verify/tree"
	"cookoff/verify/witness"
)

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
