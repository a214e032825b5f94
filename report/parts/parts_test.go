package parts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cookoff/trial"
)

// part is the plan of one part of a comparison of five tasks.
func part(i, of int) trial.Run {
	s := &trial.Shard{Part: i, Of: of, Tasks: []string{"a", "b", "c", "d", "e"}}
	r := trial.Run{ID: fmt.Sprint(i, of), Models: []string{"m"}, Seed: 1, Version: "v", Shard: s}
	for _, task := range s.Cut() {
		r.Trials = append(r.Trials, trial.Trial{Model: "m", Task: task, N: 1})
	}
	return r
}

// said is what is said of these runs.
func said(runs ...trial.Run) (foreign, warnings string) {
	var p Parts
	for _, r := range runs {
		p.Add(r)
	}
	return strings.Join(p.Foreign(), "\n"), strings.Join(p.Warnings(), "\n")
}

func TestMissing(t *testing.T) {
	if foreign, warnings := said(part(1, 3), part(2, 3), part(3, 3), part(2, 3)); foreign+warnings != "" {
		t.Errorf("of all parts, one of them resumed: %q, %q", foreign, warnings)
	}
	_, warnings := said(part(2, 3))
	if want := "these are not all parts: parts 1 and 3 of 3 missing, with 3 tasks: a; d; e"; warnings != want {
		t.Errorf("said %q, want %q", warnings, want)
	}
	if foreign, warnings := said(trial.Run{ID: "x"}, trial.Run{ID: "y"}); foreign+warnings != "" {
		t.Errorf("of runs that are no parts: %q, %q", foreign, warnings)
	}
}

// TestAgain: a part that was run twice makes tasks with more trials than others have.
func TestAgain(t *testing.T) {
	again := part(2, 2)
	again.ID = "again"
	if _, warnings := said(part(1, 2), part(2, 2), again); !strings.Contains(warnings,
		"more often than others: part 2") {
		t.Errorf("said %q", warnings)
	}
	first := part(1, 2)
	first.ID = "first again"
	if _, warnings := said(part(1, 2), part(2, 2), again, first); warnings != "" {
		t.Errorf("of each part twice: %q", warnings)
	}
}

func TestForeign(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(r *trial.Run)
	}{
		{"part 2/2 has other models than part 1/2", func(r *trial.Run) { r.Models = []string{"n"} }},
		{"other tasks", func(r *trial.Run) { r.Shard.Tasks = []string{"a", "b", "c", "d", "f"} }},
		{"other parts", func(r *trial.Run) { r.Shard.Of = 3 }},
		{"other repeats", func(r *trial.Run) { r.Trials = slices.Concat(r.Trials, r.Trials) }},
		{"other seeds", func(r *trial.Run) { r.Seed++ }},
		{"other versions of cookoff", func(r *trial.Run) { r.Version = "w" }},
		{"1 run of all tasks beside parts of them", func(r *trial.Run) { r.Shard = nil }},
		{"part 9 of 2 can't be one of 5 tasks", func(r *trial.Run) { r.Shard.Part = 9 }},
		{"part 1 of 1000000000 can't be", func(r *trial.Run) { r.Shard = &trial.Shard{Part: 1, Of: 1e9} }},
	} {
		r := part(2, 2)
		c.change(&r)
		if foreign, warnings := said(part(1, 2), r); !strings.Contains(foreign, c.want) || !strings.Contains(warnings,
			"not of one comparison: ") {
			t.Errorf("%s: said %q, %q", c.want, foreign, warnings)
		}
	}
}
