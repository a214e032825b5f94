package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/combin"
)

// The distributions stand on gonum's special functions and not on its packages stat,
// distuv and mat: those bring a whole linear algebra into the program, 2 MB of it.

// Mean is the arithmetic mean; NaN of nothing.
func Mean(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	return floats.Sum(xs) / float64(len(xs))
}

// MeanVariance gives the mean and the variance of a sample, by the corrected
// two-pass algorithm (Chan, Golub and LeVeque, The American Statistician 37, 1983,
// formula 1.7). The variance of fewer than two is NaN.
func MeanVariance(xs []float64) (mean, variance float64) {
	mean = Mean(xs)
	squares, rest := 0.0, 0.0
	for _, x := range xs {
		d := x - mean
		squares += d * d
		rest += d
	}
	n := float64(len(xs))
	return mean, (squares - rest*rest/n) / (n - 1)
}

// CriticalT is the critical value of Student's t with so many degrees of freedom,
// two-sided at the confidence.
func CriticalT(degrees, confidence float64) float64 {
	t := mathext.InvRegIncBeta(degrees/2, 0.5, 1-confidence)
	return math.Sqrt(degrees * (1 - t) / t)
}

// normal is the critical value of the normal distribution, two-sided.
func normal(confidence float64) float64 { return mathext.NormalQuantile(0.5 + confidence/2) }

// coin gives the probability of k heads in n throws of a fair coin, and of k or fewer.
func coin(n, k int) (exactly, atMost float64) {
	exactly = math.Exp(combin.LogGeneralizedBinomial(float64(n), float64(k)) - float64(n)*math.Ln2)
	if k >= n {
		return exactly, 1
	}
	return exactly, mathext.RegIncBeta(float64(n-k), float64(k+1), 0.5)
}
