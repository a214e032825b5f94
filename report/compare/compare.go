// Package compare puts runs side by side: what became of each model and task between the first run and later ones.
package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/number"
	"cookoff/report/stat"
	"cookoff/trial"
)

// Side is one of the runs that are compared, and what to call it.
type Side struct {
	Name   string // the file or run that it was read from
	Report *report.Report
}

// Result holds runs side by side: every later one against the first, over
// the tasks that both judged with the same model.
type Result struct {
	Sides   []Side
	Alpha   float64
	Changes []Change // by model, then by run
	Tasks   []TaskChange
	Notes   []string
}

// Change is what became of one model between the first run and a later one.
type Change struct {
	Model    string
	Side     int // of the later run
	Was, Now Score
	Delta    report.Delta // P is adjusted by Holm for all changes of the comparison
}

// Score is what a model did on the tasks that both runs judged.
type Score struct {
	Pass, Judged int
	Rate         float64
	Interval     stat.Interval
	CostUSD      *float64 // mean of the judged trials; nil: unknown
	Seconds      float64  // median agent time of the trials that passed; NaN without
}

// TaskChange is a task that a model did not fix equally often in all runs. Cells
// are as in the matrix of a report, one a run; "-": not tried.
type TaskChange struct {
	Task, Model string
	Cells       []string
	Rates       []float64 // NaN: not judged
	Trials      []string  // the id of each run's trial that shows the change best; "": none
}

// Regression reports whether the model got worse by more than chance explains.
func (c Change) Regression() bool { return c.Delta.Significant && c.Delta.Diff < 0 }

// maxSides is how many runs have a letter.
const maxSides = 26

// Letter is how run i is called in tables: A is the first.
func Letter(i int) string { return string(rune('A' + i)) }

// Runs compares runs with the first of them. alpha is the chance of calling
// anything different that is not; 0 is what the first run's confidence leaves.
// Its error says that there is nothing to compare: fewer than two runs, or no
// task that two of them judged with the same model.
func Runs(sides []Side, alpha float64) (*Result, error) {
	if len(sides) < 2 || len(sides) > maxSides {
		return nil, fmt.Errorf("comparing %s: want 2 to %d", text.Count(len(sides), "run"), maxSides)
	}
	first := sides[0].Report
	if alpha == 0 {
		alpha = 1 - first.Run.Confidence
	}
	c := &Result{Sides: sides, Alpha: alpha}
	var ps []float64
	for _, m := range first.Models {
		for i, s := range sides[1:] {
			if ch, ok := newChange(first, s.Report, m.Name, alpha); ok {
				ch.Side = i + 1
				c.Changes, ps = append(c.Changes, ch), append(ps, ch.Delta.P)
			}
		}
	}
	if len(c.Changes) == 0 {
		return nil, fmt.Errorf("comparing runs: no task was judged with the same model in the first and another\n" +
			"  hint: cookoff report RUN RUN puts different models into one table")
	}
	for i, p := range stat.Holm(ps) {
		c.Changes[i].Delta.P, c.Changes[i].Delta.Significant = p, p <= alpha
	}
	c.taskChanges()
	c.notes()
	return c, nil
}

// newChange pairs the tasks that both runs judged with a model.
func newChange(a, b *report.Report, name string, alpha float64) (Change, bool) {
	was, now := a.ByTask(name), b.ByTask(name)
	shared := &report.Report{Run: trial.Run{Confidence: 1 - alpha, Seed: a.Run.Seed}}
	var before, after []stat.Cluster
	for _, task := range a.Tasks {
		if was[task].N > 0 && now[task].N > 0 {
			shared.Tasks = append(shared.Tasks, task)
			before, after = append(before, was[task]), append(after, now[task])
		}
	}
	if len(shared.Tasks) == 0 {
		return Change{}, false
	}
	ch := Change{Model: name, Was: score(before, 1-alpha), Now: score(after, 1-alpha),
		Delta: *report.NewDelta(shared, was, now)}
	ch.Was.spend(a, name, shared.Tasks)
	ch.Now.spend(b, name, shared.Tasks)
	return ch, true
}

// spend fills in what a model's judged trials at some tasks took.
func (s *Score) spend(r *report.Report, name string, tasks []string) {
	sum, known, toFix := 0.0, true, []float64(nil)
	for _, t := range r.Trials {
		if t.Model != name || !t.Judged() || !slices.Contains(tasks, t.Task) {
			continue
		}
		if c := t.Outcome.CostUSD; c == nil {
			known = false
		} else {
			sum += *c
		}
		if t.Outcome.Status == trial.Pass {
			toFix = append(toFix, t.Outcome.Seconds.Agent)
		}
	}
	if known {
		s.CostUSD = new(sum / float64(s.Judged))
	}
	s.Seconds = stat.Quantile(toFix, 0.5)
}

func score(tasks []stat.Cluster, confidence float64) Score {
	var s Score
	for _, t := range tasks {
		s.Pass, s.Judged = s.Pass+t.Pass, s.Judged+t.N
	}
	s.Rate, s.Interval = float64(s.Pass)/float64(s.Judged), stat.ClusteredInterval(tasks, confidence)
	return s
}

