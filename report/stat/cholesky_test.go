package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// What is computed here agrees with gonum, which the program does not carry.
func TestAgreesWithGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	same := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
			t.Errorf("%s: %v, and by gonum %v", what, got, want)
		}
	}
	for range 50 {
		n := 1 + rng.IntN(9)
		xs := make([]float64, n+1)
		for i := range xs {
			xs[i] = rng.NormFloat64()
		}
		mean, variance := MeanVariance(xs)
		m, v := stat.MeanVariance(xs, nil)
		same("mean", mean, m)
		same("variance", variance, v)
		degrees, confidence := 0.5+20*rng.Float64(), 0.01+0.98*rng.Float64()
		same("CriticalT", CriticalT(degrees, confidence),
			distuv.StudentsT{Sigma: 1, Nu: degrees}.Quantile(0.5+confidence/2))
		same("normal", normal(confidence), distuv.UnitNormal.Quantile(0.5+confidence/2))
		for k := range n + 1 {
			exactly, atMost := coin(n, k)
			same("exactly", exactly, distuv.Binomial{N: float64(n), P: 0.5}.Prob(float64(k)))
			same("at most", atMost, distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(k)))
		}

		half, sym := mat.NewDense(n, n, nil), newSquare(n)
		half.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, half)
		var whole mat.Dense
		whole.Mul(half, half.T())
		theirs := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				one := 0.0
				if i == j {
					one = 1
				}
				sym.add(i, j, whole.At(i, j)+one)
				theirs.SetSym(i, j, whole.At(i, j)+one)
			}
		}
		l, ok := factorize(sym)
		var chol mat.Cholesky
		if !ok || !chol.Factorize(theirs) {
			t.Fatal("not positive definite")
		}
		var inv mat.SymDense
		if err := chol.InverseTo(&inv); err != nil {
			t.Fatal(err)
		}
		for i, row := range l.inverse() {
			for j, v := range row {
				same("inverse", v, inv.At(i, j))
			}
		}
	}
	if _, ok := factorize(square{{1, 2}, {2, 1}}); ok {
		t.Error("a matrix that is not positive definite was factorized")
	}
	if _, ok := factorize(square{{math.NaN()}}); ok {
		t.Error("NaN was factorized")
	}
}
