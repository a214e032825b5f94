package shootout

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/internal/ui/tty"
)

// View draws the screen.
func (a *App) View() tea.View {
	frame, cursor := a.frame()
	a.gate.drew(a.taker(), a.now())
	v := tty.Screen(frame)
	v.Cursor = cursor
	return v
}

// frame draws the whole screen as it is now: a page or a question over everything else, or
// the panes of the contestants. It gives the lines, and where the cursor stands (nil:
// hidden).
func (a *App) frame() (string, *tea.Cursor) {
	st := &a.panes.State
	s := a.out
	if a.over != nil && st.Height > 3 {
		a.over.status = ""
		if a.slowly != nil {
			a.over.status = a.slowLine()
		}
		return strings.Join(a.over.draw(s, st.Width, st.Height), "\n"), nil
	}
	if q := a.question; q != nil && q.page != nil && st.Height > 5 {
		q.page.drawn = nil
		asked := q.draw(s, st.Width)
		page := q.page.draw(s, st.Width, max(st.Height-len(asked)+1, 3))
		return strings.Join(append(page[:len(page)-1], asked...), "\n"), nil
	}
	var cursor *tea.Cursor
	st.Below, st.Status, st.Keys, st.Name, st.Blind = nil, a.status, a.lookKeys(), nil, a.hidden()
	if a.hidden() {
		st.Name = func(i int, _ string) string { return hiddenName(i) }
	}
	if st.Status == "" && len(a.held) > 0 {
		st.Status = "esc shows: " + a.held[0].title
	}
	st.Title = a.title()
	ask := a.s.Asking()
	switch {
	case a.slowly != nil:
		st.Status, st.Keys = "", a.slowKeys()
		for _, line := range text.Wrap(text.Line(a.slowLine()), max(st.Width-2, 1)) {
			st.Below = append(st.Below, s.Paint(screen.Yellow, text.Fit(" "+line, st.Width)))
		}
	case a.question != nil:
		st.Below, st.Keys = a.question.draw(s, st.Width), nil // its own keys stand there
	case ask != nil && !a.typing:
		st.Below = a.askLines(ask)
	case a.typing:
		lines, x, y := a.prompt.Lines(st.Width)
		rule := s.Paint(screen.Dim, strings.Repeat("─", st.Width))
		st.Below = append([]string{rule}, lines...)
		st.Keys = a.promptKeys()
		if ask != nil && st.Status == "" {
			st.Status = a.name(ask.Trial.Model) + " asks for a permission: esc, then y, a or n"
		}
		cursor = tea.NewCursor(x, st.Height-1-len(lines)+y)
	case a.summaryRow() != "":
		st.Below = []string{s.Paint(screen.Bold, text.Fit(" "+a.summaryRow(), st.Width))}
	}
	if len(a.panes.View().Models) == 0 {
		return a.welcome(), cursor
	}
	return a.panes.Frame(a.now()), cursor
}

func (a *App) promptKeys() []draw.Key {
	keys := []draw.Key{{Key: "enter", Does: "go"}, {Key: "alt+enter", Does: "new line"}, {Key: "↑", Does: "history"},
		{Key: "^r", Does: "search"}, {Key: "@", Does: "file"}, {Key: "/", Does: "commands"}, {Key: "?", Does: "keys"}}
	if _, any := a.s.Turn(); any {
		keys = append([]draw.Key{{Key: "esc", Does: "panels"}}, keys...)
	}
	return keys
}

// title is the left of the first line: the recipe and how far the session is.
func (a *App) title() string {
	title := "cookoff"
	if r := a.s.Recipe(); r.Name != "" {
		title += " · " + r.Name
	}
	if t, ok := a.s.Turn(); ok {
		title += fmt.Sprintf(" · task %d", t.N)
		if t.Blind && t.Choice == "" {
			title += " · names hidden"
		}
		if t.Rewound {
			title += " · taken back"
		}
	}
	return title
}

// summaryRow says what to do about a turn that has ended.
func (a *App) summaryRow() string {
	t, ok := a.s.Turn()
	switch {
	case !ok || a.s.Running():
		return ""
	case t.Choice == session.Winner:
		row := "★ " + t.Winner + " won"
		if t.Undo != "" {
			row += ", its change is applied (/rewind takes it back)"
		}
		return row
	case t.Choice == session.Tie:
		return "a tie"
	case t.Choice == session.AllBad:
		return "all bad"
	}
	return "All done. Which is best? Look at the diffs (d), then w: " + a.name(a.focused()) + " wins"
}

// askLines shows what a trial asks.
func (a *App) askLines(ask *session.Ask) []string {
	w := a.panes.State.Width
	head := fmt.Sprintf(" %s %s:", a.name(ask.Trial.Model), text.Line(ask.Wants()))
	own, offered := answers(ask)
	lines := []string{
		a.out.Paint(screen.Yellow, text.Fit(head, w)),
		text.Fit("   "+text.Line(ask.Command), w),
		draw.Keys(a.out, own, w),
	}
	for _, k := range offered { // each has its row: what it says is the agent's, of any length
		k.Does = text.Cut(k.Does, max(w-6, 1))
		lines = append(lines, draw.Keys(a.out, []draw.Key{k}, w))
	}
	return lines
}

// indented wraps a text to lines of a screen so wide, two columns in.
func indented(s string, width int) []string {
	lines := text.Wrap(s, max(min(width, 80)-2, 1))
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// welcome is the screen before the first task.
func (a *App) welcome() string {
	st := a.panes.State
	s := a.out
	names, on := a.s.Models()
	lines := []string{
		s.Paint(screen.Bold, text.Fit(" "+text.Line(st.Title), st.Width)), "",
	}
	lines = append(lines, indented("Type a task. Every model works on it in a sandbox of its own, over a copy of this "+
		"directory. You look, pick a winner, and its change is applied.", st.Width)...)
	lines = append(lines, "",
		"  "+s.Paint(screen.Bold, "recipe")+"  "+text.Cut(text.Line(cmp.Or(a.s.Recipe().Source(), "of this session")),
			max(st.Width-10, 1)))
	for i, n := range names {
		mark, lead := "●", "          "
		if i == 0 {
			lead = "  " + s.Paint(screen.Bold, "models") + "  "
		}
		if !on[i] {
			mark = "○"
		}
		lines = append(lines, lead+mark+" "+text.Cut(text.Line(n), max(st.Width-14, 1)))
	}
	lines = append(lines, "")
	for _, l := range indented("/models switches them on and off, /help lists all commands", st.Width) {
		lines = append(lines, s.Paint(screen.Dim, l))
	}
	room := st.Height - 1 - len(st.Below)
	for len(lines) < room {
		lines = append(lines, "")
	}
	lines = lines[:max(room, 0)]
	for i := range lines {
		if text.Width(lines[i]) > st.Width && !strings.Contains(lines[i], "\x1b") {
			lines[i] = text.Cut(lines[i], st.Width)
		}
	}
	foot := draw.Keys(s, st.Keys, st.Width)
	if st.Status != "" {
		foot = s.Paint(screen.Yellow, text.Fit(" "+text.Line(st.Status), st.Width))
	}
	return strings.Join(append(append(lines, st.Below...), foot), "\n")
}
