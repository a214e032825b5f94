package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cookoff/trial"
)

// Failures that come while the machine is busy are said to be perhaps the machine's;
// so is one contestant whose trials met a busier machine. Equal circumstances are
// not worth a word.
func TestConfounded(t *testing.T) {
	begin := time.Unix(1_000_000, 0)
	build := func(busy func(model string, n int, pass bool) float64) *Report {
		r := &Report{Run: trial.Run{Baseline: "lab/a", Seed: 1}, Models: []Model{{Name: "lab/a"}, {Name: "lab/b"}},
			State: Finished}
		for task := range 12 {
			name := fmt.Sprintf("task %02d", task)
			r.Tasks = append(r.Tasks, name)
			for _, m := range r.Models {
				for n := range 4 {
					pass := (task+n)%2 == 0
					o := trial.Outcome{Status: trial.Fail, Pressure: &trial.Pressure{CPU: busy(m.Name, n, pass)}}
					if pass {
						o.Status = trial.Pass
					}
					r.Trials = append(r.Trials, Trial{Trial: trial.Trial{Model: m.Name, Task: name, N: n + 1},
						Outcome: o, Started: begin})
				}
			}
		}
		return r
	}
	said := func(r *Report) string {
		var out []string
		confounded(r, func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) })
		return strings.Join(out, "\n")
	}
	if got := said(build(func(string, int, bool) float64 { return 0.5 })); got != "" {
		t.Errorf("equal circumstances: %s", got)
	}
	got := said(build(func(_ string, n int, pass bool) float64 {
		if pass {
			return 0.1 + float64(n)/100
		}
		return 0.6 + float64(n)/100
	}))
	if !strings.Contains(got, "failed more often while processors were waited for") || strings.Contains(got,
		"lab/b: its trials") {
		t.Errorf("failures under pressure: %q", got)
	}
	got = said(build(func(model string, _ int, _ bool) float64 {
		if model == "lab/b" {
			return 0.7
		}
		return 0.2
	}))
	if !strings.Contains(got,
		"lab/b: its trials met a busier machine than those of lab/a (processors were waited for in +50 points") ||
		strings.Contains(got, "failed more often") {
		t.Errorf("unequal: %q", got)
	}
	r := build(func(string, int, bool) float64 { return 0 })
	for i := range r.Trials {
		if r.Trials[i].Outcome.Status == trial.Fail {
			r.Trials[i].Started = begin.Add(time.Hour)
		}
		r.Trials[i].Outcome.Pressure = nil
	}
	if got := said(r); !strings.Contains(got, "failed more often the later they were begun") {
		t.Errorf("later: %q", got)
	}
	for i := range r.Trials { // over twelve days, at eight hours of each, in another order
		day, hour := i%12, 3*(i*5%8)
		r.Trials[i].Started = time.Date(2026, 1, 1+day, hour, 0, 0, 0, time.UTC)
		if r.Trials[i].Outcome.Status == trial.Fail {
			r.Trials[i].Started = time.Date(2026, 1, 1+day, 12+hour%6, 0, 0, 0, time.UTC)
		}
	}
	if got := said(r); !strings.Contains(got, "failed more often between 12 and 18 o'clock UTC (p=") {
		t.Errorf("at some hours: %q", got)
	}
	for i := range r.Trials {
		r.Trials[i].Started = begin.Add(time.Duration(i%12) * 25 * time.Hour)
	}
	if got := said(r); strings.Contains(got, "o'clock") {
		t.Errorf("at any hour: %q", got)
	}
}

// TestInOneLine: an error of several lines is shown as one, and says nothing twice.
func TestInOneLine(t *testing.T) {
	const want = "writing j: it is gone; what it held is in x"
	if got := inOneLine("writing j: it is gone\nwriting j: it is gone\n  hint: what it held is in x"); got != want {
		t.Errorf("%q", got)
	}
}
