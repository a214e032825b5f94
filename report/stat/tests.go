package stat

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
)

// McNemar compares two models on tasks tried once each, from the tasks that only
// one of them fixed: the two-sided exact (binomial) p, and the mid-p, which is
// less cautious (Fagerland, Lydersen and Laake, BMC Med. Res. Methodol. 13, 2013).
// Without such tasks there is no difference: both are 1.
func McNemar(onlyA, onlyB int) (exact, mid float64) {
	n, least := onlyA+onlyB, min(onlyA, onlyB)
	if n == 0 {
		return 1, 1
	}
	exactly, atMost := coin(n, least)
	exact = min(1, 2*atMost)
	return exact, exact - exactly
}

// exactTasks is the most tasks that differ for which SignFlip tries every
// pattern of signs (2^19 sums, by symmetry).
const exactTasks = 20

// SignFlip gives the two-sided p of "no difference" from paired differences, one
// a task: the share of sign patterns whose sum is at least as far from 0 as the
// one seen (Fisher's permutation test for pairs, 1935). Up to 20 tasks that differ
// it tries all patterns; beyond, it draws Resamples with the seed and gives
// (hits+1)/(draws+1) (Phipson and Smyth, 2010). 1 where no task differs, NaN
// without tasks.
func SignFlip(diffs []float64, seed int64) float64 {
	if len(diffs) == 0 {
		return math.NaN()
	}
	return flip(diffs, 0, seed)
}

// PairedTest gives the two-sided p of "no difference" between two models, from
// what became of the trials of the tasks that both were judged on: SignFlip of
// the differences of their rates. Tasks without trials of both don't count; NaN
// without any that do.
//
// A difference is as likely the one way as the other only where both were tried
// equally often: of one trial and ten, at a low rate, the one is mostly a little
// worse and rarely much better, though they are equals. So where one was tried
// more often, p is at least that of changing trials instead of signs: all of the
// one for as many of the other, drawn with the seed.
func PairedTest(a, b []Cluster, seed int64) float64 {
	rng := rand.New(rand.NewPCG(uint64(seed), 0xc4a6))
	var diffs, halves []float64
	middle, equally := 0.0, true
	for i := range a {
		if a[i].N == 0 || b[i].N == 0 {
			continue
		}
		diff := difference(a[i], b[i])
		changed := -diff
		if a[i].N != b[i].N {
			equally = false
			changed = difference(change(a[i], b[i], rng))
			middle += (diff + changed) / 2
		}
		diffs, halves = append(diffs, diff), append(halves, (diff-changed)/2)
	}
	p := SignFlip(diffs, seed)
	if equally {
		return p
	}
	return max(p, flip(halves, middle, seed))
}

// difference of the rates of two.
func difference(a, b Cluster) float64 {
	return float64(a.Pass)/float64(a.N) - float64(b.Pass)/float64(b.N)
}

// change changes all trials of the one with fewer for as many of the other.
func change(a, b Cluster, rng *rand.Rand) (Cluster, Cluster) {
	if a.N > b.N {
		b, a = change(b, a, rng)
		return a, b
	}
	drawn, left, pass := 0, b.N, b.Pass
	for range a.N {
		if rng.IntN(left) < pass {
			drawn++
			pass--
		}
		left--
	}
	return Cluster{drawn, a.N}, Cluster{pass + a.Pass, b.N}
}

// flip gives the share of sign patterns of xs whose sum with the middle is at
// least as far from 0 as with the signs that they have.
func flip(xs []float64, middle float64, seed int64) float64 {
	var d []float64
	sum, size := middle, math.Abs(middle)
	for _, x := range xs {
		if x != 0 {
			d = append(d, x)
			sum, size = sum+x, size+math.Abs(x)
		}
	}
	if len(d) == 0 {
		return 1
	}
	far := math.Abs(sum) - 1e-9*size // sums of thirds are not exact
	if len(d) <= exactTasks {
		return flipExact(d, middle, far)
	}
	return flipDrawn(d, middle, far, seed)
}

