package report

import (
	"math"
	"slices"

	"cookoff/model"
	"cookoff/report/stat"
	"cookoff/trial"
)

// newModel adds up the trials of one model.
func newModel(r *Report, name string) Model {
	m := Model{Name: name, Causes: map[trial.Cause]int{}, Usage: model.Usage{Known: true}}
	cost, costKnown := 0.0, true
	var toFix []float64
	for _, t := range r.Trials {
		if t.Model != name {
			continue
		}
		o := t.Outcome
		if o.Status != trial.Pass {
			m.Causes[o.Cause]++
		}
		if o.Status == trial.Void {
			m.Void++
			continue
		}
		if o.Status == trial.Pass {
			m.Pass++
			toFix = append(toFix, o.Seconds.Agent)
		} else {
			m.Fail++
		}
		m.Steps += o.Steps
		m.Usage = m.Usage.Add(o.Usage)
		m.Counters = addCounters(m.Counters, o.Counters)
		m.Time = addSeconds(m.Time, o.Seconds)
		if o.CostUSD == nil {
			costKnown = false
		} else {
			cost += *o.CostUSD
		}
	}
	for _, t := range r.Pending {
		if t.Model == name {
			m.Pending++
		}
	}
	m.Usage.Known = m.Usage.Known && m.Judged() > 0
	if costKnown {
		m.charge(cost)
	}
	m.Seconds = Quantiles{stat.Quantile(toFix, 0.5), stat.Quantile(toFix, 0.9)}
	rates(r, &m)
	return m
}

// charge fills in what the judged trials cost, where there were any.
func (m *Model) charge(cost float64) {
	if m.Judged() > 0 {
		m.CostUSD = &cost
	}
	if m.Pass > 0 {
		m.CostPerFixUSD = new(cost / float64(m.Pass))
	}
}

// rates fills in what follows from who passed.
func rates(r *Report, m *Model) {
	tasks := clusters(r, m.Name)
	m.Rate = math.NaN()
	m.VoidRates = stat.Interval{Lo: math.NaN(), Hi: math.NaN()}
	if n := m.Judged(); n > 0 {
		m.Rate = float64(m.Pass) / float64(n)
	}
	if n := m.Judged() + m.Void; n > 0 {
		m.VoidRates = stat.Interval{Lo: float64(m.Pass) / float64(n), Hi: float64(m.Pass+m.Void) / float64(n)}
	}
	m.Interval = stat.ClusteredInterval(tasks, r.Run.Confidence)
	for k, most := 1, r.Repeats(); k <= most; k++ {
		var at, hat []float64
		for _, t := range tasks {
			if k <= t.N {
				at = append(at, stat.PassAtK(t.Pass, t.N, k))
				hat = append(hat, stat.PassHatK(t.Pass, t.N, k))
			}
		}
		m.PassAtK = append(m.PassAtK, stat.Mean(at))
		m.PassHatK = append(m.PassHatK, stat.Mean(hat))
	}
}

// clusters counts the judged trials of a model by task, in task order; tasks
// without any are left out.
func clusters(r *Report, name string) []stat.Cluster {
	by := r.ByTask(name)
	var out []stat.Cluster
	for _, task := range r.Tasks {
		if c := by[task]; c.N > 0 {
			out = append(out, c)
		}
	}
	return out
}

// ByTask counts what a model was judged at each task.
func (r *Report) ByTask(name string) map[string]stat.Cluster {
	by := map[string]stat.Cluster{}
	for _, t := range r.Trials {
		if t.Model == name && t.Judged() {
			c := by[t.Task]
			c.N++
			if t.Outcome.Status == trial.Pass {
				c.Pass++
			}
			by[t.Task] = c
		}
	}
	return by
}

// compare compares every model with the baseline, task by task.
func compare(r *Report) {
	base := r.ByTask(r.Run.Baseline)
	known := false
	for _, m := range r.Models {
		known = known || m.Name == r.Run.Baseline
	}
	if !known {
		r.Smallest = Smallest{Diff: math.NaN()}
		return
	}
	var ps []float64
	var deltas []*Delta
	compared := 0 // a model that no trial is left of is not
	for i := range r.Models {
		m := &r.Models[i]
		if m.Name == r.Run.Baseline {
			continue
		}
		m.Delta = NewDelta(r, base, r.ByTask(m.Name))
		deltas, ps = append(deltas, m.Delta), append(ps, m.Delta.P)
		if m.Delta.Tasks > 0 || m.Pending > 0 {
			compared++
		}
	}
	alpha := 1 - r.Run.Confidence
	for i, p := range stat.Holm(ps) {
		deltas[i].P, deltas[i].Significant = p, p <= alpha
	}
	r.Smallest = smallest(r, compared, alpha)
}

