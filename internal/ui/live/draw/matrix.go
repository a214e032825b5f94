package draw

import (
	"fmt"
	"math"
	"strings"

	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/report/stat"
	"cookoff/trial"
)

// Widths of the matrix: of a cell at least, of the interval's bar.
const (
	cellWidth = 11
	barWidth  = 22
)

// matrix draws models by tasks: a mark, steps and time in each cell, and the
// rate with its interval at the end of a row.
func (p *pen) matrix(rows int) []string {
	nameW := 8
	for i := range p.Models {
		nameW = max(nameW, text.Width(p.name(i)))
	}
	nameW = min(nameW, max(p.Width/4, 8))
	rateW := 22
	if p.Width >= 110 {
		rateW += barWidth + 1
	}
	room := max(p.Width-nameW-rateW-4, cellWidth)
	n := max(room/(cellWidth+1), 1)
	first := max(0, min(p.FirstTask, len(p.Tasks)-n))
	tasks := p.Tasks[first:min(first+n, len(p.Tasks))]
	wide := cellWidth
	if len(tasks) > 0 {
		wide = max(cellWidth, min(room/len(tasks)-1, 28))
	}
	head := "   " + text.Fit("model", nameW)
	for _, t := range tasks {
		head += " " + text.Fit(text.Line(t), wide)
	}
	out := []string{"", p.paint(screen.Bold, text.Fit(head+" fixed", p.Width))}
	show := max(rows-4, 1)
	from := 0
	if p.focus() >= show {
		from = p.focus() - show + 1
	}
	for i := from; i < len(p.Models) && i < from+show; i++ {
		out = append(out, p.matrixRow(i, nameW, wide, tasks))
	}
	foot := "   ✓ fixed  ✗ not fixed  ∅ void  ▸ running  · queued  [95% interval]"
	if len(tasks) < len(p.Tasks) {
		foot = fmt.Sprintf("   tasks %d-%d of %d: [ and ] move", first+1, first+len(tasks), len(p.Tasks))
	}
	return fill(append(out, "", p.paint(screen.Dim, text.Cut(foot, p.Width))), rows)
}

func (p *pen) matrixRow(i, nameW, wide int, tasks []string) string {
	m := &p.Models[i]
	lead := "   "
	if i == p.focus() {
		lead = " ▶ "
	}
	line := lead + p.paint(screen.Bold, text.Fit(p.name(i), nameW))
	used := text.Width(lead) + nameW
	for _, t := range tasks {
		words, style := p.cell(m, t)
		words = text.Fit(words, wide)
		if style != "" {
			words = p.paint(style, words)
		}
		line += " " + words
		used += 1 + wide
	}
	rate := Rate(m)
	if p.Width >= 110 {
		rate = text.Fit(rate, 20) + " " + bar(m)
	}
	return line + " " + text.Cut(rate, p.Width-used-1)
}

// cell says how a model fared at a task: of several trials, how many fixed it.
func (p *pen) cell(m *board.Model, task string) (string, screen.Style) {
	var all []*board.Lane
	pass, done := 0, 0
	for j := range m.Lanes {
		l := &m.Lanes[j]
		if l.Task != task {
			continue
		}
		all = append(all, l)
		if l.Outcome != nil && l.Outcome.Status != trial.Void {
			done++
			if l.Outcome.Status == trial.Pass {
				pass++
			}
		}
	}
	switch {
	case len(all) == 0:
		return "", ""
	case len(all) > 1:
		words := fmt.Sprintf("%d/%d", pass, done)
		if done < len(all) {
			words += fmt.Sprintf(" of %d", len(all))
		}
		return words, ""
	}
	l := all[0]
	word, style := Status(l)
	mark, _, _ := strings.Cut(word, " ")
	if l.State == board.Queued {
		return mark, screen.Dim
	}
	return fmt.Sprintf("%s %2d %5s", mark, l.Step, text.Clock(p.took(l))), style
}

// judged counts a model's trials that fixed, and those that count, and gives the
// interval of their rate.
func judged(m *board.Model) (pass, n int, between stat.Interval) {
	at := map[string]int{}
	var tasks []stat.Cluster
	for _, l := range m.Lanes {
		if l.Outcome == nil || l.Outcome.Status != trial.Pass && l.Outcome.Status != trial.Fail {
			continue
		}
		i, ok := at[l.Task]
		if !ok {
			i = len(tasks)
			at[l.Task], tasks = i, append(tasks, stat.Cluster{})
		}
		n++
		tasks[i].N++
		if l.Outcome.Status == trial.Pass {
			pass++
			tasks[i].Pass++
		}
	}
	return pass, n, stat.ClusteredInterval(tasks, 0.95)
}

// Rate is a model's fixes, with their rate and its interval.
func Rate(m *board.Model) string {
	pass, n, i := judged(m)
	if n == 0 {
		return "0/0       -"
	}
	return fmt.Sprintf("%-6s %3.0f%% [%.0f-%.0f]", fmt.Sprintf("%d/%d", pass, n), 100*float64(pass)/float64(n),
		100*i.Lo, 100*i.Hi)
}

// bar draws the interval of a rate from 0 to 1.
func bar(m *board.Model) string {
	pass, n, i := judged(m)
	if n == 0 {
		return ""
	}
	at := func(x float64) int { return int(math.Round(x * float64(barWidth-3))) }
	var b strings.Builder
	b.WriteString("│")
	for c := range barWidth - 2 {
		switch {
		case c == at(float64(pass)/float64(n)):
			b.WriteString("●")
		case c >= at(i.Lo) && c <= at(i.Hi):
			b.WriteString("━")
		default:
			b.WriteString(" ")
		}
	}
	b.WriteString("│")
	return b.String()
}
