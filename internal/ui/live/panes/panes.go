// Package panes is what keys do to the panels of a shoot-out: which one they
// act on, how it is scrolled, what is shown instead.
package panes

import (
	"time"

	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/live/draw"
)

// Panes looks at a board.
type Panes struct {
	State draw.State
	view  board.View
}

// New looks at nothing yet. color says whether frames have colours.
func New(color bool) *Panes {
	return &Panes{State: draw.State{Width: 80, Height: 24, Color: color, Panes: map[int]draw.Pane{}}}
}

// Look takes a newer view of the board.
func (p *Panes) Look(v board.View) {
	p.view = v
	p.State.Focus = max(0, min(p.State.Focus, len(v.Models)-1))
}

// View is what was last looked at.
func (p *Panes) View() board.View { return p.view }

// Focus is the lane that keys act on; nil: there is none.
func (p *Panes) Focus() *board.Lane {
	if p.State.Focus >= len(p.view.Models) {
		return nil
	}
	return draw.Shown(&p.view.Models[p.State.Focus], p.State.Panes[p.State.Focus])
}

// Frame draws what is looked at, as at now.
func (p *Panes) Frame(now time.Time) string {
	st := p.State
	st.Now = now
	return draw.Frame(p.view, st)
}

// Key carries out a key, and reports whether it means anything here.
func (p *Panes) Key(key string) bool {
	st := &p.State
	if st.Help {
		st.Help = false
		return true
	}
	switch key {
	case "tab", "right", "l":
		p.move(1)
	case "shift+tab", "left", "h":
		p.move(-1)
	case "n":
		p.move(p.perPage())
	case "p":
		p.move(-p.perPage())
	case "1", "2", "3", "4", "5", "6", "7", "8", "9":
		p.move(int(key[0]-'1') - st.Focus)
	case "enter":
		st.Full, st.Matrix = !st.Full || st.Matrix, false
	case "esc":
		if !st.Full && !st.Matrix {
			return false
		}
		st.Full, st.Matrix = false, false
	case "m":
		st.Matrix = !st.Matrix
	case "o":
		st.Expand = !st.Expand
	case "?":
		st.Help = true
	case "[":
		p.task(-1)
	case "]":
		p.task(1)
	default:
		return p.scroll(key)
	}
	return true
}

// move moves the focus, by one around the ends.
func (p *Panes) move(by int) {
	n := len(p.view.Models)
	if n == 0 {
		return
	}
	at := p.State.Focus + by
	if by == 1 || by == -1 {
		at = (at + n) % n
	}
	p.State.Focus = max(0, min(at, n-1))
}

func (p *Panes) layout() draw.Layout {
	return draw.LayoutOf(p.State.Width, p.State.Height, len(p.view.Models))
}

func (p *Panes) perPage() int { return max(p.layout().Columns*p.layout().Rows, 2) }

// task shows another trial of every model, in the matrix other tasks. Past
// the last trial each panel shows again the one that began last.
func (p *Panes) task(by int) {
	st := &p.State
	if st.Matrix {
		st.FirstTask = max(0, min(st.FirstTask+by, len(p.view.Tasks)-1))
		return
	}
	if len(p.view.Models) == 0 {
		return
	}
	at := st.Panes[st.Focus].Lane
	if at == 0 && by < 0 {
		at = len(p.view.Models[st.Focus].Lanes) + 1
	}
	at += by
	for i, m := range p.view.Models {
		n := at
		if n < 0 || n > len(m.Lanes) {
			n = 0
		}
		st.Panes[i] = draw.Pane{Lane: n}
	}
}

// scroll moves the text of the panel in focus; at its end it follows again.
func (p *Panes) scroll(key string) bool {
	l := p.Focus()
	if l == nil {
		return false
	}
	pane := p.State.Panes[p.State.Focus]
	rows := p.rows()
	switch key {
	case "up", "k":
		p.scrollBy(pane, l, 1)
	case "down", "j":
		p.scrollBy(pane, l, -1)
	case "pgup", "ctrl+u", "b":
		p.scrollBy(pane, l, rows)
	case "pgdown", "ctrl+d", "space":
		p.scrollBy(pane, l, -rows)
	case "home", "g":
		p.scrollBy(pane, l, 1<<20)
	case "end", "G":
		p.follow(pane)
	case "f":
		if pane.Held > 0 {
			p.follow(pane)
		} else {
			p.scrollBy(pane, l, 0)
		}
	default:
		return false
	}
	return true
}

func (p *Panes) follow(pane draw.Pane) { p.State.Panes[p.State.Focus] = draw.Pane{Lane: pane.Lane} }

// scrollBy moves a panel's text up; it ceases to follow until its end is
// reached again.
func (p *Panes) scrollBy(pane draw.Pane, l *board.Lane, up int) {
	if pane.Held == 0 {
		if up < 0 {
			return
		}
		pane.Held, pane.Up = len(l.Entries)+l.Dropped, 0
	}
	if pane.Up += up; pane.Up < 0 {
		p.follow(pane)
		return
	}
	pane.Up = min(pane.Up, max(draw.Height(l, pane.Held, p.width(), p.State)-p.rows(), 0))
	p.State.Panes[p.State.Focus] = pane
}

// width and rows are the size of the text of the panel in focus, about.
func (p *Panes) width() int {
	if p.State.Full {
		return p.State.Width
	}
	return p.State.Width / p.layout().Columns
}

func (p *Panes) rows() int {
	rows := p.State.Height - 2 - len(p.State.Below)
	if !p.State.Full {
		rows /= p.layout().Rows
	}
	rows -= 4 // its edges, and two lines of facts
	if p.State.Focus < len(p.view.Models) && len(p.view.Models[p.State.Focus].Lanes) > 1 {
		rows-- // the task
	}
	return max(rows, 1)
}
