package stat

import (
	"fmt"
	"math"
	"testing"
)

// The trials of a task are alike to the degree that its difficulty differs from
// the others': 0 where all are equally hard, 1 where every task is either always
// or never fixed. It is 1/(1+spread) of a design.
var likenesses = []float64{0.25, 0.5, 0.75}

// sums is the distribution of what the interval of a rate depends on, for tasks
// tried equally often: how many trials passed, and the squares of how many did of
// each task. It is exact: there is no error of a simulation.
type sums struct {
	tasks, trials int
	chance        []float64 // by pass and squares
}

func (s *sums) at(pass, squares int) *float64 {
	return &s.chance[pass*(s.tasks*s.trials*s.trials+1)+squares]
}

func newSums(tasks, trials int) *sums {
	return &sums{tasks, trials, make([]float64, (tasks*trials+1)*(tasks*trials*trials+1))}
}

func sumsOf(tasks, trials int, rate, alike float64) *sums {
	return sumsFrom(tasks, trials, betaBinomial(trials, rate, alike))
}

// sumsFrom is sumsOf of tasks of which one has so many passes with those chances.
func sumsFrom(tasks, trials int, one []float64) *sums {
	now := newSums(tasks, trials)
	*now.at(0, 0) = 1
	for t := range tasks {
		next := newSums(tasks, trials)
		for pass := range t*trials + 1 {
			for squares := range t*trials*trials + 1 {
				p := *now.at(pass, squares)
				if p == 0 {
					continue
				}
				for x, q := range one {
					*next.at(pass+x, squares+x*x) += p * q
				}
			}
		}
		now = next
	}
	return now
}

// betaBinomial is the chance of each number of passes of one task.
func betaBinomial(trials int, rate, alike float64) []float64 {
	lg := func(x float64) float64 { y, _ := math.Lgamma(x); return y }
	a, b, n := rate*(1/alike-1), (1-rate)*(1/alike-1), float64(trials)
	out := make([]float64, trials+1)
	for i := range out {
		x := float64(i)
		out[i] = math.Exp(lg(n+1) - lg(x+1) - lg(n-x+1) + lg(x+a) + lg(n-x+b) - lg(n+a+b) - lg(a) - lg(b) + lg(a+b))
	}
	return out
}

// exactly gives how often the interval of a rate holds the truth, and how wide
// it is, both as means over rates from 10 to 90 %.
func exactly(tasks, trials int, alike float64) (held, width float64) {
	const rates = 16
	known := map[[2]int]Interval{}
	for i := range rates / 2 { // the other half is its mirror
		rate := 0.1 + 0.8*(float64(i)+0.5)/rates
		s := sumsOf(tasks, trials, rate, alike)
		for pass := range tasks*trials + 1 {
			for squares := range tasks*trials*trials + 1 {
				p := *s.at(pass, squares)
				if p == 0 {
					continue
				}
				iv, ok := known[[2]int{pass, squares}]
				if !ok {
					iv = ClusteredInterval(withSums(tasks, trials, pass, squares), 0.95)
					known[[2]int{pass, squares}] = iv
				}
				width += 2 * p / rates * (iv.Hi - iv.Lo)
				if iv.Lo-1e-9 <= rate && rate <= iv.Hi+1e-9 {
					held += 2 * p / rates
				}
			}
		}
	}
	return held, width
}

// withSums finds tasks with these sums: those that several have are alike to the
// interval.
func withSums(tasks, trials, pass, squares int) []Cluster {
	out := make([]Cluster, 0, tasks)
	var find func(pass, squares, most int) bool
	find = func(pass, squares, most int) bool {
		left := tasks - len(out)
		if left == 0 {
			return pass == 0 && squares == 0
		}
		if pass*pass > left*squares || squares > pass*most || pass > left*most {
			return false
		}
		for x := min(most, pass); x >= 0; x-- {
			out = append(out, Cluster{x, trials})
			if find(pass-x, squares-x*x, x) {
				return true
			}
			out = out[:len(out)-1]
		}
		return false
	}
	if !find(pass, squares, trials) {
		panic(fmt.Sprintf("no %d tasks of %d trials have %d and %d", tasks, trials, pass, squares))
	}
	return out
}

// A rate's interval over tasks like these, of few tasks too: it may hold the truth
// more often than it says, where nothing tells how different tasks are, but then it
// is as narrow as each task tried once would make it.
func TestIntervalsOfFewTasks(t *testing.T) {
	for _, tasks := range []int{2, 3, 4, 6} {
		_, once := exactly(tasks, 1, 0.5)
		for _, trials := range []int{2, 5, 10} {
			held, width := 0.0, 0.0
			for _, alike := range likenesses {
				h, w := exactly(tasks, trials, alike)
				if h < 0.94 {
					t.Errorf("%d tasks tried %d times, alike to %v: a 95 %% interval holds the true rate in %.1f %%",
						tasks, trials, alike, 100*h)
				}
				held, width = held+h/3, width+w/3
			}
			if held < 0.95 || tasks >= 6 && held > 0.98 {
				t.Errorf("%d tasks tried %d times: a 95 %% interval holds the true rate in %.1f %%", tasks,
					trials, 100*held)
			}
			if width > once*1.05 || tasks >= 4 && width > once {
				t.Errorf("%d tasks tried %d times: an interval is %.2f wide, tried once %.2f", tasks,
					trials, width, once)
			}
		}
	}
}

// This prints the table of decision 41.
func BenchmarkCoverageByDesign(b *testing.B) {
	for _, tasks := range []int{2, 3, 4, 6, 8, 10, 20} {
		for _, trials := range []int{1, 2, 3, 5, 10} {
			if tasks*trials > 100 {
				continue
			}
			b.Run(fmt.Sprintf("tasks=%d/trials=%d", tasks, trials), func(b *testing.B) {
				for b.Loop() {
					held, width, least := 0.0, 0.0, 1.0
					for _, alike := range likenesses {
						h, w := exactly(tasks, trials, alike)
						held, width, least = held+h/3, width+w/3, min(least, h)
					}
					b.ReportMetric(100*held, "%held")
					b.ReportMetric(100*least, "%least")
					b.ReportMetric(100*width, "%wide")
				}
			})
		}
	}
}
