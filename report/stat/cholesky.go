package stat

import "math"

// square is a symmetric matrix: rows of one length, as many as that.
type square [][]float64

func newSquare(n int) square {
	m := make(square, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// add adds to an element and to its mirror image.
func (m square) add(i, j int, v float64) {
	m[i][j] += v
	if i != j {
		m[j][i] += v
	}
}

// cholesky is the lower triangle L of a positive definite matrix L·Lᵀ.
type cholesky [][]float64

// singular is how small a pivot may become beside its diagonal element before it is
// taken for the rounding of 0.
const singular = 1e-14

// factorize gives the triangle of m; ok is false where m is not positive definite, or
// so nearly not that what is solved with it would be rounding errors.
func factorize(m square) (l cholesky, ok bool) {
	l = cholesky(newSquare(len(m)))
	for i := range m {
		for j := range i + 1 {
			sum := m[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			switch {
			case i != j:
				l[i][j] = sum / l[j][j]
			case !(sum > singular*m[i][i]): // NaN too
				return nil, false
			default:
				l[i][i] = math.Sqrt(sum)
			}
		}
	}
	return l, true
}

// solve gives x of L·Lᵀ·x = b.
func (l cholesky) solve(b []float64) []float64 {
	x := make([]float64, len(b))
	for i := range l {
		sum := b[i]
		for k := range i {
			sum -= l[i][k] * x[k]
		}
		x[i] = sum / l[i][i]
	}
	for i := len(l) - 1; i >= 0; i-- {
		for k := i + 1; k < len(l); k++ {
			x[i] -= l[k][i] * x[k]
		}
		x[i] /= l[i][i]
	}
	return x
}

// inverse gives the inverse of L·Lᵀ, a column for each unit vector.
func (l cholesky) inverse() square {
	inv := make(square, len(l))
	for j := range l {
		unit := make([]float64, len(l))
		unit[j] = 1
		inv[j] = l.solve(unit)
	}
	return inv
}
