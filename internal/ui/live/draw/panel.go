package draw

import (
	"fmt"
	"strings"
	"time"

	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// border is how a panel is framed. The one in focus has heavy lines, so that
// it stands out without colour.
type border struct{ tl, tr, bl, br, h, v string }

func borders(focus bool) border {
	if focus {
		return border{"┏", "┓", "┗", "┛", "━", "┃"}
	}
	return border{"┌", "┐", "└", "┘", "─", "│"}
}

// panels draws the page of panels that the focus is on.
func (p *pen) panels(rows int) []string {
	l := LayoutOf(p.Width, p.Height, len(p.Models))
	per := l.Columns * l.Rows
	first := p.focus() / per * per
	var out []string
	for r := range l.Rows {
		height := rows / l.Rows
		if r == l.Rows-1 {
			height = rows - len(out)
		}
		out = append(out, p.row(first+r*l.Columns, l.Columns, height)...)
	}
	return out
}

// row draws panels beside each other.
func (p *pen) row(first, columns, height int) []string {
	lines := make([]strings.Builder, height)
	left := p.Width
	for c := range columns {
		width := left / (columns - c)
		left -= width
		i := first + c
		if i >= len(p.Models) {
			break
		}
		for n, line := range p.panel(i, width, height) {
			lines[n].WriteString(line)
		}
	}
	out := make([]string, height)
	for n := range lines {
		out[n] = lines[n].String()
	}
	return out
}

// Shown is the trial of a model that its panel shows; nil: it has none.
func Shown(m *board.Model, pane Pane) *board.Lane {
	switch {
	case pane.Lane > 0 && pane.Lane <= len(m.Lanes):
		return &m.Lanes[pane.Lane-1]
	case m.Current >= 0:
		return &m.Lanes[m.Current]
	case len(m.Lanes) > 0:
		return &m.Lanes[0]
	}
	return nil
}

// panel draws one model: exactly height lines of exactly width columns.
func (p *pen) panel(i, width, height int) []string {
	m, pane := &p.Models[i], p.Panes[i]
	focus := i == p.focus()
	b := borders(focus)
	l := Shown(m, pane)
	inner := max(width-4, 1)
	var head []string
	if l != nil {
		head = p.headOf(l, inner, len(m.Lanes))
	}
	room := max(height-2-len(head), 0)
	var text []string
	below := 0
	if l != nil {
		text, below = p.State.transcript(inner).shown(l, pane, room)
	}
	edge := func(s string) string {
		if focus {
			return p.paint(screen.Bold, s)
		}
		return p.paint(screen.Dim, s)
	}
	out := make([]string, 0, height)
	out = append(out, p.top(i, width, b, edge))
	for _, line := range append(head, text...) {
		out = append(out, edge(b.v)+" "+line+" "+edge(b.v))
	}
	for len(out) < height-1 {
		out = append(out, edge(b.v)+strings.Repeat(" ", max(width-2, 0))+edge(b.v))
	}
	out = out[:max(height-1, 1)]
	return append(out, p.bottom(pane, below, width, b, edge))[:height]
}

// top is a panel's upper edge: the name, and how many of its trials fixed.
func (p *pen) top(i, width int, b border, edge func(string) string) string {
	right := p.fixed(&p.Models[i])
	name := text.Cut(p.name(i), max(width-6-text.Width(right), 4))
	fillers := width - 4 - text.Width(name) - 2
	if right != "" {
		fillers -= text.Width(right) + 2
	}
	if fillers < 0 {
		return edge(text.Fit(b.tl+b.h+" "+name, width-1) + b.tr)
	}
	line := edge(b.tl+b.h) + " " + p.paint(screen.Bold, name) + " " + edge(strings.Repeat(b.h, fillers))
	if right != "" {
		line += " " + right + " "
	}
	return line + edge(b.h+b.tr)
}

// fixed counts a model's trials, where it has several.
func (p *pen) fixed(m *board.Model) string {
	if len(m.Lanes) < 2 {
		return ""
	}
	pass, judged := 0, 0
	for _, l := range m.Lanes {
		if l.Outcome == nil || l.Outcome.Status == trial.Void {
			continue
		}
		judged++
		if l.Outcome.Status == trial.Pass {
			pass++
		}
	}
	return fmt.Sprintf("%d/%d fixed", pass, judged)
}

// bottom is a panel's lower edge: whether it follows.
func (p *pen) bottom(pane Pane, below, width int, b border, edge func(string) string) string {
	note := ""
	if pane.Held > 0 && below > 0 {
		note = " ↓ " + text.Count(below, "more line") + " "
	}
	if text.Width(note)+4 > width {
		note = ""
	}
	return edge(b.bl+b.h) + p.paint(screen.Yellow,
		note) + edge(strings.Repeat(b.h, max(width-3-text.Width(note), 0))+b.br)
}

// headOf is what is known of a trial, on two or three lines.
func (p *pen) headOf(l *board.Lane, width, trials int) []string {
	word, style := Status(l)
	facts := fmt.Sprintf(" · step %d · %s", l.Step, text.Clock(p.took(l)))
	if l.Input+l.Output > 0 {
		facts += " · " + Tokens(l.Input+l.Output) + " tok"
	}
	if !p.Blind {
		facts += " · " + Money(l)
	}
	word = text.Cut(word, width)
	out := []string{p.paint(style, word) + p.paint(screen.Dim, text.Fit(facts, width-text.Width(word)))}
	if trials > 1 {
		out = append(out, p.paint(screen.Dim, text.Fit(task(l), width)))
	}
	doing := ""
	switch {
	case l.State == board.Waiting && p.Blind: // for a provider, which is named
	case l.State != board.Done && l.Doing != "":
		doing = "▸ " + l.Doing
	case l.Outcome != nil && l.Outcome.Status == trial.Void && p.Blind:
	case l.Outcome != nil && !unjudged(l.Outcome):
		doing = l.Outcome.Detail
	}
	return append(out, p.paint(screen.Dim, text.Fit(doing, width)))
}

// task names a lane's task, and which go at it.
func task(l *board.Lane) string {
	n := text.Line(l.Task)
	if l.N > 1 {
		n += fmt.Sprintf(" #%d", l.N)
	}
	if l.Attempt > 1 {
		n += fmt.Sprintf(" (attempt %d)", l.Attempt)
	}
	return n
}

func (p *pen) took(l *board.Lane) time.Duration {
	switch {
	case l.Since.IsZero():
		return 0
	case l.State == board.Done, l.State == board.Broken:
		return l.Ended.Sub(l.Since)
	}
	return p.State.Now.Sub(l.Since)
}

// Status says in a word or two what a trial is at, or how it ended.
func Status(l *board.Lane) (string, screen.Style) {
	o := l.Outcome
	switch {
	case l.State != board.Done || o == nil:
		mark := map[board.State]string{board.Queued: "· ", board.Waiting: "⏸ ", board.Broken: "■ "}[l.State]
		if mark == "" {
			mark = "▸ "
		}
		return mark + string(l.State), screen.Yellow
	case o.Status == trial.Pass:
		return "✓ fixed", screen.Green
	case o.Status == trial.Fail:
		return "✗ " + string(o.Cause), screen.Red
	case o.Cause == trial.CauseCancelled:
		return "■ stopped", screen.Yellow
	case unjudged(o):
		return "● done", screen.Green
	}
	return "∅ void: " + string(o.Cause), screen.Yellow
}

// unjudged reports whether a trial has ended well and nothing judges it.
func unjudged(o *trial.Outcome) bool {
	return o.Status == trial.Void && o.Cause == trial.CauseVerifier && len(o.Verdicts) == 0
}

// Money writes what a trial cost so far: a dash when that is not known.
func Money(l *board.Lane) string {
	switch {
	case !l.Priced:
		return "$-"
	case l.CostUSD == 0:
		return "$0"
	case l.CostUSD < 0.01:
		return fmt.Sprintf("$%.4f", l.CostUSD)
	}
	return fmt.Sprintf("$%.2f", l.CostUSD)
}

// Tokens writes a number of tokens short.
func Tokens(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}
