// Package history folds the runs of a project into what became of each contestant
// over time.
package history

import (
	"slices"
	"strings"
	"time"

	"cookoff/report"
	"cookoff/report/stat"
	"cookoff/trial"
)

// Contestant is one over all runs that it took part in, the oldest first.
type Contestant struct {
	Name    string
	Runs    []Run
	Changed *Change // nil: no change is told from chance
}

// Run is what became of a contestant in one run.
type Run struct {
	ID, Recipe, Digest, Version string
	When                        time.Time
	Pass, Judged                int
	Rate                        float64
	USD                         *float64 // of its trials that count; nil: unknown
	Served                      []string // what the provider said answered
	tasks                       map[string]stat.Cluster
	models                      string // that took part
}

// Change is from when on a contestant did better or worse.
type Change struct {
	Run   string  // the first run that is different
	Tasks int     // that it was judged on before and since
	Diff  float64 // of its rates there, since less before
	P     float64 // of as large a change at any time, by chance
	Since Run     // that run
	Last  Run     // the last one before it
	// Edited says that runs of the same models are not of the same recipe: a task of the
	// same name may be another.
	Edited bool
}

// Of gives the contestants of reports, the oldest first, with what changed in each
// at level. Runs are compared on the tasks that they share by name; only those of
// recipes called alike.
func Of(reports []*report.Report, level float64) []Contestant {
	at := map[string]int{}
	var out []Contestant
	for _, r := range reports {
		for _, m := range r.Models {
			if m.Judged() == 0 {
				continue
			}
			if _, known := at[m.Name]; !known {
				at[m.Name] = len(out)
				out = append(out, Contestant{Name: m.Name})
			}
			c := &out[at[m.Name]]
			c.Runs = append(c.Runs, of(r, m))
		}
	}
	for i := range out {
		out[i].Changed = changed(out[i].Runs, level, seed)
	}
	slices.SortStableFunc(out, func(a, b Contestant) int { return len(b.Runs) - len(a.Runs) })
	return out
}

// seed is of what PairedTest draws: the same journals say the same.
const seed = 1

func of(r *report.Report, m report.Model) Run {
	run := Run{ID: r.Run.ID, Recipe: r.Run.Recipe, Digest: r.Run.Digest, Version: r.Run.Version, When: r.Started,
		Pass: m.Pass, Judged: m.Judged(), Rate: m.Rate, USD: m.CostUSD, Served: m.Served,
		models: strings.Join(r.Run.Models, "\n"), tasks: map[string]stat.Cluster{}}
	for _, t := range r.Trials {
		if t.Model != m.Name || t.Outcome.Status != trial.Pass && t.Outcome.Status != trial.Fail {
			continue
		}
		c := run.tasks[t.Task]
		c.N++
		if t.Outcome.Status == trial.Pass {
			c.Pass++
		}
		run.tasks[t.Task] = c
	}
	return run
}

// changed gives the change of a contestant that is surer than level; nil: none is. Runs of
// another recipe than the last one's are left out.
func changed(runs []Run, level float64, seed int64) *Change {
	if len(runs) == 0 {
		return nil
	}
	last := runs[len(runs)-1].Recipe
	runs = slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Recipe != last })
	var series []map[string]stat.Cluster
	for _, r := range runs {
		series = append(series, r.tasks)
	}
	c := stat.Changed(series, seed)
	if c.P > level {
		return nil
	}
	return &Change{Run: runs[c.At].ID, Tasks: c.Tasks, Diff: c.Diff, P: c.P, Since: runs[c.At], Last: runs[c.At-1],
		Edited: edited(runs)}
}

// edited reports whether runs of the same models are of recipes that differ: which models
// there are is in the digest, too.
func edited(runs []Run) bool {
	of := map[string]string{}
	for _, r := range runs {
		if d, known := of[r.models]; known && d != r.Digest {
			return true
		}
		of[r.models] = r.Digest
	}
	return false
}