// flipExact walks all patterns in Gray code order, one sign a step; around 0
// the first sign stays, since the mirrored pattern is as far from it.
func flipExact(d []float64, middle, far float64) float64 {
	signed := slices.Clone(d)
	sum := middle
	for _, x := range signed {
		sum += x
	}
	fixed := 0
	if middle == 0 {
		fixed = 1
	}
	total := uint64(1) << (len(d) - fixed)
	hits := uint64(0)
	for i := uint64(1); ; i++ {
		if math.Abs(sum) >= far {
			hits++
		}
		if i == total {
			return float64(hits) / float64(total)
		}
		at := fixed + bits.TrailingZeros64(i)
		signed[at] = -signed[at]
		sum += 2 * signed[at]
	}
}

func flipDrawn(d []float64, middle, far float64, seed int64) float64 {
	rng := rand.New(rand.NewPCG(uint64(seed), 0x51f1))
	hits := 0
	for range Resamples {
		sum := middle
		var word uint64
		for i, x := range d {
			if i%64 == 0 {
				word = rng.Uint64()
			}
			if word&1 == 1 {
				x = -x
			}
			word >>= 1
			sum += x
		}
		if math.Abs(sum) >= far {
			hits++
		}
	}
	return float64(hits+1) / float64(Resamples+1)
}

// Holm adjusts p values for being several (Holm, Scand. J. Statist. 6, 1979), in
// the order given. NaN stays NaN and is not counted among them.
func Holm(p []float64) []float64 {
	out := slices.Clone(p)
	var order []int
	for i, x := range p {
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(order)-rank)*p[i]))
		out[i] = least
	}
	return out
}

// PassAtK estimates, without bias, the chance that at least one of k trials
// passes, from pass of n: 1 - C(n-pass, k)/C(n, k) (Chen et al., "Evaluating Large
// Language Models Trained on Code", 2021). NaN for k < 1 or k > n.
func PassAtK(pass, n, k int) float64 {
	if !choosable(pass, n, k) {
		return math.NaN()
	}
	return 1 - chooseRatio(n-pass, n, k)
}

// PassHatK estimates, without bias, the chance that all of k trials pass, from
// pass of n: C(pass, k)/C(n, k) (Yao et al., "tau-bench", 2024). NaN for k < 1 or
// k > n.
func PassHatK(pass, n, k int) float64 {
	if !choosable(pass, n, k) {
		return math.NaN()
	}
	return chooseRatio(pass, n, k)
}

func choosable(pass, n, k int) bool { return k >= 1 && k <= n && pass >= 0 && pass <= n }

// chooseRatio is C(m, k)/C(n, k) for m <= n, in logarithms so that it doesn't
// overflow.
func chooseRatio(m, n, k int) float64 {
	switch {
	case m < k:
		return 0
	case m == n:
		return 1
	case n <= 50:
		return float64(combin.Binomial(m, k)) / float64(combin.Binomial(n, k))
	}
	return math.Exp(combin.LogGeneralizedBinomial(float64(m), float64(k)) - combin.LogGeneralizedBinomial(float64(n),
		float64(k)))
}

// SmallestDifference gives the smallest difference of rates, over tasks tried
// trials times each, that the paired test could call significant at level alpha:
// the exact test needs b tasks that differ, all one way and each by at least one
// trial, where 2^(1-b) <= alpha. ok is false where even a difference on every
// task could not be.
func SmallestDifference(tasks, trials int, alpha float64) (diff float64, ok bool) {
	if tasks < 1 || trials < 1 || !(alpha > 0) {
		return math.NaN(), false
	}
	need := NeededTasks(alpha)
	if need > tasks {
		return math.NaN(), false
	}
	return float64(need) / float64(tasks*trials), true
}

// NeededTasks is how many tasks must differ, all one way, before the exact
// paired test can be significant at level alpha.
func NeededTasks(alpha float64) int {
	need := 1
	for math.Ldexp(1, 1-need) > alpha && need < 1000 {
		need++
	}
	return need
}
