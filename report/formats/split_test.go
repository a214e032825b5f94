package formats

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cookoff/report"
	"cookoff/trial"
)

// What was fixed of old tasks is compared with what was fixed of young ones; tasks
// without a date are said to be left out.
func TestSplitAt(t *testing.T) {
	r := &report.Report{Run: trial.Run{Seed: 1, Dates: map[string]string{}},
		Models: []report.Model{{Name: "lab/a", Pass: 1}, {Name: "lab/b"}, {Name: "lab/c"}}}
	add := func(model, task string, pass bool) {
		o := trial.Outcome{Status: trial.Fail}
		if pass {
			o.Status = trial.Pass
		}
		r.Trials = append(r.Trials, report.Trial{Trial: trial.Trial{Model: model, Task: task, N: 1}, Outcome: o})
	}
	for i := range 24 {
		task := fmt.Sprint("task ", i)
		r.Tasks = append(r.Tasks, task)
		r.Run.Dates[task] = "2026-03-01"
		if i%2 == 0 {
			r.Run.Dates[task] = "2026-02-28"
		}
		add("lab/a", task, i%2 == 0) // has read the old ones
		add("lab/b", task, i%4 < 2)
	}
	r.Tasks = append(r.Tasks, "undated")
	add("lab/b", "undated", true)
	add("lab/c", "task 0", true)
	day, err := report.ParseDay("2026-03-01")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range r.SplitAt(day) {
		got = append(got, s.Sentence(day))
	}
	want := []string{
		"lab/a: fixed 100% of 12 tasks from before 2026-03-01, and 0% of 12 tasks since: -100 points, which chance " +
			"alone hardly does, p=0.0002",
		"lab/b: fixed 50% of 12 tasks from before 2026-03-01, and 50% of 12 tasks since: +0 points, which may be " +
			"chance, p=1; 1 task without a date left out",
		"lab/c: can't be split at 2026-03-01: 1 task before it, 0 tasks since",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// a day of its own, and others that lose as much there: the tasks may be harder
	own, _ := report.ParseDay("2026-02-28") // nothing is older
	r.Cutoffs = map[string]time.Time{"lab/b": own}
	if s := r.SplitAt(day)[1]; s.TasksBefore != 0 || s.Tasks != 24 || !s.At.Equal(own) {
		t.Errorf("%+v", s)
	}
	if s := r.SplitAt(time.Time{}); len(s) != 1 || s[0].Model != "lab/b" {
		t.Errorf("%+v", s)
	}
	r.Cutoffs = nil
	for i := range 24 {
		add("lab/d", fmt.Sprint("task ", i), i%2 == 0)
	}
	r.Models = append(r.Models, report.Model{Name: "lab/d"})
	if s := r.SplitAt(day)[0].Sentence(day); !strings.HasSuffix(s,
		"; but others lost 50 points there, too: the tasks since may be harder") {
		t.Errorf("%s", s)
	}
	r.Models, r.Trials = r.Models[:3], r.Trials[:len(r.Trials)-24]
	r.Split = day
	if j := newJSON(r); j.Split == nil || j.Split.At != "2026-03-01" || *j.Split.Models[0].Before != 1 ||
		*j.Split.Models[0].Since != 0 || j.Split.Models[2].Since != nil {
		t.Errorf("%+v", j.Split)
	}
	if lines := strings.Join(report.Legend(r), "\n"); !strings.Contains(lines, want[0]) {
		t.Errorf("the table says %s", lines)
	}
	if _, err := report.ParseDay("yesterday"); err == nil || !strings.Contains(err.Error(),
		`"yesterday" is no day, as 2026-03-31`) {
		t.Errorf("%v", err)
	}
}
