package report

import (
	"fmt"
	"math"
	"slices"
	"time"

	"cookoff/report/stat"
	"cookoff/trial"
)

// confounding is the p below which a circumstance is said to have to do with
// outcomes, or to differ between contestants, after correction for looking at
// several.
const confounding = 0.01

// fewPressed is the least difference, in share of the time, between what two
// contestants met that is worth a word.
const fewPressed = 0.1

// circumstance is something that trials met and that is no contestant's doing.
type circumstance struct {
	of    func(t Trial) float64 // NaN: not known
	when  string                // in which trials failed more often
	other string                // the other way round
}

var circumstances = []circumstance{
	{cpuPressure, "while processors were waited for", "while processors were free"},
	{memoryPressure, "while memory was short", "while memory was plenty"},
	{began, "the later they were begun", "the earlier they were begun"},
}

func cpuPressure(t Trial) float64 {
	if t.Outcome.Pressure == nil {
		return math.NaN()
	}
	return t.Outcome.Pressure.CPU
}

func memoryPressure(t Trial) float64 {
	if t.Outcome.Pressure == nil {
		return math.NaN()
	}
	return t.Outcome.Pressure.Memory
}

// began is when a trial was begun, in seconds.
func began(t Trial) float64 {
	if t.Started.IsZero() {
		return math.NaN()
	}
	return float64(t.Started.UnixMilli()) / 1000
}

// confounded says where outcomes have to do with what the machine was like: among
// trials of one contestant at one task, and between contestants.
func confounded(r *Report, say sayer) {
	var p []float64
	var more []bool
	circumstances := slices.Concat(circumstances, onHosts(r), inHours(r.Trials))
	for _, c := range circumstances {
		strata, failing := strata(r.Trials, c.of)
		p = append(p, stat.Linked(strata, r.Run.Seed))
		more = append(more, failing)
	}
	for i, q := range stat.Holm(p) {
		if !(q < confounding) {
			continue
		}
		when := circumstances[i].when
		if !more[i] {
			when = circumstances[i].other
		}
		say("trials of one contestant at one task failed more often %s (p=%.2g): "+
			"part of what tells contestants apart may be the machine's or the provider's", when, q)
	}
	for _, m := range r.Models {
		unequal(r, m.Name, say)
	}
	apart(r, say)
}

// strata sorts trials: those of each contestant at each task, and whether those that
// failed had more of something, by rank in the mean.
func strata(trials []Trial, of func(Trial) float64) (out [][]stat.Trial, more bool) {
	at := map[[2]string]int{}
	for _, t := range trials {
		x := of(t)
		if !t.Judged() || math.IsNaN(x) {
			continue
		}
		key := [2]string{t.Model, t.Task}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], stat.Trial{X: x, Pass: t.Outcome.Status == trial.Pass})
	}
	balance := 0
	for _, s := range out {
		for _, a := range s {
			for _, b := range s {
				if !a.Pass && b.Pass && a.X > b.X {
					balance++
				} else if !a.Pass && b.Pass && a.X < b.X {
					balance--
				}
			}
		}
	}
	return out, balance > 0
}

// unequal says that a contestant's trials met a busier machine than the baseline's,
// or a less busy one: paired by task.
func unequal(r *Report, name string, say sayer) {
	if name == r.Run.Baseline || r.control(name) || r.control(r.Run.Baseline) {
		return // baselines take no time
	}
	mine, theirs := pressed(r.Trials, name), pressed(r.Trials, r.Run.Baseline)
	var diffs []float64
	for _, task := range r.Tasks {
		x, one := mine[task]
		if y, both := theirs[task]; one && both {
			diffs = append(diffs, x-y)
		}
	}
	if len(diffs) == 0 {
		return
	}
	mean := stat.Mean(diffs)
	if p := stat.SignFlip(diffs, r.Run.Seed); p < confounding && math.Abs(mean) >= fewPressed {
		than := "busier"
		if mean < 0 {
			than = "less busy"
		}
		say("%s: its trials met a %s machine than those of %s "+
			"(processors were waited for in %+.0f points of the time, p=%.2g): times don't compare, and "+
			"outcomes may not",
			name, than, r.Run.Baseline, 100*mean, p)
	}
}

// pressed gives for how much of its time each task of a contestant waited for
// processors, in the mean of its trials.
func pressed(trials []Trial, name string) map[string]float64 {
	var xs = map[string][]float64{}
	for _, t := range trials {
		if x := cpuPressure(t); t.Model == name && t.Judged() && !math.IsNaN(x) {
			xs[t.Task] = append(xs[t.Task], x)
		}
	}
	out := map[string]float64{}
	for task, list := range xs {
		out[task] = stat.Mean(list)
	}
	return out
}

// wholeDay is of how long a run the hours say something else than the order.
const wholeDay = 24 * time.Hour

// inHours are the circumstances of having been begun in this quarter of a day or that: of
// a run, or of several that are put together, that took a day or longer.
func inHours(trials []Trial) (out []circumstance) {
	var first, last time.Time
	for _, t := range trials {
		switch {
		case t.Started.IsZero():
			continue
		case first.IsZero() || t.Started.Before(first):
			first = t.Started
		}
		if t.Started.After(last) {
			last = t.Started
		}
	}
	if last.Sub(first) < wholeDay {
		return nil
	}
	for from := 0; from < 24; from += 6 {
		in := func(t Trial) float64 {
			switch {
			case t.Started.IsZero():
				return math.NaN()
			case t.Started.UTC().Hour()/6 == from/6:
				return 1
			}
			return 0
		}
		when := fmt.Sprintf("between %d and %d o'clock UTC", from, from+6)
		out = append(out, circumstance{in, when, "at other hours than " + when})
	}
	return out
}
