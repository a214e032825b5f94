package stat

import (
	"math"
	"slices"
)

// Contest is how often, or with what weight, one of two was preferred. A and B
// count from 0.
type Contest struct {
	A, B             int
	Wins, Loss, Ties float64 // of A
}

// Strengths are what contests say of contestants: with log strengths a and b,
// the odds of winning are exp(a-b), and a tie is Tie·exp((a+b)/2) against
// exp(a) and exp(b) (Davidson's extension of the model of Bradley and Terry).
type Strengths struct {
	Log []float64 // their mean is 0
	Tie float64   // 0: there are no ties
	cov square
}

// maxNewton bounds the steps of a fit, which takes about ten.
const maxNewton = 200

// BradleyTerry fits the strengths of n contestants. prior is the weight of a
// tie of each with an average contestant, which keeps one that never lost at a
// finite strength; with 0 it is the plain maximum of likelihood. ok is false
// where that has no finite maximum.
func BradleyTerry(n int, contests []Contest, prior float64) (s Strengths, ok bool) {
	f := fit{n: n, contests: contests, prior: prior}
	decided := 0.0
	for _, c := range contests {
		f.ties = f.ties || c.Ties > 0
		decided += c.Wins + c.Loss
	}
	if f.ties && decided == 0 { // ties alone: they are as likely as can be
		f.ties, f.contests = false, slices.Clone(contests)
		for i, c := range f.contests {
			f.contests[i] = Contest{c.A, c.B, c.Ties / 2, c.Ties / 2, 0}
		}
	}
	size := n
	if f.ties {
		size++
	}
	x := make([]float64, size)
	at, grad, info := f.at(x)
	for range maxNewton {
		chol, definite := factorize(info)
		if !definite {
			return Strengths{}, false
		}
		step := chol.solve(grad)
		next, far := x, 0.0
		for scale := 1.0; ; scale /= 2 {
			if scale < 1e-9 {
				return Strengths{}, false
			}
			next = make([]float64, size)
			far = 0
			for i := range x {
				next[i] = x[i] + scale*step[i]
				far = max(far, math.Abs(next[i]-x[i]))
			}
			if l, g, h := f.at(next); l >= at-1e-12*math.Abs(at) {
				at, grad, info = l, g, h
				break
			}
		}
		if x = next; far < 1e-10 {
			return f.strengths(x, chol), true
		}
		for _, v := range x {
			if math.Abs(v) > 40 { // running away: nothing holds it
				return Strengths{}, false
			}
		}
	}
	return Strengths{}, false
}

// fit is the likelihood of contests.
type fit struct {
	n        int
	contests []Contest
	prior    float64
	ties     bool
}

// at gives the log likelihood, its gradient, and the information: the negated
// second derivatives. Strengths are known up to a constant: without a prior
// the information is filled up in that direction.
func (f *fit) at(x []float64) (l float64, grad []float64, info square) {
	grad, info = make([]float64, len(x)), newSquare(len(x))
	add := info.add
	logTie := math.Inf(-1)
	if f.ties {
		logTie = x[f.n]
	}
	for _, c := range f.contests {
		n := c.Wins + c.Loss + c.Ties
		half := (x[c.A] - x[c.B]) / 2
		logD := logSum(half, -half, logTie)
		p, q, t := math.Exp(half-logD), math.Exp(-half-logD), math.Exp(logTie-logD)
		l += c.Wins*(half-logD) + c.Loss*(-half-logD)
		if c.Ties > 0 {
			l += c.Ties * (logTie - logD)
		}
		g := c.Wins + c.Ties/2 - n*(p+t/2)
		grad[c.A] += g
		grad[c.B] -= g
		v := n * (p + t/4 - (p+t/2)*(p+t/2))
		add(c.A, c.A, v)
		add(c.B, c.B, v)
		add(c.A, c.B, -v)
		if f.ties {
			grad[f.n] += c.Ties - n*t
			add(f.n, f.n, n*t*(1-t))
			add(c.A, f.n, n*t*(q-p)/2)
			add(c.B, f.n, -n*t*(q-p)/2)
		}
	}
	for i := range f.n {
		if f.prior == 0 {
			for j := i; j < f.n; j++ {
				add(i, j, 1/float64(f.n))
			}
			continue
		}
		p := 1 / (1 + math.Exp(-x[i])) // against one of strength 0
		l += f.prior / 2 * (math.Log(p) + math.Log(1-p))
		grad[i] += f.prior * (0.5 - p)
		add(i, i, f.prior*p*(1-p))
	}
	return l, grad, info
}

func logSum(xs ...float64) float64 {
	m, sum := math.Inf(-1), 0.0
	for _, x := range xs {
		m = math.Max(m, x)
	}
	for _, x := range xs {
		sum += math.Exp(x - m)
	}
	return m + math.Log(sum)
}

// strengths centres a fit.
func (f *fit) strengths(x []float64, chol cholesky) Strengths {
	inv := chol.inverse()
	s := Strengths{Log: make([]float64, f.n), cov: newSquare(f.n)}
	if f.ties {
		s.Tie = math.Exp(x[f.n])
	}
	mean := Mean(x[:f.n])
	rows, all := make([]float64, f.n), 0.0
	for i := range f.n {
		s.Log[i] = x[i] - mean
		for j := range f.n {
			rows[i] += inv[i][j] / float64(f.n)
		}
		all += rows[i] / float64(f.n)
	}
	for i := range f.n {
		for j := i; j < f.n; j++ {
			s.cov.add(i, j, inv[i][j]-rows[i]-rows[j]+all)
		}
	}
	return s
}

// Difference gives how far the log strength of a lies above that of b, and its
// standard error.
func (s Strengths) Difference(a, b int) (diff, se float64) {
	v := s.cov[a][a] + s.cov[b][b] - 2*s.cov[a][b]
	return s.Log[a] - s.Log[b], math.Sqrt(max(v, 0))
}

// Stronger reports whether a is stronger than b by more than chance explains:
// their intervals lie apart, and their difference from 0 at a confidence that
// holds for all pairs together (Bonferroni).
func (s Strengths) Stronger(a, b int, confidence float64) bool {
	n := float64(len(s.Log))
	diff, se := s.Difference(a, b)
	return s.Interval(a, confidence).Lo > s.Interval(b, confidence).Hi && diff > normal(1-(1-confidence)/(n*(n-1)/2))*se
}

// Interval gives the interval (Wald) of a contestant's log strength.
func (s Strengths) Interval(i int, confidence float64) Interval {
	z := normal(confidence)
	d := z * math.Sqrt(max(s.cov[i][i], 0))
	return Interval{s.Log[i] - d, s.Log[i] + d}
}
