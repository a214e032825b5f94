package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// design is one imagined comparison: tasks of different difficulty, each tried
// a few times.
type design struct {
	tasks, trials int
	rate, spread  float64 // the difficulty of tasks is Beta(rate*spread, (1-rate)*spread)
	void          float64 // the share of trials that end void
}

func designs(rng *rand.Rand, n int) []design {
	out := make([]design, n)
	for i := range out {
		out[i] = design{8 + rng.IntN(30), 1 + rng.IntN(5), 0.1 + 0.8*rng.Float64(), 0.3 + 3*rng.Float64(), 0}
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
		for range d.trials {
			if d.void > 0 && rng.Float64() < d.void {
				continue
			}
			out[i].N++
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

// covered is how often intervals hold the true value.
type covered struct{ held, all int }

func (c *covered) count(i Interval, truth float64) {
	const rounding = 1e-9
	if c.all++; i.Lo-rounding <= truth && truth <= i.Hi+rounding {
		c.held++
	}
}

func (c *covered) perCent() float64 { return 100 * float64(c.held) / float64(c.all) }

// rateCoverage is that of the interval of a rate.
func rateCoverage(rng *rand.Rand, ds []design, runs int) *covered {
	var c covered
	for _, d := range ds {
		for range runs {
			c.count(ClusteredInterval(d.try(rng, d.difficulty(rng)), 0.95), d.rate)
		}
	}
	return &c
}

// effectCoverage is that of the interval of a difference of rates. The second
// model finds some tasks as hard as the first does, and others not.
func effectCoverage(rng *rand.Rand, ds []design, runs int) *covered {
	var c covered
	for _, d := range ds {
		other := d
		other.rate = min(0.95, max(0.05, d.rate+0.6*rng.Float64()-0.3))
		for range runs {
			own := rng.Float64() // how many of its own
			chances, theirs, mine := d.difficulty(rng), other.difficulty(rng), make([]float64, d.tasks)
			for i := range mine {
				if mine[i] = chances[i]; rng.Float64() < own {
					mine[i] = theirs[i]
				}
			}
			c.count(PairedInterval(differences(d.try(rng, mine), d.try(rng, chances)), 0.95), own*(other.rate-d.rate))
		}
	}
	return &c
}

func differences(a, b []Cluster) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = difference(a[i], b[i])
	}
	return out
}

// equals are models of the same rate as the baseline, compared with it.
type equals struct {
	models int
	trials int     // of each task; 0: as many as the baseline's
	void   float64 // the share of void trials
	own    bool    // each finds other tasks hard: only their rates are equal
}

// falseAlarms is how often any of several equals is called different at 5 %.
func falseAlarms(seed uint64, e equals, ds []design, runs int) float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	alarms, all := 0, 0
	for _, d := range ds {
		d.void = e.void
		other := d
		if e.trials > 0 {
			other.trials = e.trials
		}
		for range runs {
			chances := d.difficulty(rng)
			base := d.try(rng, chances)
			ps := make([]float64, e.models)
			for m := range ps {
				if e.own {
					chances = d.difficulty(rng)
				}
				ps[m] = PairedTest(other.try(rng, chances), base, 1)
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

// fewer limits designs to at most 12 tasks, of which all patterns are tried;
// drawing would only be slower.
func fewer(ds []design) []design {
	for i := range ds {
		ds[i].tasks = min(ds[i].tasks, 12)
	}
	return ds
}

// The seeds are fixed, so these either always hold or never; the benchmarks
// below print the numbers of a longer simulation.
func TestIntervalsHoldTheTruthAsOftenAsTheySay(t *testing.T) {
	check := func(what string, c *covered) {
		t.Helper()
		if p := c.perCent(); p < 94 || p > 96 {
			t.Errorf("the 95 %% interval of %s holds the truth in %.1f %% of %d runs, want 94 to 96", what, p, c.all)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	ds := designs(rng, 200)
	check("a rate", rateCoverage(rng, ds, 100))
	check("a difference", effectCoverage(rng, ds, 100))
	for trials := 1; trials <= 5 && !testing.Short(); trials++ {
		some := slices.Clone(ds)
		for i := range some {
			some[i].trials = trials
		}
		check(fmt.Sprintf("a rate of %d trials each", trials), rateCoverage(rng, some, 50))
	}
}

// Void trials leave tasks tried unequally often.
func TestIntervalsWithVoidTrials(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	ds := designs(rng, 200)
	for i := range ds {
		ds[i].void = 0.3
	}
	if p := rateCoverage(rng, ds, 50).perCent(); p < 94 || p > 96 {
		t.Errorf("with a third of all trials void, a 95 %% interval holds the true rate in %.1f %% of runs", p)
	}
}

func TestNoMoreFalseAlarmsThanPromised(t *testing.T) {
	ds := fewer(designs(rand.New(rand.NewPCG(1, 2)), 200))
	hard := []design{{12, 10, 0.1, 3, 0}, {12, 30, 0.1, 3, 0}, {12, 10, 0.3, 3, 0}}
	for _, c := range []struct {
		equals
		ds   []design
		runs int
	}{
		{equals{models: 1}, ds, 10}, {equals{models: 3}, ds, 10}, {equals{models: 7}, ds, 5},
		{equals{models: 3, void: 0.3}, ds, 10},
		{equals{models: 3, own: true}, ds, 10},
		{equals{models: 1, trials: 1}, hard, 500}, {equals{models: 3, trials: 3}, hard, 300},
	} {
		if f := falseAlarms(1, c.equals, c.ds, c.runs); f > 0.05 {
			t.Errorf("%+v: %.1f %% of comparisons of equals call one different, at most 5 %% promised", c.equals, 100*f)
		}
	}
}

func BenchmarkCoverage(b *testing.B) {
	for i := range b.N {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		ds := designs(rng, 200)
		b.ReportMetric(rateCoverage(rng, ds, 500).perCent(), "%rate")
		b.ReportMetric(effectCoverage(rng, ds, 500).perCent(), "%difference")
	}
}

func BenchmarkFalseAlarms(b *testing.B) {
	for i := range b.N {
		ds := fewer(designs(rand.New(rand.NewPCG(uint64(i), 2)), 200))
		b.ReportMetric(100*falseAlarms(uint64(i), equals{models: 3}, ds, 50), "%alarms")
		b.ReportMetric(100*falseAlarms(uint64(i), equals{models: 3, own: true}, ds, 50), "%alarms-own")
		b.ReportMetric(100*falseAlarms(uint64(i), equals{models: 1, trials: 1}, []design{{12, 30, 0.1, 3, 0}}, 5000),
			"%alarms-1-of-30")
	}
}
