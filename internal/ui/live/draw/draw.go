// Package draw makes the frames of a shoot-out: text of exactly as many lines
// and columns as the terminal has, from a board and what the user looks at.
// It is pure: the same board and state give the same frame.
package draw

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// State is what the user looks at.
type State struct {
	Width, Height int
	Now           time.Time // of a run that goes on
	Color         bool
	Title         string // at the left of the first line
	Focus         int    // the model that keys act on
	Full          bool   // it alone is shown
	Matrix        bool   // models by tasks, instead of panels
	Help          bool   // the keys
	Expand        bool   // long output is shown whole
	Panes         map[int]Pane
	FirstTask     int                          // of the matrix
	Name          func(i int, m string) string // what a model is called; nil: its name
	// hide what tells who a model is: costs, what its provider and the loop say
	Blind  bool
	Status string   // replaces the footer's keys, when set
	Keys   []Key    // of the footer; the first are the most useful
	Below  []string // lines under the panels, drawn already
}

// Pane is how one model's panel is scrolled.
type Pane struct {
	Lane int // which of its trials, from 1; 0: the one that began last
	Up   int // lines scrolled up from the end of what was there when Held was set
	Held int // entries, as many as there were when the panel ceased to follow; 0: it follows
}

// Key is a key and what it does.
type Key struct{ Key, Does string }

// Layout is how panels lie on a terminal.
type Layout struct{ Columns, Rows int }

// Sizes of a terminal below which there are no panels.
const (
	leastWidth  = 32
	leastHeight = 8
)

// narrowest is the least a panel is wide.
const narrowest = 38

// LayoutOf gives the panels that fit on a terminal beside each other, up to
// four, and above each other, up to two.
func LayoutOf(width, height, models int) Layout {
	l := Layout{Columns: max(1, min(width/narrowest, 4)), Rows: 1}
	if models > l.Columns && height >= 44 {
		l.Rows = 2
	}
	if models <= l.Columns*l.Rows {
		l.Columns = max(1, min(l.Columns, (models+l.Rows-1)/l.Rows))
	}
	return l
}

// pen draws one frame.
type pen struct {
	State
	board.View
	s screen.Stream
}

func (p *pen) paint(st screen.Style, text string) string { return p.s.Paint(st, text) }

// Frame draws a frame of Height lines, none wider than Width.
func Frame(v board.View, st State) string {
	p := &pen{st, v, screen.Stream{Color: st.Color}}
	if v.End != nil || p.State.Now.IsZero() {
		p.State.Now = v.Last
	}
	if st.Width < leastWidth || st.Height < leastHeight+len(st.Below) {
		return p.tiny()
	}
	body := max(st.Height-2-len(st.Below), 1)
	var out []string
	out = append(out, p.header())
	switch {
	case st.Help:
		out = append(out, p.help(body)...)
	case len(v.Models) == 0:
		out = append(out, p.blank(body, "waiting for the run to begin")...)
	case st.Matrix:
		out = append(out, p.matrix(body)...)
	case st.Full:
		out = append(out, p.panel(p.focus(), st.Width, body)...)
	default:
		out = append(out, p.panels(body)...)
	}
	out = append(out, st.Below...)
	return strings.Join(append(out, p.footer()), "\n")
}

// tiny is all that can be said on a terminal that is too small for panels: a
// line for each model.
func (p *pen) tiny() string {
	out := make([]string, max(p.Height, 1))
	for i := range p.Models {
		if i >= len(out) {
			break
		}
		word := ""
		if l := Shown(&p.Models[i], p.Panes[i]); l != nil {
			word, _ = Status(l)
		}
		out[i] = text.Cut(word+" "+p.name(i), p.Width)
	}
	return strings.Join(out, "\n")
}

func (p *pen) focus() int { return max(0, min(p.Focus, len(p.Models)-1)) }

func (p *pen) name(i int) string {
	if p.Name != nil {
		return p.Name(i, p.Models[i].Name)
	}
	return p.Models[i].Name
}

func (p *pen) blank(n int, words string) []string {
	out := make([]string, n)
	out[0] = " " + p.paint(screen.Dim, text.Cut(words, p.Width-1))
	return out
}

