package report

import (
	"cookoff/internal/ui/text"
	"cookoff/report/number"
	"fmt"
	"math"
	"time"

	"cookoff/report/stat"
)

// Split compares what a contestant fixed of tasks that became known before a day
// with what it fixed of those since: a model may have read how the old ones were
// fixed.
type Split struct {
	Model              string
	Before, Since      float64 // rates, each task weighing the same; NaN without any
	TasksBefore, Tasks int     // judged
	P                  float64 // of "no difference", adjusted for the contestants (Holm); NaN where it can't be told
	Undated            int     // tasks that say no day
}

// ParseDay reads a day, as 2026-03-31.
func ParseDay(s string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return day, fmt.Errorf("%q is no day, as 2026-03-31", s)
	}
	return day, nil
}

// SplitAt gives the Split of each contestant at a day.
func (r *Report) SplitAt(day time.Time) []Split {
	var out []Split
	var p []float64
	for _, m := range r.Models {
		var old, young []float64
		s := Split{Model: m.Name}
		by := byTask(r, m.Name)
		for _, task := range r.Tasks {
			c := by[task]
			if c.N == 0 {
				continue
			}
			rate := float64(c.Pass) / float64(c.N)
			switch of, err := time.Parse(time.DateOnly, r.Run.Dates[task]); {
			case err != nil:
				s.Undated++
			case of.Before(day):
				old = append(old, rate)
			default:
				young = append(young, rate)
			}
		}
		s.Before, s.Since, s.TasksBefore, s.Tasks = stat.Mean(old), stat.Mean(young), len(old), len(young)
		out = append(out, s)
		p = append(p, stat.TwoGroups(old, young, r.Run.Seed))
	}
	for i, q := range stat.Holm(p) {
		out[i].P = q
	}
	return out
}

// Sentence says a split in one line.
func (s Split) Sentence(day time.Time) string {
	at := day.Format(time.DateOnly)
	if s.TasksBefore == 0 || s.Tasks == 0 {
		return fmt.Sprintf("%s: can't be split at %s: %s before it, %s since%s", s.Model, at, text.Count(s.TasksBefore, "task"),
			text.Count(s.Tasks, "task"), s.undated())
	}
	how := "which may be chance"
	if s.P < 0.05 {
		how = "which chance alone hardly does"
	}
	p := ""
	if !math.IsNaN(s.P) {
		p = fmt.Sprintf(", p=%.2g", s.P)
	}
	return fmt.Sprintf("%s: fixed %s of %s from before %s, and %s of %s since: %+.0f points, %s%s%s",
		s.Model, number.Percent(s.Before), text.Count(s.TasksBefore, "task"), at, number.Percent(s.Since), text.Count(s.Tasks, "task"),
		100*(s.Since-s.Before), how, p, s.undated())
}

func (s Split) undated() string {
	if s.Undated == 0 {
		return ""
	}
	return fmt.Sprintf("; %s without a date left out", text.Count(s.Undated, "task"))
}
