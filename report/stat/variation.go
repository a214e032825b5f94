package stat

import "math"

// Variation is how the outcomes of trials vary.
type Variation struct {
	Rate        float64 // of trials that fix their task, about
	Correlation float64 // the correlation of two trials of one task by one model
	Apart       float64 // standard deviation, between tasks, of the difference of two models
}

// Assumed is what is taken where nothing is known: half of the trials fix, tasks
// differ much, and models differ by 15 points more on some tasks than on others.
func Assumed() Variation { return Variation{Rate: 0.5, Correlation: 0.5, Apart: 0.15} }

// Aim is what a run is to show.
type Aim struct {
	Delta float64 // the difference of two models' rates, as 0.1
	Power float64 // how often it is to be seen if it is there, as 0.8
	Level float64 // how often one is seen that is not there, as 0.05
}

// spread is the mean of the squares of the differences by task, of which one is
// delta on average, where each task is tried some times by both. Tried once, tasks
// differ wholly or not at all, and as many must as make up delta.
func (v Variation) spread(delta float64, trials int) float64 {
	within := 2 * v.Rate * (1 - v.Rate) * (1 - v.Correlation) / float64(trials)
	spread := delta*delta + v.Apart*v.Apart + within
	if trials == 1 {
		return max(spread, math.Abs(delta))
	}
	return spread
}

// Tasks is how many tasks it takes, each tried some times by both models.
func (v Variation) Tasks(a Aim, trials int) float64 {
	once := min(v.spread(a.Delta, 1), 1) // the share of tasks that differ where each is tried once
	differ := 1 - math.Pow(1-once, float64(trials))
	return Design{Diff: a.Delta, Spread: v.spread(a.Delta, trials), Differ: differ}.Tasks(a.Level, a.Power)
}

// Smallest is the smallest difference that a run of some tasks, each tried some
// times, shows as often as the aim says; ok is false where it can show none.
func (v Variation) Smallest(a Aim, tasks, trials int) (delta float64, ok bool) {
	shows := func(d float64) bool {
		a.Delta = d
		return v.Tasks(a, trials) <= float64(tasks)
	}
	if tasks < 1 || trials < 1 || !shows(1) {
		return math.NaN(), false
	}
	lo, hi := 0.0, 1.0
	for hi-lo > 1e-4 {
		if mid := (lo + hi) / 2; shows(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, true
}

// SeenVariation is how outcomes varied: models are the trials of each by task. Two trials of
// a task are taken to be as alike as Assumed says where none was tried twice.
func SeenVariation(models []map[string]Cluster) Variation {
	var within, pairs mean
	pass, n := 0, 0
	for _, m := range models {
		for _, c := range m {
			pass, n = pass+c.Pass, n+c.N
			if p := rate(c); c.N > 1 {
				within.add(p * (1 - p) * float64(c.N) / float64(c.N-1))
			}
		}
	}
	v := Variation{Rate: float64(pass) / float64(n), Correlation: Assumed().Correlation}
	whole := v.Rate * (1 - v.Rate)
	if within.n > 0 && whole > 0 {
		v.Correlation = min(max(1-within.value()/whole, 0), 1)
	}
	for i, a := range models {
		for _, b := range models[i+1:] {
			if s, ok := between(a, b, whole*(1-v.Correlation)); ok {
				pairs.add(s)
			}
		}
	}
	v.Apart = math.Sqrt(max(pairs.value(), 0))
	return v
}

// between is the variance of the differences of two models between tasks, without
// what chance adds to it: noise is the variance of one trial on its task.
func between(a, b map[string]Cluster, noise float64) (variance float64, ok bool) {
	var m, squares, chance mean
	for task, x := range a {
		y, both := b[task]
		if !both {
			continue
		}
		d := rate(x) - rate(y)
		m.add(d)
		squares.add(d * d)
		chance.add(noise/float64(x.N) + noise/float64(y.N))
	}
	if m.n < 2 {
		return 0, false
	}
	n := float64(m.n)
	return (squares.value()-m.value()*m.value())*n/(n-1) - chance.value(), true
}

func rate(c Cluster) float64 { return float64(c.Pass) / float64(c.N) }

// mean is a running mean.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) { m.sum, m.n = m.sum+x, m.n+1 }

func (m *mean) value() float64 {
	if m.n == 0 {
		return 0
	}
	return m.sum / float64(m.n)
}
