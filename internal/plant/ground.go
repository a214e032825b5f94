package plant

import (
	"context"
	"errors"

	"cookoff/internal/history"
	"cookoff/internal/mine"
)

// Ground says what faults are planted in: the last commit of the project in dir, whose
// files are put into the new directory at; without a repository, or a commit, the files
// as they lie there. changed is a file that was not committed, "" where all is. An error
// is the repository's.
func (o *Options) Ground(ctx context.Context, dir, at string) (changed string, err error) {
	o.Dir = dir
	repo, err := history.Open(ctx, dir)
	if errors.Is(err, history.ErrNone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	head, err := repo.Commit(ctx, "HEAD")
	if err != nil {
		o.Git = true
		return "", nil //nolint:nilerr // nothing was committed: the files are taken as they lie there
	}
	if list, err := repo.WorkTree(dir).Changed(ctx, 1); err == nil && len(list) > 0 {
		changed = list[0]
	}
	repo.Share()
	tree, err := repo.Checkout(ctx, head, at, mine.Secret)
	if err != nil {
		return changed, err
	}
	defer tree.Close()
	// As the worlds of base: have, for tests that ask git.
	if err := tree.Repository(ctx, func(string) bool { return false }); err != nil {
		return changed, err
	}
	o.Dir, o.Base = at, head.ID
	return changed, nil
}