// taskChanges lists the tasks whose rate differs between the first run and any
// other.
func (c *Result) taskChanges() {
	cells := make([]map[[2]string]report.Cell, len(c.Sides))
	for i, s := range c.Sides {
		cells[i] = report.Matrix(s.Report)
	}
	first := c.Sides[0].Report
	for _, m := range first.Models {
		by := make([]map[string]stat.Cluster, len(c.Sides))
		for i, s := range c.Sides {
			by[i] = s.Report.ByTask(m.Name)
		}
		for _, task := range first.Tasks {
			t := TaskChange{Task: task, Model: m.Name}
			changed := false
			for i := range c.Sides {
				rate, text := math.NaN(), number.Dash
				if k := by[i][task]; k.N > 0 {
					rate = float64(k.Pass) / float64(k.N)
				}
				if x, ok := cells[i][[2]string{task, m.Name}]; ok {
					text = x.Text
				}
				t.Rates, t.Cells = append(t.Rates, rate), append(t.Cells, text)
				changed = changed || math.Abs(rate-t.Rates[0]) > 0 // false for NaN: not paired
			}
			if changed {
				t.Trials = c.telling(t)
				c.Tasks = append(c.Tasks, t)
			}
		}
	}
}

// notes says what has to be known before the differences are believed.
func (c *Result) notes() {
	say := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	first := c.Sides[0].Report
	for i, s := range c.Sides {
		r := s.Report
		if i > 0 {
			redefined(first, r, Letter(i), say)
		}
		if i > 0 && r.Run.Digest != first.Run.Digest {
			say("%s was made from another recipe than A (%s, not %s): tasks of one name may differ",
				Letter(i), digest(r), digest(first))
		}
		if r.State != report.Finished {
			say("%s is %s: %s not finished", Letter(i), r.State, text.Count(len(r.Pending), "trial"))
		}
		void := 0
		for _, m := range r.Models {
			void += m.Void
		}
		if void > 0 {
			say("%s has %s: they are paired with nothing", Letter(i), text.Count(void, "void trial"))
		}
		if i > 0 {
			c.alone(i, say)
		}
	}
	level := c.Alpha / float64(len(c.Changes))
	need, least := stat.NeededTasks(level), math.MaxInt
	for _, ch := range c.Changes {
		least = min(least, ch.Delta.Tasks)
	}
	if need > least {
		say("too few tasks: a model needs %d shared ones before a difference could be significant, and one has only %d",
			need, least)
	}
}

// alone says what the first run and run i do not share.
func (c *Result) alone(i int, say func(string, ...any)) {
	a, b := c.Sides[0].Report, c.Sides[i].Report
	for _, side := range []struct {
		letter        string
		mine, another *report.Report
	}{{"A", a, b}, {Letter(i), b, a}} {
		if only := without(names(side.mine), names(side.another)); len(only) > 0 {
			say("only in %s, and left out: %s", side.letter, list3(only))
		}
		if only := without(side.mine.Tasks, side.another.Tasks); len(only) > 0 {
			say("only in %s, and left out: %s (%s)", side.letter, text.Count(len(only), "task"), list3(only))
		}
	}
}

// redefined says which contestants of one name are not the same in two runs.
func redefined(a, b *report.Report, side string, say func(string, ...any)) {
	for _, c := range a.Run.Contestants {
		other := b.Run.Contestant(c.Name)
		if other == nil || other.Sum == c.Sum {
			continue
		}
		d := report.Differences([]trial.Contestant{c, *other})
		say("the contestant %s is not the same in A and %s: %s (%s), and %s (%s)", c.Name, side,
			d[0].Model, d[0].What(), d[1].Model, d[1].What())
	}
}

func names(r *report.Report) []string {
	var out []string
	for _, m := range r.Models {
		out = append(out, m.Name)
	}
	return out
}

func without(xs, others []string) []string {
	return slices.DeleteFunc(slices.Clone(xs), func(x string) bool { return slices.Contains(others, x) })
}

// list3 names at most three.
func list3(xs []string) string {
	out := ""
	for i, x := range xs {
		switch {
		case i == 3:
			return out + fmt.Sprintf(" and %d more", len(xs)-3)
		case i > 0:
			out += ", "
		}
		out += x
	}
	return out
}

// digest is enough of a recipe's digest to tell it from another.
func digest(r *report.Report) string {
	d := strings.TrimPrefix(r.Run.Digest, "sha256:")
	return number.OrDash(d[:min(len(d), 12)])
}

// Time is the median time to fix, before and now.
func (c Change) Time() string {
	return fromTo(number.Seconds(c.Was.Seconds), number.Seconds(c.Now.Seconds))
}

// Cost is the mean cost of a trial, before and now.
func (c Change) Cost() string {
	return fromTo(number.Money(c.Was.CostUSD), number.Money(c.Now.CostUSD))
}

func fromTo(was, now string) string {
	if was == number.Dash && now == number.Dash {
		return number.Dash
	}
	return was + " → " + now
}

// Text is the score as tables have it.
func (s Score) Text() string {
	return fmt.Sprintf("%d/%d %s", s.Pass, s.Judged, number.Percent(s.Rate))
}

// Legends says which run is which, one line each.
func (c *Result) Legends() []string {
	var out []string
	for i, s := range c.Sides {
		r := s.Report
		out = append(out, fmt.Sprintf("%s: run %s of %s (%s), %s, %s",
			Letter(i), number.OrDash(r.Run.ID), number.OrDash(r.Run.Recipe),
			digest(r),
			text.Count(len(r.Models), "model"), text.Count(len(r.Tasks), "task")))
	}
	return out
}

// Explained says how the numbers came about.
func (c *Result) Explained() string {
	test := "exact McNemar"
	for _, ch := range c.Changes {
		if ch.Delta.Test == "sign_flip" {
			test = "permutation test over tasks"
		}
	}
	return fmt.Sprintf("Δ: points against A over the tasks that both judged, with its %s interval (%s, Holm); "+
		"~: may be chance; time: median of the fixes", number.Percent(1-c.Alpha), test)
}
