package compare

import (
	"cmp"
	"math"
	"slices"

	"cookoff/trial"
)

// Lost reports whether a run fixed the task less often than the first: what to
// look at first.
func (t TaskChange) Lost() bool { return t.change() < 0 }

// change is the largest difference from the first run's rate.
func (t TaskChange) change() float64 {
	far := 0.0
	for _, r := range t.Rates[1:] {
		if d := r - t.Rates[0]; !math.IsNaN(d) && math.Abs(d) > math.Abs(far) {
			far = d
		}
	}
	return far
}

// Reading gives the changed tasks with what is worth reading first: what was
// lost before what was gained, the largest difference first.
func (c *Result) Reading() []TaskChange {
	out := slices.Clone(c.Tasks)
	slices.SortStableFunc(out, func(a, b TaskChange) int {
		if a.Lost() != b.Lost() {
			if a.Lost() {
				return -1
			}
			return 1
		}
		return cmp.Compare(math.Abs(b.change()), math.Abs(a.change()))
	})
	return out
}

// telling gives the trial of each run that shows the change best, "" for none:
// one that passed where the task was fixed most often, one that failed elsewhere.
func (c *Result) telling(t TaskChange) []string {
	best := math.Inf(-1)
	for _, r := range t.Rates {
		if r > best {
			best = r
		}
	}
	var out []string
	for i, s := range c.Sides {
		want := trial.Fail
		if t.Rates[i] == best {
			want = trial.Pass
		}
		id := ""
		for _, x := range s.Report.Trials {
			if x.Model != t.Model || x.Task != t.Task || !x.Judged() {
				continue
			}
			if id == "" || x.Outcome.Status == want {
				id = x.ID
			}
			if x.Outcome.Status == want {
				break
			}
		}
		out = append(out, id)
	}
	return out
}
