package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report/number"
	"cookoff/report/stat"
	"cookoff/trial"
)

// Flake says how often the trials of one contestant at a task ended differently.
type Flake struct {
	Task string
	// Score is the chance that two trials of one contestant, drawn at random, end
	// differently: 0 where each always ends the same, at most 1.
	Score float64
	Pairs int // of trials that it rests on
}

// Flakes gives the tasks that contestants tried several times, the least steady
// first.
func Flakes(r *Report) []Flake {
	var out []Flake
	var by []map[string]stat.Cluster
	for _, m := range r.Models {
		by = append(by, r.ByTask(m.Name))
	}
	for _, task := range r.Tasks {
		var of []stat.Cluster
		for _, tried := range by {
			of = append(of, tried[task])
		}
		f := Flake{Task: task}
		if f.Score, f.Pairs = stat.Flake(of); f.Pairs > 0 {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Flake) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// unsteady says of which tasks the known solution did not always pass: their
// failures are nobody's; and which tasks end now so, now so.
func unsteady(r *Report, say sayer) {
	for _, m := range r.Models {
		if r.Run.Behind(m.Name) == oracle {
			unsolved(r, m.Name, say)
		}
	}
	var names []string
	for _, f := range Flakes(r) {
		if f.Score >= flaky && f.Pairs >= fewPairs {
			names = append(names, fmt.Sprintf("%q (%s)", f.Task, number.Percent(f.Score)))
		}
	}
	if n := len(names); n > 0 {
		more := ""
		if n > 3 {
			names, more = names[:3], fmt.Sprintf(" and %d more", n-3)
		}
		say("two trials of one contestant often end differently at: %s%s", strings.Join(names, ", "), more)
	}
}

// unsolved says at which tasks one that plays their known solutions failed.
func unsolved(r *Report, name string, say sayer) {
	solved := r.ByTask(name)
	for _, task := range r.Tasks {
		if idle(r, name, task) {
			say("task %q has no solution for %s to play: that it failed there says nothing", task, oracle)
		} else if c := solved[task]; c.N > 0 && c.Pass < c.N {
			say("task %q: its own solution was judged not fixed in %d of %s: what others failed there says little",
				task, c.N-c.Pass, text.Count(c.N, "trial"))
		}
	}
}

// idle reports whether a contestant did nothing in all its trials of a task, and gave up.
func idle(r *Report, name, task string) bool {
	tried := 0
	for _, t := range r.Trials {
		if t.Model != name || t.Task != task || t.Outcome.Status == trial.Void {
			continue
		}
		if tried++; t.Outcome.Cause != trial.CauseGaveUp || t.Outcome.Counters.ToolCalls > 0 {
			return false
		}
	}
	return tried > 0
}

const (
	oracle   = "baseline/oracle"
	flaky    = 0.4 // as a score; 0.5 is a coin
	fewPairs = 3   // say nothing of a score
)
