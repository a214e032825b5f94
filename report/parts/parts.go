// Package parts puts runs of parts of a comparison together: it says which parts are
// missing, and which are of another comparison.
package parts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// Parts are the runs so far. The zero value has none.
type Parts struct {
	ids     []string
	first   trial.Run // of the parts
	seen    map[int]int
	whole   int // runs that are no part
	foreign []string
}

// Add takes the plan of a run; the same again is that run, resumed.
func (p *Parts) Add(r trial.Run) {
	if slices.Contains(p.ids, r.ID) {
		return
	}
	p.ids = append(p.ids, r.ID)
	if r.Shard == nil {
		p.whole++
		return
	}
	if !r.Shard.Whole() {
		p.foreign = append(p.foreign, fmt.Sprintf("part %d of %d can't be one of %s", r.Shard.Part, r.Shard.Of,
			text.Count(len(r.Shard.Tasks), "task")))
		return
	}
	if p.seen == nil {
		p.first, p.seen = r, map[int]int{}
	}
	p.seen[r.Shard.Part]++
	if how := differences(p.first, r); len(how) > 0 {
		p.foreign = append(p.foreign, fmt.Sprintf("part %s has other %s than part %s", name(r),
			strings.Join(how, ", other "), name(p.first)))
	}
}

// differences says in what two parts are not of one comparison.
func differences(a, b trial.Run) (out []string) {
	for _, d := range []struct {
		what  string
		equal bool
	}{
		{"parts", a.Shard.Of == b.Shard.Of},
		{"tasks", slices.Equal(a.Shard.Tasks, b.Shard.Tasks)},
		{"models", slices.Equal(a.Models, b.Models)},
		{"repeats", repeats(a) == repeats(b)},
		{"seeds", a.Seed == b.Seed},
		{"versions of cookoff", a.Version == b.Version},
	} {
		if !d.equal {
			out = append(out, d.what)
		}
	}
	return out
}

// repeats is how often a model tries a task.
func repeats(r trial.Run) (most int) {
	n := map[[2]string]int{}
	for _, t := range r.Trials {
		k := [2]string{t.Model, t.Task}
		n[k]++
		most = max(most, n[k])
	}
	return most
}

func name(r trial.Run) string { return strconv.Itoa(r.Shard.Part) + "/" + strconv.Itoa(r.Shard.Of) }

// Foreign says what does not belong together; nil: all does.
func (p *Parts) Foreign() []string {
	out := slices.Clone(p.foreign)
	if p.whole > 0 && len(p.seen) > 0 {
		out = append(out, fmt.Sprintf("%s of all tasks beside parts of them", text.Count(p.whole, "run")))
	}
	return out
}

// Missing gives the parts that no run is of, from 1, and their tasks.
func (p *Parts) Missing() (numbers []int, tasks []string) {
	if len(p.seen) == 0 {
		return nil, nil
	}
	s := *p.first.Shard
	for s.Part = 1; s.Part <= s.Of; s.Part++ {
		if p.seen[s.Part] == 0 {
			numbers, tasks = append(numbers, s.Part), append(tasks, s.Cut()...)
		}
	}
	return numbers, tasks
}

// Warnings say what has to be known of a table of parts.
func (p *Parts) Warnings() (out []string) {
	numbers, tasks := p.Missing()
	if len(numbers) > 0 {
		said := tasks[:min(len(tasks), 5)]
		more := ""
		if n := len(tasks) - len(said); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		out = append(out, fmt.Sprintf("these are not all parts: %s of %d missing, with %s: %s%s", list(numbers),
			p.first.Shard.Of, text.Count(len(tasks), "task"), strings.Join(said, "; "), more))
	}
	var again []int
	for part, n := range p.seen {
		if n > 1 {
			again = append(again, part)
		}
	}
	slices.Sort(again)
	if len(again) > 0 && !(len(numbers) == 0 && p.even()) {
		out = append(out, fmt.Sprintf("parts were run more often than others: %s; their tasks have more trials",
			list(again)))
	}
	for _, f := range p.Foreign() {
		out = append(out, "these parts are not of one comparison: "+f)
	}
	return out
}

// even reports whether each part was run as often as each other.
func (p *Parts) even() bool {
	for _, n := range p.seen {
		if n != p.seen[p.first.Shard.Part] {
			return false
		}
	}
	return true
}

// list names parts: 2, 5, 6 and 7.
func list(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	last := len(words) - 1
	if last == 0 {
		return "part " + words[0]
	}
	return "parts " + strings.Join(words[:last], ", ") + " and " + words[last]
}
