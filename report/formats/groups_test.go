package formats

import (
	"bytes"
	"strings"
	"testing"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/trial"
)

func TestTagsOfAGroupMakeATable(t *testing.T) {
	r := &report.Report{
		Run: trial.Run{Groups: map[string][]string{"a": {"kind:git", "level:hard"}, "b": {"kind:git", "level:easy"},
			"c": {"kind:data", "only:one"}}},
		Tasks: []string{"a", "b", "c", "d"}, Models: []report.Model{{Name: "x/one"}, {Name: "y/two"}},
		State: report.Finished,
	}
	for _, o := range []struct {
		task, model string
		status      trial.Status
	}{{"a", "x/one", trial.Pass}, {"b", "x/one", trial.Fail}, {"c", "x/one", trial.Void}, {"a", "y/two", trial.Pass},
		{"b", "y/two", trial.Pass}, {"d", "y/two", trial.Pass}} {
		r.Trials = append(r.Trials, report.Trial{Trial: trial.Trial{Task: o.task, Model: o.model},
			Outcome: trial.Outcome{Status: o.status}})
	}
	p := &page{r: r}
	if err := p.groupTables(); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(p.b.String()), " ")
	for _, want := range []string{"kind tasks x/one y/two", "git 2 1/2 2/2", "data 1 0/0 0/0", "level tasks",
		"hard 1 1/1 1/1", "easy 1 0/1 1/1"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, p.b.String())
		}
	}
	if strings.Contains(got, "only") {
		t.Errorf("a group of one value has a table:\n%s", p.b.String())
	}
	p = &page{r: r, o: Options{Width: 24}}
	if err := p.groupTables(); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(p.b.Bytes()) {
		if text.Width(strings.TrimRight(string(line), "\n")) > 24 {
			t.Errorf("a line is wider than it may be: %q", line)
		}
	}
}
