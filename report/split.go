package report

import (
	"fmt"
	"math"
	"time"

	"cookoff/internal/ui/text"
	"cookoff/report/number"
	"cookoff/report/stat"
)

// Split compares what a contestant fixed of tasks that became known before a day
// with what it fixed of those since: a model may have read how the old ones were
// fixed.
type Split struct {
	Model              string
	At                 time.Time // the day
	Before, Since      float64   // rates, each task weighing the same; NaN without any
	TasksBefore, Tasks int       // judged
	P                  float64   // of "no difference", adjusted for the contestants (Holm); NaN where it can't be told
	Undated            int       // tasks that say no day
	// Others is what other contestants fixed since less what they fixed before that day, in
	// the mean of those that were judged on both; NaN without any.
	Others float64
}

// ParseDay reads a day, as 2026-03-31.
func ParseDay(s string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return day, fmt.Errorf("%q is no day, as 2026-03-31", s)
	}
	return day, nil
}

// SplitAt gives the Split of each contestant at a day, or at its own of Cutoffs. The day
// may be zero: contestants without one of their own are left out.
func (r *Report) SplitAt(day time.Time) []Split {
	var out []Split
	var p []float64
	for _, m := range r.Models {
		at := day
		if own, has := r.Cutoffs[m.Name]; has {
			at = own
		}
		if at.IsZero() {
			continue
		}
		old, young, undated := r.split(m.Name, at)
		out = append(out, Split{Model: m.Name, At: at, Before: stat.Mean(old), Since: stat.Mean(young),
			TasksBefore: len(old), Tasks: len(young), Undated: undated, Others: r.others(m.Name, at)})
		p = append(p, stat.TwoGroups(old, young, r.Run.Seed))
	}
	for i, q := range stat.Holm(p) {
		out[i].P = q
	}
	return out
}

// split gives what a contestant fixed of each task from before a day, and since.
func (r *Report) split(model string, day time.Time) (old, young []float64, undated int) {
	by := r.ByTask(model)
	for _, task := range r.Tasks {
		c := by[task]
		if c.N == 0 {
			continue
		}
		rate := float64(c.Pass) / float64(c.N)
		switch of, err := time.Parse(time.DateOnly, r.Run.Dates[task]); {
		case err != nil:
			undated++
		case of.Before(day):
			old = append(old, rate)
		default:
			young = append(young, rate)
		}
	}
	return old, young, undated
}

// others gives Split.Others. Those that do nothing, or play the solution, lose nothing.
func (r *Report) others(model string, day time.Time) float64 {
	var lost []float64
	for _, m := range r.Models {
		if behind := r.Run.Behind(m.Name); m.Name == model || behind == oracle || behind == "baseline/noop" {
			continue
		}
		if old, young, _ := r.split(m.Name, day); len(old) > 0 && len(young) > 0 {
			lost = append(lost, stat.Mean(young)-stat.Mean(old))
		}
	}
	return stat.Mean(lost)
}

// Sentence says a split in one line.
func (s Split) Sentence(day time.Time) string {
	at := day.Format(time.DateOnly)
	if s.TasksBefore == 0 || s.Tasks == 0 {
		return fmt.Sprintf("%s: can't be split at %s: %s before it, %s since%s", s.Model, at,
			text.Count(s.TasksBefore, "task"), text.Count(s.Tasks, "task"), s.undated())
	}
	how := "which may be chance"
	if s.P < 0.05 {
		how = "which chance alone hardly does"
	}
	p := ""
	if !math.IsNaN(s.P) {
		p = fmt.Sprintf(", p=%.2g", s.P)
	}
	return fmt.Sprintf("%s: fixed %s of %s from before %s, and %s of %s since: %+.0f points, %s%s%s%s",
		s.Model, number.Percent(s.Before), text.Count(s.TasksBefore, "task"), at, number.Percent(s.Since),
		text.Count(s.Tasks, "task"), 100*(s.Since-s.Before), how, p, s.harder(), s.undated())
}

// harder says that the tasks since may be harder for anybody: others lost half as much.
func (s Split) harder() string {
	if lost := s.Since - s.Before; !(s.P < 0.05) || lost >= 0 || !(s.Others <= lost/2) {
		return ""
	}
	return fmt.Sprintf("; but others lost %.0f points there, too: the tasks since may be harder", -100*s.Others)
}

func (s Split) undated() string {
	if s.Undated == 0 {
		return ""
	}
	return fmt.Sprintf("; %s without a date left out", text.Count(s.Undated, "task"))
}
