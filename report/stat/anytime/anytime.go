// Package anytime holds the statistics that stay valid however often they are
// looked at, and whenever that ends: e-values and confidence sequences. An e-value
// is evidence against "no difference": what a bet that would be fair if there were
// none has made of one. That it ever reaches 1/level happens, if there is none, in
// at most level of all runs (Ville, 1939).
//
// Differences are fractions between -1 and 1, rates between 0 and 1, a level is
// the share of false alarms that is allowed.
package anytime

import (
	"math"
	"slices"
)

// Discordant gives the e-value of "no difference" between two contestants that
// were tried on the same tasks once each, from the tasks that only one of them
// fixed: 2^m·B(a+x, a+y)/B(a, a), for m = x+y. It bets on every chance of winning
// at once, weighted by a Beta(a, a) distribution; a is prior. 1 without such tasks.
func Discordant(onlyA, onlyB int) float64 {
	x, y := float64(onlyA), float64(onlyB)
	return min(math.Exp((x+y)*math.Ln2+logBeta(prior+x, prior+y)-logBeta(prior, prior)), math.MaxFloat64)
}

// prior says how unequal contestants that differ are thought to be. With 2 most of
// the weight is on winning 10 to 90 % of the tasks that only one fixes: of those
// tried it decides a difference of 20 points soonest.
const prior = 2

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// Differences gives the e-value of "no difference" from one number a task: the
// difference of two contestants' rates there, in the order of the plan. Half of
// the stake bets that the mean is above 0, half that it is below; how much is
// staked on a task follows from the tasks before it (Waudby-Smith and Ramdas,
// "Estimating means of bounded random variables by betting", JRSS B 86, 2024).
// The tasks are taken as drawn from those that might have been asked.
func Differences(diffs []float64) float64 {
	up, down := newBettor(), newBettor()
	for _, d := range diffs {
		up.play(d)
		down.play(-d)
	}
	return (up.capital + down.capital) / 2
}

// bettor bets that numbers between -1 and 1 have a mean above 0. It stakes the
// fraction of its capital that would have grown fastest so far, where the mean is
// small: sum of the numbers by the sum of their squares.
type bettor struct{ capital, sum, squares float64 }

// A bettor begins as if it had seen a few small gains, so that the first tasks
// count; it never stakes more than half.
const (
	seenBefore = 1.0
	gainBefore = 0.3
	mostStaked = 0.5
)

func newBettor() *bettor { return &bettor{capital: 1, sum: gainBefore, squares: seenBefore} }

func (b *bettor) play(x float64) {
	stake := min(max(b.sum/b.squares, 0), mostStaked)
	b.capital *= 1 + stake*x
	b.sum += x
	b.squares += x * x
}

// Sequence gives an interval for the mean of numbers between lo and hi after each
// of them: that it ever misses the mean happens in at most level of all runs. A
// mean is in it as long as a bet against that mean has not made 1/level of its
// stake (the hedged capital of Waudby-Smith and Ramdas, 2024, with bets by
// empirical Bernstein). The last interval is given; all of [lo, hi] without
// numbers.
func Sequence(xs []float64, lo, hi, level float64) (from, to float64) {
	left, right := 0, steps
	sum, spread := 0.5, 0.25 // of the numbers, brought to [0, 1]
	capital := make([]hedge, steps+1)
	for i := range capital {
		capital[i] = hedge{1, 1}
	}
	for t, x := range xs {
		y := (x - lo) / (hi - lo)
		stake := math.Sqrt(2 * math.Log(2/level) / (spread * math.Log(float64(t+2))))
		for i := left; i <= right; i++ {
			capital[i].play(y, float64(i)/steps, stake)
		}
		for left < right && capital[left].made() >= 1/level {
			left++
		}
		for right > left && capital[right].made() >= 1/level {
			right--
		}
		sum += y
		mean := sum / float64(t+2)
		spread += (y - mean) * (y - mean)
	}
	at := func(i int) float64 { return lo + float64(i)/steps*(hi-lo) }
	return at(max(left-1, 0)), at(min(right+1, steps))
}

// steps is into how many parts Sequence divides what is possible; it is wider by
// one of them at each end.
const steps = 400

// hedge is what has become of a bet that a mean is higher, and of one that it is
// lower.
type hedge struct{ up, down float64 }

func (h *hedge) play(y, mean, stake float64) {
	const most = 0.5 // of what can be lost at once
	h.up *= 1 + min(stake, most/max(mean, 1e-9))*(y-mean)
	h.down *= 1 - min(stake, most/max(1-mean, 1e-9))*(y-mean)
}

// made is a lower bound of what half a stake each has become.
func (h *hedge) made() float64 { return max(h.up, h.down) / 2 }

// Holm adjusts e-values for being several, in the order given: each is the least
// mean of itself with the smallest of the others (Vovk and Wang, "E-values:
// calibration, combination and applications", Ann. Statist. 49, 2021, algorithm 1).
// That any of those without a difference reaches 1/level happens in at most level
// of all runs.
func Holm(es []float64) []float64 {
	out := slices.Clone(es)
	for i, e := range es {
		others := slices.Sorted(slices.Values(slices.Delete(slices.Clone(es), i, i+1)))
		sum := e
		for j, other := range others {
			sum += other
			out[i] = min(out[i], sum/float64(j+2))
		}
	}
	return out
}

// Share is how much of a level the round of trials r of n, from 1, may use up.
// Each round looks at all trials of a task so far, and what is looked at twice
// must be paid for: the shares of all rounds are 1 together, the first is the
// largest.
func Share(r, n int) float64 {
	if r < 1 || r > n {
		return 0
	}
	whole := 1 - 1/float64(n+1)
	return 1 / (float64(r) * float64(r+1)) / whole
}
