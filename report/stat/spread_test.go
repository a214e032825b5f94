package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSpread(t *testing.T) {
	if got := NewRange([]float64{9, 1, 4}); got != (Range{1, 4, 9}) {
		t.Errorf("%v", got)
	}
	// 10±2 and 100±20: the same share of the mean; one trial and nothing at all say nothing
	if got := Within([][]float64{{8, 10, 12}, {80, 100, 120}, {7}, {0, 0}, {}}); math.Abs(got-0.2) > 1e-12 {
		t.Errorf("%v", got)
	}
	if got := Within([][]float64{{1}, {0, 0}}); !math.IsNaN(got) || !math.IsNaN(NewRange(nil).Median) {
		t.Errorf("%v", got)
	}
	// of 400 tasks of unlike size, tried three times, the true share comes out
	rng := rand.New(rand.NewPCG(1, 2))
	var groups [][]float64
	for range 400 {
		size := 1 + 99*rng.Float64()
		var xs []float64
		for range 3 {
			xs = append(xs, size*(1+0.25*rng.NormFloat64()))
		}
		groups = append(groups, xs)
	}
	if got := Within(groups); math.Abs(got-0.25) > 0.02 {
		t.Errorf("%v of 0.25", got)
	}
}
