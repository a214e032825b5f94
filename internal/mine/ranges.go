package mine

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
	Err   error // "": it is not written as one
}

func (e *RangeError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%q is no range of commits", e.Range)
	}
	return fmt.Sprintf("%q: %v", e.Range, e.Err)
}

func (e *RangeError) Unwrap() error { return e.Err }

// log gives the commits that are looked at, newest first: those of the history, or one for
// each range that was asked for, whose parent is where the range begins.
func (m *miner) log(ctx context.Context, head history.Commit) ([]history.Entry, error) {
	if len(m.Ranges) == 0 {
		return m.repo.Log(ctx, history.LogQuery{From: head.ID, Since: m.Since, Paths: m.Paths})
	}
	m.ranges = map[string]bool{}
	var out []history.Entry
	has := map[string]string{} // the range that a commit was first seen in
	for _, text := range m.Ranges {
		e, err := m.rangeOf(ctx, text)
		if err != nil {
			return nil, &RangeError{text, err}
		}
		if e == nil {
			return nil, &RangeError{text, nil}
		}
		if k := e.ID + e.Parents[0]; !m.ranges[k] {
			m.ranges[k], out = true, append(out, *e)
			if err := m.overlap(ctx, has, text, e); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// overlap notes which of the ranges before have commits of this one, too.
func (m *miner) overlap(ctx context.Context, has map[string]string, text string, e *history.Entry) error {
	list, err := m.repo.Range(e.Parents[0], e.ID).IDs(ctx)
	if err != nil {
		return err
	}
	common := map[string]int{}
	for _, id := range list {
		if first, seen := has[id]; seen {
			common[first]++
			continue
		}
		has[id] = text
	}
	for _, first := range slices.Sorted(maps.Keys(common)) {
		m.overlaps = append(m.overlaps, Overlap{first, text, common[first]})
	}
	return nil
}

// rangeOf reads OLD..NEW, or OLD...NEW: what NEW has done since it left OLD. nil: it is
// written otherwise.
func (m *miner) rangeOf(ctx context.Context, text string) (*history.Entry, error) {
	older, newer, ok := strings.Cut(text, "..")
	if newer = strings.TrimPrefix(newer, "."); !ok || older == "" {
		return nil, nil
	}
	if newer == "" {
		newer = "HEAD"
	}
	to, err := m.repo.Commit(ctx, newer)
	if err != nil {
		return nil, err
	}
	from, err := m.repo.Commit(ctx, older)
	if err != nil {
		return nil, err
	}
	base, err := m.repo.Fork(ctx, from, to)
	if err != nil {
		return nil, err
	}
	if base == to.ID {
		return nil, fmt.Errorf("%s has nothing that %s has not", newer, older)
	}
	message, err := m.repo.Range(base, to.ID).Messages(ctx)
	if err != nil {
		return nil, err
	}
	return &history.Entry{Commit: to, Parents: []string{base}, Message: message}, nil
}

// key is what a commit, or a range, is remembered by.
func (m *miner) key(e history.Entry) string {
	if m.ranges != nil {
		return e.ID + e.Parents[0]
	}
	return e.ID
}