// NewDelta compares a contestant with the baseline on the tasks that were judged of both:
// the mean difference of their rates, its interval and its p. base and mine hold the counts
// of each task.
func NewDelta(r *Report, base, mine map[string]stat.Cluster) *Delta {
	d := &Delta{Baseline: r.Run.Baseline}
	var diffs []float64
	var ours, theirs []stat.Cluster
	onlyMine, onlyBase, once := 0, 0, true
	for _, task := range r.Tasks {
		a, b := mine[task], base[task]
		if a.N == 0 || b.N == 0 {
			continue
		}
		once = once && a.N == 1 && b.N == 1
		diff := float64(a.Pass)/float64(a.N) - float64(b.Pass)/float64(b.N)
		if diff > 0 {
			onlyMine++
		} else if diff < 0 {
			onlyBase++
		}
		diffs, ours, theirs = append(diffs, diff), append(ours, a), append(theirs, b)
	}
	d.Tasks = len(diffs)
	d.Diff = stat.Mean(diffs)
	d.Interval = stat.PairedInterval(diffs, r.Run.Confidence)
	if r.Repeats() == 1 && once {
		d.Test, d.P = "mcnemar_exact", math.NaN()
		if d.Tasks > 0 {
			d.P, _ = stat.McNemar(onlyMine, onlyBase)
		}
	} else {
		d.Test, d.P = "sign_flip", stat.PairedTest(ours, theirs, r.Run.Seed)
	}
	return d
}

// smallest is about the first rung of Holm's ladder: the strictest level, which
// the most different model has to meet.
func smallest(r *Report, models int, alpha float64) Smallest {
	if models == 0 {
		return Smallest{Diff: math.NaN()}
	}
	level := alpha / float64(models)
	s := Smallest{Diff: math.NaN(), Needed: stat.NeededTasks(level)}
	if diff, ok := stat.SmallestDifference(admitted(r), r.Repeats(), level); ok {
		s.Diff = diff
	}
	return s
}

// pareto marks the front of rate against cost a trial: of those that fixed
// anything, since to do nothing for nothing is no feat.
func pareto(ms []Model) {
	for i := range ms {
		m := &ms[i]
		if m.CostUSD == nil {
			continue
		}
		front := m.Pass > 0
		for _, other := range ms {
			front = front && !other.dominates(*m)
		}
		m.Pareto = &front
	}
}

// dominates reports whether m is at least as good as n in rate and in cost a
// trial, and better in one; what is unknown dominates nothing.
func (m Model) dominates(n Model) bool {
	if m.CostUSD == nil || n.CostUSD == nil {
		return false
	}
	mine, theirs := *m.CostUSD/float64(m.Judged()), *n.CostUSD/float64(n.Judged())
	return m.Rate >= n.Rate && mine <= theirs && (m.Rate > n.Rate || mine < theirs)
}

// admitted counts the tasks that were fit to be run.
func admitted(r *Report) int {
	n := len(r.Tasks)
	for _, x := range r.Excluded {
		if slices.Contains(r.Tasks, x.Task) {
			n--
		}
	}
	return n
}

func addSeconds(a, b trial.Seconds) trial.Seconds {
	return trial.Seconds{Agent: a.Agent + b.Agent, Provider: a.Provider + b.Provider, Tools: a.Tools + b.Tools,
		Wait: a.Wait + b.Wait, Judge: a.Judge + b.Judge}
}

func addCounters(a, b trial.Counters) trial.Counters {
	return trial.Counters{
		ToolCalls: a.ToolCalls + b.ToolCalls, Malformed: a.Malformed + b.Malformed,
		RefusedClasses: a.RefusedClasses + b.RefusedClasses,
		Denied:         a.Denied + b.Denied, ToolErrors: a.ToolErrors + b.ToolErrors,
		FailedCalls: a.FailedCalls + b.FailedCalls,
		Repeated:    a.Repeated + b.Repeated,
		Retries:     a.Retries + b.Retries, Lost: a.Lost + b.Lost, Reminders: a.Reminders + b.Reminders,
		Compactions: a.Compactions + b.Compactions,
		OutputCut:   a.OutputCut + b.OutputCut,
	}
}
