package candidate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/internal/history"
)

// Overlap is two ranges that have commits in common: so do their tasks.
type Overlap struct {
	One, Other string
	Commits    int
}

// RangeError says that a range is none.
type RangeError struct {
	Range string
	Err   error // nil: it is not written as one
}

func (e *RangeError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%q is no range of commits", e.Range)
	}
	return fmt.Sprintf("%q: %v", e.Range, e.Err)
}

func (e *RangeError) Unwrap() error { return e.Err }

// ranges are those that were asked for instead of a history's commits.
type ranges struct {
	repo     *history.Repo
	has      map[string]string // the range that a commit was first seen in
	list     []history.Entry
	overlaps []Overlap
}

// Ranges reads ranges of commits, OLD..NEW: each is an entry whose parent is where it begins. Errors are of type
// *RangeError, or the repository's.
func Ranges(ctx context.Context, repo *history.Repo, texts []string) ([]history.Entry, []Overlap, error) {
	r := &ranges{repo: repo, has: map[string]string{}}
	seen := map[string]bool{}
	for _, text := range texts {
		e, err := r.read(ctx, text)
		if err != nil {
			return nil, nil, &RangeError{text, err}
		}
		if e == nil {
			return nil, nil, &RangeError{text, nil}
		}
		if k := e.ID + e.Parents[0]; !seen[k] {
			seen[k], r.list = true, append(r.list, *e)
			if err := r.overlap(ctx, text, e); err != nil {
				return nil, nil, err
			}
		}
	}
	return r.list, r.overlaps, nil
}

// overlap notes which of the ranges before have commits of this one, too.
func (r *ranges) overlap(ctx context.Context, text string, e *history.Entry) error {
	list, err := r.repo.Range(e.Parents[0], e.ID).IDs(ctx)
	if err != nil {
		return err
	}
	common := map[string]int{}
	for _, id := range list {
		if first, seen := r.has[id]; seen {
			common[first]++
			continue
		}
		r.has[id] = text
	}
	for _, first := range slices.Sorted(maps.Keys(common)) {
		r.overlaps = append(r.overlaps, Overlap{first, text, common[first]})
	}
	return nil
}

// read takes OLD..NEW, or OLD...NEW: what NEW has done since it left OLD. nil: it is
// written otherwise.
func (r *ranges) read(ctx context.Context, text string) (*history.Entry, error) {
	older, newer, ok := strings.Cut(text, "..")
	if newer = strings.TrimPrefix(newer, "."); !ok || older == "" {
		return nil, nil
	}
	if newer == "" {
		newer = "HEAD"
	}
	to, err := r.repo.Commit(ctx, newer)
	if err != nil {
		return nil, err
	}
	from, err := r.repo.Commit(ctx, older)
	if err != nil {
		return nil, err
	}
	base, err := r.repo.Fork(ctx, from, to)
	if err != nil {
		return nil, err
	}
	if base == to.ID {
		return nil, fmt.Errorf("%s has nothing that %s has not", newer, older)
	}
	message, err := r.repo.Range(base, to.ID).Messages(ctx)
	if err != nil {
		return nil, err
	}
	return &history.Entry{Commit: to, Parents: []string{base}, Message: message}, nil
}
