package stat

import (
	"math"
	"slices"
)

// Range is how far numbers reach.
type Range struct{ Min, Median, Max float64 }

// NewRange gives the Range of some numbers; all NaN without any.
func NewRange(xs []float64) Range {
	if len(xs) == 0 {
		return Range{math.NaN(), math.NaN(), math.NaN()}
	}
	return Range{slices.Min(xs), Quantile(xs, 0.5), slices.Max(xs)}
}

// Within gives by how much numbers of one group differ from each other, as a share of
// their mean: the root of the mean, over groups of two and more, of the variance (by n-1)
// by the square of the mean. Groups whose mean is 0 or less are left out; NaN without any.
func Within(groups [][]float64) float64 {
	sum, n := 0.0, 0
	for _, xs := range groups {
		mean := Mean(xs)
		if len(xs) < 2 || !(mean > 0) {
			continue
		}
		squares := 0.0
		for _, x := range xs {
			squares += (x - mean) * (x - mean)
		}
		sum, n = sum+squares/float64(len(xs)-1)/(mean*mean), n+1
	}
	if n == 0 {
		return math.NaN()
	}
	return math.Sqrt(sum / float64(n))
}
