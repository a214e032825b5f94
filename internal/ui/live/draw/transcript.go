package draw

import (
	"fmt"
	"strings"

	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// folded is how many lines of output are shown of one that is folded.
const folded = 3

// transcript draws what was said and done in a trial, in lines of exactly width columns.
type transcript struct {
	screen.Stream
	width  int
	expand bool // what is folded is shown whole
	blind  bool // notes that name a model are left out
}

func (st State) transcript(width int) transcript {
	return transcript{screen.Stream{Color: st.Color}, width, st.Expand, st.Blind}
}

// shown gives the lines of a trial that a panel shows, and how many lines there
// are below them.
func (t transcript) shown(l *board.Lane, pane Pane, rows int) (out []string, below int) {
	entries := l.Entries
	held := pane.Held > 0
	if held {
		entries = entries[:max(0, min(pane.Held-l.Dropped, len(entries)))]
		for _, e := range l.Entries[len(entries):] {
			below += len(t.entry(e))
		}
	}
	var up []string // from the end upwards
	want := rows
	if held {
		want += pane.Up
	} else {
		up = append(up, reversed(t.arriving(l))...)
	}
	for i := len(entries) - 1; i >= 0 && len(up) < want; i-- {
		up = append(up, reversed(t.entry(entries[i]))...)
	}
	if held {
		skip := min(pane.Up, max(len(up)-rows, 0))
		below += skip
		up = up[skip:]
	}
	return reversed(up[:min(rows, len(up))]), below
}

// Height is how many lines a trial's transcript takes in a panel that is
// width columns wide, up to as many entries as given.
func Height(l *board.Lane, entries, width int, st State) (n int) {
	t := st.transcript(max(width-4, 1))
	for _, e := range l.Entries[:max(0, min(entries-l.Dropped, len(l.Entries)))] {
		n += len(t.entry(e))
	}
	return n
}

func reversed(lines []string) []string {
	out := make([]string, len(lines))
	for i, s := range lines {
		out[len(lines)-1-i] = s
	}
	return out
}

// arriving draws the reply that streams in.
func (t transcript) arriving(l *board.Lane) (out []string) {
	for _, said := range l.Stream {
		out = append(out, t.marked(said)...)
	}
	return out
}

// look is how a kind of entry is drawn.
type look struct {
	first, rest string // before its first line, and the others
	style       screen.Style
	keep        int // lines when folded; 0: all
}

func lookOf(e board.Entry) look {
	switch e.Kind {
	case board.Asked:
		return look{"› ", "› ", screen.Dim, folded}
	case board.Call:
		if e.Head == "bash" {
			return look{"$ ", "  ", screen.Bold, folded}
		}
		return look{"» ", "  ", screen.Bold, folded}
	case board.Result:
		return look{"  │ ", "  │ ", screen.Dim, folded}
	case board.Failed:
		return look{"  ✗ ", "  ✗ ", screen.Red, folded}
	case board.Note:
		return look{"~ ", "  ", screen.Yellow, folded}
	case board.Verdict:
		if e.Status == trial.Held {
			return look{"✓ ", "  ", screen.Green, folded}
		}
		return look{"✗ ", "  ", screen.Red, folded}
	}
	return look{"", "", "", 0}
}

// entry draws one entry.
func (t transcript) entry(e board.Entry) []string {
	if e.Kind == board.Reply {
		return t.modelText(e)
	}
	k := lookOf(e)
	room := max(t.width-text.Width(k.first), 1)
	var rows []string
	for _, s := range t.content(e) {
		rows = append(rows, text.Wrap(s, room)...)
		if !t.expand && k.keep > 0 && len(rows) > k.keep+len(e.Lines) {
			break
		}
	}
	cut := e.More > 0
	if !t.expand && k.keep > 0 && len(rows) > k.keep+1 {
		rows = append(rows[:k.keep:k.keep], fmt.Sprintf("… %s", more(e, k.keep)))
	} else if cut {
		rows = append(rows, fmt.Sprintf("… %d bytes more", e.More))
	}
	out := make([]string, len(rows))
	for i, s := range rows {
		lead := k.first
		if i > 0 {
			lead = k.rest
		}
		words := text.Fit(lead+s, t.width)
		if k.style != "" {
			words = t.Paint(k.style, words)
		}
		out[i] = words
	}
	return out
}

// more says how much of a folded entry is not shown.
func more(e board.Entry, shown int) string {
	if n := len(e.Lines) - shown; n > 1 {
		return fmt.Sprintf("%d lines more", n)
	}
	return "more"
}

// content gives the lines of an entry as they are read.
func (t transcript) content(e board.Entry) []string {
	switch {
	case e.Kind == board.Note && t.blind:
		return []string{e.Head}
	case e.Kind == board.Call && e.Head != "bash":
		return prefixed(e.Head+" ", e.Lines)
	case e.Kind == board.Note:
		return prefixed(e.Head+": ", e.Lines)
	case e.Kind == board.Verdict:
		if strings.Join(e.Lines, "") == "" {
			return []string{e.Head}
		}
		return prefixed(e.Head+": ", e.Lines)
	}
	return e.Lines
}

func prefixed(head string, lines []string) []string {
	out := append([]string{}, lines...)
	if len(out) == 0 {
		return []string{head}
	}
	out[0] = head + out[0]
	return out
}
