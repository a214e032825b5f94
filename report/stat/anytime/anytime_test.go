package anytime

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDiscordant(t *testing.T) {
	check := func(x, y int, want float64) {
		t.Helper()
		if got := Discordant(x, y); math.Abs(got-want) > 1e-9*want {
			t.Errorf("Discordant(%d, %d) = %v, want %v", x, y, got, want)
		}
	}
	// B(2,2) = 1/6; B(3,2) = 1/12; B(12,2) = 11!/13! = 1/156.
	check(0, 0, 1)
	check(1, 0, 1)
	check(0, 1, 1)
	check(10, 0, 1024.0*6/156)
	check(0, 10, 1024.0*6/156)
	check(500, 500, Discordant(500, 500))
	if e := Discordant(2000, 100); math.IsInf(e, 0) || math.IsNaN(e) {
		t.Errorf("of many tasks: %v", e)
	}
}

// A bet that is fair keeps its mean: over all outcomes, weighted by their chance.
func TestDiscordantIsFair(t *testing.T) {
	for m := range 20 {
		mean := 0.0
		choose := 1.0
		for x := 0; x <= m; x++ {
			mean += choose * math.Ldexp(1, -m) * Discordant(x, m-x)
			choose = choose * float64(m-x) / float64(x+1)
		}
		if math.Abs(mean-1) > 1e-9 {
			t.Errorf("after %d tasks the mean is %v", m, mean)
		}
	}
}

func TestDifferencesIsFair(t *testing.T) {
	var walk func(seen []float64, depth int) float64
	walk = func(seen []float64, depth int) float64 {
		if depth == 0 {
			return Differences(seen)
		}
		sum := 0.0
		for d, p := range map[float64]float64{-1: 0.1, -0.5: 0.2, 0: 0.4, 0.5: 0.2, 1: 0.1} {
			sum += p * walk(append(seen[:len(seen):len(seen)], d), depth-1)
		}
		return sum
	}
	if mean := walk(nil, 6); math.Abs(mean-1) > 1e-9 {
		t.Errorf("the mean is %v", mean)
	}
}

func TestDifferencesTells(t *testing.T) {
	var diffs []float64
	for range 30 {
		diffs = append(diffs, 0.5)
	}
	if e := Differences(diffs); e < 20 {
		t.Errorf("thirty tasks on which one is better: %v", e)
	}
	if e := Differences(make([]float64, 100)); e != 1 {
		t.Errorf("a hundred tasks without a difference: %v", e)
	}
	for i := range diffs {
		diffs[i] = -diffs[i]
	}
	if e := Differences(diffs); e < 20 {
		t.Errorf("thirty tasks on which one is worse: %v", e)
	}
}

func TestSequence(t *testing.T) {
	if lo, hi := Sequence(nil, -1, 1, 0.05); lo != -1 || hi != 1 {
		t.Errorf("of nothing: %v to %v", lo, hi)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var xs []float64
	for range 400 {
		x := 0.0
		if rng.Float64() < 0.7 {
			x = 1
		}
		xs = append(xs, x)
	}
	lo, hi := Sequence(xs, 0, 1, 0.05)
	if lo > 0.7 || hi < 0.7 || hi-lo > 0.2 {
		t.Errorf("four hundred trials at 70 %%: %v to %v", lo, hi)
	}
	wide, _ := Sequence(xs[:20], 0, 1, 0.05)
	if wide > lo {
		t.Errorf("it begins at %v after 20 trials and at %v after 400", wide, lo)
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{40, 1, 10})
	// 40: min(40, 41/2, 51/3); 1: min(1, 11/2, 51/3); 10: min(10, 11/2, 51/3).
	for i, want := range []float64{17, 1, 5.5} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("number %d: %v, want %v", i, got[i], want)
		}
	}
	if got := Holm([]float64{7}); got[0] != 7 {
		t.Errorf("one alone: %v", got)
	}
}

func TestShare(t *testing.T) {
	for n := 1; n < 9; n++ {
		sum := 0.0
		for r := 1; r <= n; r++ {
			sum += Share(r, n)
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("of %d rounds the shares are %v", n, sum)
		}
	}
	if Share(1, 1) != 1 || Share(0, 3) != 0 || Share(4, 3) != 0 {
		t.Error("a round that is not one has a share")
	}
}
