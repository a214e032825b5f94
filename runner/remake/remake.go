// Package remake makes what trials left anew, and judges it again: a task is staged, and a
// trial's changes are made.
package remake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cookoff/sandbox"
	"cookoff/trial/final"
	"cookoff/verify"
	"cookoff/verify/tree"
)

// stateOf stages a task in a sandbox as the trial found it, and makes the changes in it that the trial
// left. start is what was staged; why says why the state can't be made anew, and is no error.
func stateOf(ctx context.Context, task *verify.Case, sb sandbox.Sandbox, left *final.State) (start *verify.Start,
	why string, err error) {
	as := starting{setup: task.Setup, sb: sb, left: left}
	start, err = task.Stage(ctx, sb, as.before)
	var broken *verify.StagingError
	if errors.As(err, &broken) {
		return nil, fmt.Sprintf("the task can't be staged any more: %v", broken), nil
	}
	if err != nil {
		return nil, "", err
	}
	if path := otherStart(start, left.Changes); path != "" {
		return nil, fmt.Sprintf("the task does not start as it did: %q is another file than the trial found", path), nil
	}
	if as.why != "" {
		return nil, as.why, nil
	}
	if err := task.Quiet(ctx, sb); err != nil {
		return nil, "", err
	}
	why, err = unpack(ctx, sb, left.Changes)
	return start, why, err
}

// unpack makes changes in a sandbox; why says what is not possible.
func unpack(ctx context.Context, sb sandbox.Sandbox, changes []final.Change) (why string, err error) {
	var items []sandbox.Item
	for _, c := range changes {
		it := sandbox.Item{Path: c.Path, Gone: c.After == nil}
		if v := c.After; v != nil {
			it.Mode, it.Size, it.Link, it.Time, it.Data = v.Mode, v.Size, v.Link, v.Time, v.Data
			it.Owner = v.Owner
		}
		items = append(items, it)
	}
	afterStart(items, time.Now())
	err = sb.FS().Unpack(ctx, items)
	var refused *sandbox.FileError
	if errors.As(err, &refused) {
		return fmt.Sprintf("its final state can't be made again: %v", refused), nil
	}
	return "", err
}

// otherStart gives the first changed file that is not staged as the trial found
// it. Files that tools write beside their work may differ.
func otherStart(start *verify.Start, changes []final.Change) string {
	staged := map[string]sandbox.File{}
	for _, f := range start.Manifest() {
		staged[f.Path] = f
	}
	for _, c := range changes {
		f, there := staged[c.Path]
		b := c.Before
		switch {
		case tree.Untracked(c.Path), start.Made(c.Path) != "":
		case there != (b != nil), there && !equal(f, b):
			return c.Path
		}
	}
	return ""
}

// aDay is how far behind the last change a file may be dated to have been written by the trial.
const aDay = 24 * time.Hour

// afterStart dates what a trial left behind a start that was staged anew, in the order in which
// it was written: make would take what the start built for newer than what was mended. What is dated a
// day before the rest stays as it is.
func afterStart(items []sandbox.Item, now time.Time) {
	var times []time.Time
	for _, it := range items {
		if !it.Gone && !it.Time.IsZero() {
			times = append(times, it.Time)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	times = slices.CompactFunc(times, time.Time.Equal)
	for i, it := range items {
		at, found := slices.BinarySearchFunc(times, it.Time, time.Time.Compare)
		if found && !it.Gone && it.Time.Before(now) && it.Time.After(times[len(times)-1].Add(-aDay)) {
			items[i].Time = now.Add(time.Duration(at) * time.Microsecond)
		}
	}
}
