// Package stat holds the statistics of a comparison: intervals of rates, paired
// tests, corrections for several comparisons, and how large a difference has to
// be before it can be seen at all.
//
// Rates and confidences are fractions (0.95 is 95 %), never per cent. What is
// undefined (no trials, k larger than the trials) is NaN, never 0. What
// resamples takes a seed and gives the same number for the same seed.
package stat

import (
	"math"
	"slices"
)

// Interval is a confidence interval. Both ends are NaN where it is undefined.
type Interval struct{ Lo, Hi float64 }

// undefined is the interval of nothing.
func undefined() Interval { return Interval{math.NaN(), math.NaN()} }

// Defined reports whether the interval says anything.
func (i Interval) Defined() bool { return !math.IsNaN(i.Lo) && !math.IsNaN(i.Hi) }

// Wilson gives the score interval of the rate pass/n for independent trials
// (Wilson, JASA 22, 1927). Undefined for n = 0.
func Wilson(pass, n int, confidence float64) Interval {
	if n <= 0 || pass < 0 || pass > n {
		return undefined()
	}
	return score(float64(pass)/float64(n), float64(n), normal(confidence))
}

// score is Wilson's interval for the rate p seen in n trials, which needn't be
// a whole number, at the critical value z.
func score(p, n, z float64) Interval {
	z2 := z * z
	mid := (p + z2/(2*n)) / (1 + z2/n)
	half := z / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	return Interval{max(0, mid-half), min(1, mid+half)}
}

// Cluster is what became of the trials of one task: Pass of N.
type Cluster struct{ Pass, N int }

// Clustered gives the rate over all trials and its standard error where the
// trials of one task resemble each other:
// sqrt(C/(C-1) * sum over tasks of (sum of (x - mean))^2) / N for C tasks and N
// trials (Miller, "Adding Error Bars to Evals", 2024, with the correction for few
// clusters). Tasks without trials don't count. The standard error is NaN for
// fewer than two tasks, the mean is NaN without trials.
func Clustered(tasks []Cluster) (mean, se float64) {
	pass, n, c := 0, 0, 0
	for _, t := range tasks {
		if t.N > 0 {
			pass, n, c = pass+t.Pass, n+t.N, c+1
		}
	}
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	mean = float64(pass) / float64(n)
	if c < 2 {
		return mean, math.NaN()
	}
	sum := 0.0
	for _, t := range tasks {
		d := float64(t.Pass) - float64(t.N)*mean
		sum += d * d
	}
	return mean, math.Sqrt(float64(c)/float64(c-1)*sum) / float64(n)
}

// What ClusteredInterval knows before it sees any task: imagined is how many
// tasks' worth of how alike the trials of a task are, which is likeness of the
// way from not at all to wholly; and unseen how much of a task that ends otherwise
// than the rest may lie beyond each end of what was seen.
const (
	imagined = 2
	likeness = 0.25
	unseen   = 0.19
)

// ClusteredInterval gives the interval of the rate over tasks like these, where
// the trials of one task resemble each other: Wilson's with the number of trials
// that independent ones would have needed for the standard error of Clustered
// (Korn and Graubard, Survey Methodology 24, 1998), and Student's t. Where each
// task was tried once it is Wilson's. So it is of one task, and is then about that
// task alone. Undefined without trials.
//
// Trials of a task that all end alike make the variance k times that of
// independent ones, for k trials a task. How near to that it is, few tasks hardly
// say: their estimate is averaged with that of imagined ones. Only what trials
// share is estimated from tasks, which gives (C-1)(k/(k-1))^2 degrees of freedom
// by Satterthwaite's formula for variances that are sums (Biometrics Bulletin 2,
// 1946).
//
// Tasks that all seem equally hard may be so because the few easy ones of their
// kind are not among them. So the upper end has the variance with a share of one
// more task that is always fixed, and the lower end that with one that never is:
// it matters most towards the long tail of a low or high rate. But k trials of a
// task never say less than one: the interval is never wider than Wilson's with
// each task counted once, which it is where every trial ended alike.
func ClusteredInterval(tasks []Cluster, confidence float64) Interval {
	mean, se := Clustered(tasks)
	pass, trials, squares := 0, 0, 0
	for _, t := range tasks {
		pass, trials, squares = pass+t.Pass, trials+t.N, squares+t.N*t.N
	}
	if squares == trials || math.IsNaN(se) {
		return Wilson(pass, trials, confidence)
	}
	n := float64(trials)
	k := float64(squares) / n // where tasks were tried unequally often, that of a trial's task
	c := n / k                // (Kish, Survey Sampling, 1965)
	widest := score(mean, c, normal(confidence))
	if mean == 0 || mean == 1 {
		return widest
	}
	effect := ((c-1)*se*se*n/(mean*(1-mean)) + imagined*(1+likeness*(k-1))) / (c - 1 + imagined)
	odds := mean / (1 - mean)
	shared := k / (k - 1)
	t := CriticalT((c-1+imagined)*shared*shared, confidence)
	end := func(odds float64) Interval {
		effect := min(max(effect+unseen*(k-1)/c*odds, 1), k)
		return score(mean, n/effect, t)
	}
	return Interval{max(end(odds).Lo, widest.Lo), min(end(1/odds).Hi, widest.Hi)}
}

// Resamples is how often SignFlip draws for many tasks.
const Resamples = 10_000

// PairedInterval gives the interval of the mean of paired differences of rates,
// one a task: Student's. Where no difference differs from the others nothing
// tells how far they spread; then half a task each way is added that only one of
// the pair fixed (Agresti and Min, Statistics in Medicine 24, 2005). Undefined for
// fewer than two tasks.
func PairedInterval(diffs []float64, confidence float64) Interval {
	n := float64(len(diffs))
	if n < 2 {
		return undefined()
	}
	mean, variance := MeanVariance(diffs)
	sd := math.Sqrt(variance)
	half := CriticalT(n-1, confidence) * sd / math.Sqrt(n)
	if sd < 1e-9 { // sums of thirds are not exact
		mean *= n / (n + 1)
		v := (n*diffs[0]*diffs[0]+1)/(n+1) - mean*mean
		half = normal(confidence) * math.Sqrt(v/(n+1))
	}
	return Interval{max(-1, mean-half), min(1, mean+half)}
}

// Quantile gives the q-quantile by linear interpolation between the order
// statistics (type 7 of Hyndman and Fan, 1996: the default of R and NumPy; the
// interpolation of gonum is type 4, whose median of two numbers is the smaller).
// NaN of nothing.
func Quantile(xs []float64, q float64) float64 {
	sorted := slices.Clone(xs)
	slices.Sort(sorted)
	return quantile(sorted, q)
}

func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := min(max(q, 0), 1) * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