// header is the first line: what is shown, how far it is, and the page.
func (p *pen) header() string {
	right := ""
	if pages, page := p.pages(); pages > 1 && !p.Full && !p.Matrix && !p.Help {
		right = fmt.Sprintf("page %d/%d ", page+1, pages)
	}
	left := " " + p.Title
	if p.Title == "" {
		left = " cookoff · " + orDash(p.Run.Recipe)
	}
	if p.Fault != nil {
		left = " ! a fault of cookoff: what is shown may be wrong" + left
	}
	left = text.Line(left)
	if t := p.tally(); t != "" {
		left += " · " + t
	}
	room := p.Width - text.Width(right)
	if right != "" {
		left = text.Cut(left, max(room-1, 0)) // apart from it
	}
	return p.paint(screen.Bold, text.Fit(left, room)) + p.paint(screen.Dim, right)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// tally says how many trials have ended and how.
func (p *pen) tally() string {
	var total, done, running int
	for _, m := range p.Models {
		for _, l := range m.Lanes {
			total++
			switch l.State {
			case board.Done:
				done++
			case board.Queued:
			default:
				running++
			}
		}
	}
	if total == 0 {
		return ""
	}
	words := fmt.Sprintf("%d/%d trials", done, total)
	switch {
	case p.End != nil && p.End.Interrupted:
		words += " · interrupted"
	case p.End != nil && p.End.Error != "":
		words += " · broken off"
	case p.End != nil:
		words += " · finished"
	case running > 0:
		words += fmt.Sprintf(" · %d running", running)
	}
	return words + " · " + text.Clock(p.State.Now.Sub(p.Began))
}

// pages gives how many pages of panels there are, and which one is shown.
func (p *pen) pages() (n, page int) {
	l := LayoutOf(p.Width, p.Height, len(p.Models))
	per := l.Columns * l.Rows
	return (len(p.Models) + per - 1) / per, p.focus() / per
}

// footer is the last line: the keys, as many as fit.
func (p *pen) footer() string {
	if p.Status != "" {
		return p.paint(screen.Yellow, text.Fit(" "+text.Line(p.Status), p.Width))
	}
	return Keys(p.s, p.Keys, p.Width)
}

// helpKey is the key that lists all others.
const helpKey = "?"

// Keys writes keys and what they do on one line: as many as fit, and the one that
// lists them all before others.
func Keys(s screen.Stream, keys []Key, width int) string {
	n := fitting(keys, width-1)
	at := slices.IndexFunc(keys, func(k Key) bool { return k.Key == helpKey })
	shown := keys[:n]
	if at >= n {
		room := width - 1 - keyWidth(keys[at]) - keyGap
		shown = append(slices.Clone(keys[:fitting(keys[:at], room)]), keys[at])
	}
	if fitting(shown, width-1) < len(shown) {
		shown = keys[:n] // not even that one fits
	}
	var b strings.Builder
	used := 1
	b.WriteString(" ")
	for i, k := range shown {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", keyGap))
			used += keyGap
		}
		b.WriteString(s.Paint(screen.Bold, k.Key) + " " + s.Paint(screen.Dim, k.Does))
		used += keyWidth(k)
	}
	return b.String() + strings.Repeat(" ", max(width-used, 0))
}

// keyGap is the room between two keys of a footer.
const keyGap = 2

func keyWidth(k Key) int { return text.Width(k.Key) + 1 + text.Width(k.Does) }

// fitting is how many of the first keys have room in a width.
func fitting(keys []Key, width int) int {
	for i, k := range keys {
		if width -= keyWidth(k); width < 0 {
			return i
		}
		width -= keyGap
	}
	return len(keys)
}

// help lists the keys.
func (p *pen) help(rows int) []string {
	out := []string{"", " " + p.paint(screen.Bold, "Keys"), ""}
	for _, k := range p.Keys {
		out = append(out, "   "+p.paint(screen.Bold, text.Fit(k.Key, 16))+text.Cut(k.Does, p.Width-20))
	}
	return fill(out, rows)
}

func fill(lines []string, rows int) []string {
	for len(lines) < rows {
		lines = append(lines, "")
	}
	return lines[:rows]
}
