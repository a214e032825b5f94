package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// design is one imagined comparison: tasks of different difficulty, each tried
// a few times.
type design struct {
	tasks, trials int
	rate, spread  float64 // the difficulty of tasks is Beta(rate*spread, (1-rate)*spread)
}

func designs(rng *rand.Rand, n int) []design {
	out := make([]design, n)
	for i := range out {
		out[i] = design{8 + rng.IntN(30), 1 + rng.IntN(5), 0.1 + 0.8*rng.Float64(), 0.3 + 3*rng.Float64()}
	}
	return out
}

// difficulty draws the chance of each task.
func (d design) difficulty(rng *rand.Rand) []float64 {
	out := make([]float64, d.tasks)
	for i := range out {
		x, y := gamma(rng, d.rate*d.spread), gamma(rng, (1-d.rate)*d.spread)
		out[i] = x / (x + y)
	}
	return out
}

func (d design) try(rng *rand.Rand, chances []float64) []Cluster {
	out := make([]Cluster, d.tasks)
	for i, p := range chances {
		out[i].N = d.trials
		for range d.trials {
			if rng.Float64() < p {
				out[i].Pass++
			}
		}
	}
	return out
}

// gamma draws from Gamma(shape, 1) (Marsaglia and Tsang, 2000).
func gamma(rng *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(rng, shape+1) * math.Pow(rng.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := math.Pow(1+c*x, 3)
		if v > 0 && math.Log(rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// coverage is how often the interval of the rate holds the true one.
func coverage(seed uint64, runs int) float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	held, all := 0, 0
	for _, d := range designs(rng, 200) {
		for range runs {
			i := ClusteredInterval(d.try(rng, d.difficulty(rng)), 0.95)
			if all++; i.Lo <= d.rate && d.rate <= i.Hi {
				held++
			}
		}
	}
	return float64(held) / float64(all)
}

// falseAlarms is how often one of three models that are no different from the
// baseline is called different at 5 %.
func falseAlarms(seed uint64, runs int) float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	alarms, all := 0, 0
	for _, d := range designs(rng, 200) {
		d.tasks = min(d.tasks, 12) // exact; drawing would only be slower
		for range runs {
			chances := d.difficulty(rng)
			base := d.try(rng, chances)
			ps := make([]float64, 3)
			for m := range ps {
				mine := d.try(rng, chances)
				diffs := make([]float64, d.tasks)
				for i := range diffs {
					diffs[i] = float64(mine[i].Pass-base[i].Pass) / float64(d.trials)
				}
				ps[m] = SignFlip(diffs, 1)
			}
			alarm := false
			for _, p := range Holm(ps) {
				alarm = alarm || p <= 0.05
			}
			if all++; alarm {
				alarms++
			}
		}
	}
	return float64(alarms) / float64(all)
}

// The seeds are fixed, so these either always hold or never; the benchmarks
// below print the numbers of a longer simulation.
func TestIntervalsCover(t *testing.T) {
	if c := coverage(1, 50); c < 0.94 || c > 0.97 {
		t.Errorf("the 95 %% interval holds the true rate in %.1f %% of 10,000 runs", 100*c)
	}
}

func TestNoMoreFalseAlarmsThanPromised(t *testing.T) {
	if f := falseAlarms(1, 10); f > 0.05 {
		t.Errorf("%.1f %% of comparisons of equals call one different, at most 5 %% promised", 100*f)
	}
}

func BenchmarkCoverage(b *testing.B) {
	for i := range b.N {
		b.ReportMetric(100*coverage(uint64(i), 500), "%covered")
	}
}

func BenchmarkFalseAlarms(b *testing.B) {
	for i := range b.N {
		b.ReportMetric(100*falseAlarms(uint64(i), 50), "%alarms")
	}
}
