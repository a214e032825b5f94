package mine

import (
	"context"
	"errors"
	"fmt"

	"cookoff/internal/history"
	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/lines"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/mine/sides"
)

// Sizes of a fix, in lines.
const (
	small  = 10
	medium = 50
	large  = 200 // more is a rewrite, or much at once
)

// sizeOf is the tag of a fix of so many lines.
func sizeOf(n int) string {
	switch {
	case n <= small:
		return "size-small"
	case n <= medium:
		return "size-medium"
	case n <= large:
		return "size-large"
	}
	return "size-huge"
}

// linesOf is how many lines a fix adds and removes.
func linesOf(pairs []sides.Pair) (n int) {
	for _, p := range pairs {
		n += len(lines.Changed(p.Was, p.Now))
	}
	return n
}

// bounded refuses a candidate whose fix has more lines than are wanted.
func (m *miner) bounded(ctx context.Context, c *candidate.Candidate) error {
	if m.MaxLines == 0 {
		return nil
	}
	contents := history.NewContents(ctx, m.repo)
	defer contents.Close()
	pairs, err := sides.Read(contents, c.Fix)
	if err != nil {
		return err
	}
	pairs, _ = sides.Joined(pairs)
	return m.tooLong(linesOf(pairs))
}

// tooLong refuses a fix of so many lines where fewer are wanted.
func (o Options) tooLong(n int) error {
	if o.MaxLines == 0 || n <= o.MaxLines {
		return nil
	}
	return refusal.New(refusal.TooLarge, fmt.Sprintf("its fix has %d lines (--max-lines %d)", n, o.MaxLines))
}

// wanted gives what was found of a commit, without a task that an earlier search found and whose fix is longer than is
// wanted this time.
func (o Options) wanted(f *Found) *Found {
	if f.Task == nil {
		return f
	}
	no, ok := errors.AsType[*refusal.Error](o.tooLong(f.Task.Lines))
	if !ok {
		return f
	}
	other := *f
	other.Task, other.Reason, other.Detail = nil, no.Reason, no.Detail
	return &other
}
