package runner

import (
	"slices"
	"time"

	"cookoff/sandbox"
)

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
