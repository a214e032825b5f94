package anytime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cookoff/report/stat"
)

// world draws tasks of different difficulty, and how much better one of two
// contestants is on each.
type world struct {
	rng   *rand.Rand
	gain  float64 // mean difference
	apart float64 // by how much differences differ between tasks
}

// task draws the chances of both on one task: difficulty is even between 0.05
// and 0.95, the difference keeps both between 0 and 1.
func (w world) task() (a, b float64) {
	d := w.gain
	if w.rng.Float64() < 0.5 {
		d += w.apart
	} else {
		d -= w.apart
	}
	room := 1 - math.Abs(d)
	low := w.rng.Float64() * room
	if d > 0 {
		return low + d, low
	}
	return low, low - d
}

func (w world) trial(p float64) float64 {
	if w.rng.Float64() < p {
		return 1
	}
	return 0
}

// once plays tasks once each and says after how many of them the e-value of
// single trials reaches 1/level; 0 if never.
func (w world) once(tasks int, level float64) (decided int, onlyA, onlyB int) {
	for n := 1; n <= tasks; n++ {
		a, b := w.task()
		x, y := w.trial(a), w.trial(b)
		if x > y {
			onlyA++
		} else if y > x {
			onlyB++
		}
		if decided == 0 && Discordant(onlyA, onlyB) >= 1/level {
			decided = n
		}
	}
	return decided, onlyA, onlyB
}

// rounds plays tasks several times each, a round of all after the other, and says
// whether any look decides.
func (w world) rounds(tasks, rounds int, level float64) bool {
	type chances struct{ a, b float64 }
	of := make([]chances, tasks)
	for i := range of {
		of[i].a, of[i].b = w.task()
	}
	sums := make([]float64, tasks)
	for r := 1; r <= rounds; r++ {
		diffs := make([]float64, 0, tasks)
		for i, c := range of {
			sums[i] += w.trial(c.a) - w.trial(c.b)
			diffs = append(diffs, sums[i]/float64(r))
			if Differences(diffs) >= 1/(level*Share(r, rounds)) {
				return true
			}
		}
	}
	return false
}

// BenchmarkStopping measures, by simulation, what looking all the time costs and
// what it saves: false alarms of equal contestants at any stopping time, how often
// the sequences hold the truth throughout, and after how many tasks a difference of
// 20 points is decided, beside the fixed design of equal power.
func BenchmarkStopping(b *testing.B) {
	const level, runs = 0.05, 10000
	for range b.N {
		w := world{rng: rand.New(rand.NewPCG(11, 7))}
		alarms := 0
		for range runs {
			if n, _, _ := w.once(200, level); n > 0 {
				alarms++
			}
		}
		b.ReportMetric(100*float64(alarms)/runs, "%alarms/1trial")
		w.apart, alarms = 0.5, 0
		for range runs / 10 {
			if w.rounds(40, 5, level) {
				alarms++
			}
		}
		b.ReportMetric(100*float64(alarms)/(runs/10), "%alarms/5trials")
		b.ReportMetric(100*coverage(w.rng, level), "%covered")
		for _, want := range []float64{0.9, 0.95} {
			power, median := 0.0, 0
			for tasks := 20; power < want; tasks += 5 {
				power, median = decisions(w.rng, tasks, level, runs/5)
			}
			fixed := fixedDesign(w.rng, power, level, runs/5)
			of := fmt.Sprintf("/%.0f%%", 100*want)
			b.ReportMetric(float64(median), "tasks"+of)
			b.ReportMetric(float64(fixed), "fixed"+of)
			b.ReportMetric(float64(median)/float64(fixed), "ratio"+of)
		}
	}
}

// coverage is the share of runs in which the interval of a difference held it
// after every task.
func coverage(rng *rand.Rand, level float64) float64 {
	const runs, tasks = 1000, 60
	held := 0
	for range runs {
		w := world{rng: rng, gain: 0.2, apart: 0.1}
		var diffs []float64
		for range tasks {
			a, b := w.task()
			diffs = append(diffs, w.trial(a)-w.trial(b))
		}
		if lo, hi := Sequence(diffs, -1, 1, level); lo <= w.gain && w.gain <= hi {
			held++ // what was left out once stays out
		}
	}
	return float64(held) / runs
}

// decisions gives how often a difference of 20 points is decided within some
// tasks, and after how many in the median of all runs.
func decisions(rng *rand.Rand, tasks int, level float64, runs int) (power float64, median int) {
	var after []int
	decided := 0
	for range runs {
		n, _, _ := world{rng: rng, gain: 0.2, apart: 0.1}.once(tasks, level)
		if n > 0 {
			decided++
		} else {
			n = tasks
		}
		after = append(after, n)
	}
	slices.Sort(after)
	return float64(decided) / float64(runs), after[runs/2]
}

// fixedDesign gives how many tasks the exact paired test takes to decide the same
// difference as often.
func fixedDesign(rng *rand.Rand, power, level float64, runs int) int {
	for tasks := 20; ; tasks += 5 {
		decided := 0
		for range runs {
			_, x, y := world{rng: rng, gain: 0.2, apart: 0.1}.once(tasks, level)
			if p, _ := stat.McNemar(x, y); p <= level {
				decided++
			}
		}
		if float64(decided)/float64(runs) >= power {
			return tasks
		}
	}
}

// Equal contestants are told apart in at most the level of all runs, at any time,
// tried once or several times, however much tasks differ.
func TestFalseAlarms(t *testing.T) {
	const level, runs = 0.05, 1500
	w := world{rng: rand.New(rand.NewPCG(3, 4)), apart: 0.5}
	alarms := 0
	for range runs {
		if n, _, _ := w.once(100, level); n > 0 {
			alarms++
		}
	}
	if got := float64(alarms) / runs; got > 0.065 { // four standard errors above
		t.Errorf("tried once: %.1f %% false alarms", 100*got)
	}
	alarms = 0
	for range runs / 5 {
		if w.rounds(20, 3, level) {
			alarms++
		}
	}
	if got := float64(alarms) / (runs / 5); got > 0.1 {
		t.Errorf("tried three times: %.1f %% false alarms", 100*got)
	}
}

func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand simulated runs")
	}
	if got := coverage(rand.New(rand.NewPCG(5, 6)), 0.05); got < 0.93 {
		t.Errorf("held in %.1f %% of runs", 100*got)
	}
}
