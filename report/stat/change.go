package stat

import (
	"maps"
	"math"
	"slices"
)

// Change is where a series of runs changed most surely.
type Change struct {
	At    int     // the index of the first run that is different
	Tasks int     // that were tried before and since
	Diff  float64 // of the rates since and before, a mean over those tasks
	P     float64 // for a change at any time; infinite: there is nothing to compare
}

// Changed looks for a change in a series of runs, each of which says what became of its
// trials by task: before and since each run, on the tasks of both, by PairedTest, whose p is
// multiplied by how many times are looked at (Bonferroni); of equal ones where it changed
// most.
func Changed(runs []map[string]Cluster, seed int64) Change {
	best := Change{P: math.Inf(1)}
	for at := 1; at < len(runs); at++ {
		before, since := together(runs[:at]), together(runs[at:])
		var a, b []Cluster
		diff := 0.0
		for _, task := range slices.Sorted(maps.Keys(before)) {
			x, y := before[task], since[task]
			if y.N == 0 {
				continue
			}
			a, b = append(a, x), append(b, y)
			diff += rate(y) - rate(x)
		}
		if len(a) == 0 {
			continue
		}
		diff /= float64(len(a))
		p := PairedTest(a, b, seed) * float64(len(runs)-1)
		if p < best.P || p == best.P && math.Abs(diff) > math.Abs(best.Diff) {
			best = Change{at, len(a), diff, p}
		}
	}
	return best
}

// together is what became of the trials of each task in some runs.
func together(runs []map[string]Cluster) map[string]Cluster {
	out := map[string]Cluster{}
	for _, r := range runs {
		for task, c := range r {
			s := out[task]
			out[task] = Cluster{Pass: s.Pass + c.Pass, N: s.N + c.N}
		}
	}
	return out
}
