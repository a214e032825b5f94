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
	if math.Abs(diff) < 1e-9 {
		return math.Inf(1)
	}
	spread = max(spread, diff*diff)
	z := normal(1-level) + normal(2*power-1)
	byChance := z * z * (spread - diff*diff) / (diff * diff)
	oneWay := float64(NeededTasks(level)) / spread // so many must differ at all
	return math.Ceil(max(byChance, oneWay) - 1e-9)
}
