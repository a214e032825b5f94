package stat

import "math"

// power is how often TasksToTell is to see a difference that is there.
const power = 0.8

// TasksToTell says about how many tasks a paired comparison takes to call a
// difference of rates significant at level in four of five runs. diff is the mean
// of the differences by task and spread the mean of their squares, which is at
// least its size where each task was tried once. Infinite for no difference: no
// number of tasks tells equals apart.
func TasksToTell(diff, spread, level float64) float64 {
	return Design{diff, spread, spread}.Tasks(level, power)
}

// Design is what a paired comparison is to see: the mean of the differences by
// task, the mean of their squares, and the share of tasks that differ at all,
// which is the same where each is tried once.
type Design struct{ Diff, Spread, Differ float64 }

// Tasks says about how many tasks it takes to call the difference significant at
// level as often as power says.
func (d Design) Tasks(level, power float64) float64 {
	if math.Abs(d.Diff) < 1e-9 {
		return math.Inf(1)
	}
	spread, differ := max(d.Spread, d.Diff*d.Diff), min(max(d.Differ, d.Spread, d.Diff*d.Diff), 1)
	z := normal(1-level) + normal(2*power-1)
	byChance := z * z * (spread - d.Diff*d.Diff) / (d.Diff * d.Diff)
	oneWay := float64(NeededTasks(level)) / differ // so many must differ at all
	return math.Ceil(max(byChance, oneWay) - 1e-9)
}
