package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"cookoff/report/number"
	"cookoff/report/stat"
)

// standing is who did best, and how sure that is.
type standing struct {
	best  Model
	rest  []rival // by rate, then by cost
	level float64 // of the strictest test, for several models
}

// rival is a model held against the best one.
type rival struct {
	Model
	delta *Delta // the best one's against it; of no tasks where they share none
}

// tied are the rivals that the best one is not told apart from.
func (s standing) tied() []rival {
	return slices.DeleteFunc(slices.Clone(s.rest),
		func(v rival) bool { return v.delta.Significant && v.delta.Diff > 0 })
}

// Control reports whether a contestant is one of cookoff's own, which ask no
// model: they show what doing nothing, or the known solution, comes to.
func Control(name string) bool { return strings.HasPrefix(name, "baseline/") }

// control is Control, for the name of a contestant.
func (r *Report) control(name string) bool { return Control(r.Run.Behind(name)) }

// Ranked gives the models by rate, the highest first; of equals the cheaper one.
// What was not judged stands last.
func Ranked(ms []Model) []Model {
	out := slices.Clone(ms)
	slices.SortStableFunc(out, func(a, b Model) int {
		return cmp.Or(cmp.Compare(orLow(b.Rate), orLow(a.Rate)),
			cmp.Compare(orHigh(a.CostPerTrial()), orHigh(b.CostPerTrial())))
	})
	return out
}

// orLow makes NaN less than every number.
func orLow(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(-1)
	}
	return x
}

// orHigh makes what is unknown more than every number.
func orHigh(x *float64) float64 {
	if x == nil {
		return math.Inf(1)
	}
	return *x
}

// rated gives the models that have a rate, the highest first.
func (r *Report) rated() []Model {
	return slices.DeleteFunc(Ranked(r.Models), func(m Model) bool { return m.Judged() == 0 })
}

// judged gives those that are to be told apart, the highest first: contestants, or
// the one contestant and the control that it is compared with.
func (r *Report) judged() []Model {
	all := r.rated()
	models := slices.DeleteFunc(slices.Clone(all), func(m Model) bool { return r.control(m.Name) })
	if len(models) != 1 {
		return models
	}
	return slices.DeleteFunc(all, func(m Model) bool { return m.Name != models[0].Name && m.Name != r.Run.Baseline })
}

// leaders gives those of whom the first two are to be told apart, the highest first:
// controls only where the run has nothing else.
func (r *Report) leaders() []Model {
	if slices.ContainsFunc(r.Models, func(m Model) bool { return !r.control(m.Name) }) {
		return r.judged()
	}
	return r.rated()
}

// leading names the first two leaders, and says what they lead.
func (r *Report) leading(first, second string) string {
	top := r.rated()[:2]
	switch {
	case top[0].Name == first && top[1].Name == second:
		return fmt.Sprintf("the two highest rates, %s and %s,", first, second)
	case r.control(first) || r.control(second):
		return first + " and " + second
	}
	return fmt.Sprintf("the two highest rates of models, %s and %s,", first, second)
}

// stand compares the first of models with each other one. One that was picked
// for its rate is held against all that might have been.
func (r *Report) stand(models []Model) standing {
	s := standing{best: models[0], level: 1 - r.Run.Confidence}
	pairs := r.pairs()
	for _, m := range models[1:] {
		s.rest = append(s.rest, rival{m, r.against(models[0], m, pairs)})
	}
	if len(models) > 1 {
		s.level /= float64(pairs)
	}
	return s
}

// pairs is of how many pairs of models two may have been picked.
func (r *Report) pairs() int {
	n := len(r.rated())
	return max(1, n*(n-1)/2)
}

// against compares best with another model: as the table does where one of them
// is the baseline.
func (r *Report) against(best, other Model, pairs int) *Delta {
	switch r.Run.Baseline {
	case other.Name:
		if best.Delta != nil {
			return best.Delta
		}
	case best.Name:
		if other.Delta != nil {
			return other.Delta.turned()
		}
	}
	d := NewDelta(r, r.ByTask(other.Name), r.ByTask(best.Name))
	d.P = min(1, d.P*float64(pairs))
	d.Significant = d.P <= 1-r.Run.Confidence
	return d
}

// turned is the same comparison seen from the baseline.
func (d Delta) turned() *Delta {
	d.Diff, d.Interval = -d.Diff, stat.Interval{Lo: -d.Interval.Hi, Hi: -d.Interval.Lo}
	return &d
}

// tellingTasks says about how many tasks would tell one model from a second, if
// they go on as they began. Where the first did no better than the second on the
// tasks that they share, it is how many would show a difference that is assumed.
func (r *Report) tellingTasks(first, second string, level float64) (n float64, assumed bool) {
	diff, spread := 0.0, 0.0
	a, b := r.ByTask(first), r.ByTask(second)
	shared := 0.0
	for _, task := range r.Tasks {
		if a[task].N == 0 || b[task].N == 0 {
			continue
		}
		d := float64(a[task].Pass)/float64(a[task].N) - float64(b[task].Pass)/float64(b[task].N)
		diff, spread, shared = diff+d, spread+d*d, shared+1
	}
	if shared > 0 {
		diff, spread = diff/shared, spread/shared
	}
	if assumed = diff < leastDifference; assumed {
		diff, spread = assumedDifference, max(spread, assumedDifference)
	}
	return max(stat.TasksToTell(diff, spread, level), shared+1), assumed
}

// leastDifference is what counts as none, and assumedDifference what is asked
// about then.
const (
	leastDifference   = 0.005
	assumedDifference = 0.2
)

// DeltaText says by how many points a model differs from the baseline, "~"
// where that may be chance, "-" where there is nothing to compare.
func (m Model) DeltaText() string {
	switch d := m.Delta; {
	case d == nil, d.Tasks == 0:
		return number.Dash
	case !d.Significant:
		return "~ " + number.P(d.P)
	default:
		return fmt.Sprintf("%+.0f %s", 100*d.Diff, number.P(d.P))
	}
}

// CostPerTrial is the mean cost in USD of a judged trial; nil: unknown.
func (m Model) CostPerTrial() *float64 {
	if m.CostUSD == nil || m.Judged() == 0 {
		return nil
	}
	return new(*m.CostUSD / float64(m.Judged()))
}
