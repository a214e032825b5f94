package shootout

import (
	"fmt"
	"strings"

	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// modelList is the page where models are switched on and off.
type modelList struct {
	s      *session.Session
	names  []string // of all
	at     int      // among those shown
	filter string   // only names that hold it are shown
}

// ask gives the question that shows the page.
func (l *modelList) ask() *question {
	o := painted("models: space switches one on or off, / finds some", nil)
	o.lines = l.lines
	q := &question{text: "↑↓ chooses, space switches, / finds, enter is done", filter: &l.filter, page: o,
		keys: []draw.Key{{Key: "space", Does: "on/off"}, {Key: "/", Does: "find"}, {Key: "enter", Does: "done"}}}
	q.on = func(key string) bool {
		done, err := l.key(key)
		if err != nil {
			q.text = err.Error()
		}
		return done
	}
	return q
}

// shown are the names that hold what is looked for.
func (l *modelList) shown() (names []string) {
	for _, n := range l.names {
		if strings.Contains(strings.ToLower(n), strings.ToLower(l.filter)) {
			names = append(names, n)
		}
	}
	l.at = max(0, min(l.at, len(names)-1))
	return names
}

// takesPart says whether a model takes part.
func (l *modelList) takesPart(name string) bool {
	names, on := l.s.Models()
	for i, n := range names {
		if n == name {
			return on[i]
		}
	}
	return false
}

// key carries a key out; done is true where the page is to be left.
func (l *modelList) key(key string) (done bool, err error) {
	names := l.shown()
	switch {
	case key == "esc" && l.filter != "":
		l.filter = ""
	case key == "enter" || key == "esc" || key == "q":
		return true, nil
	case len(names) == 0:
	case key == "up" || key == "k":
		l.at = (l.at + len(names) - 1) % len(names)
	case key == "down" || key == "j":
		l.at = (l.at + 1) % len(names)
	case key == "space":
		return false, l.s.Switch(names[l.at], !l.takesPart(names[l.at]))
	}
	return false, nil
}

func (l *modelList) lines(s screen.Stream, width int) []string {
	var out []string
	for i, n := range l.shown() {
		lead, mark := "   ", "○ off "
		if i == l.at {
			lead = " ▶ "
		}
		if l.takesPart(n) {
			mark = "● on  "
		}
		line := lead + mark + text.Line(n)
		if turns, tokens := l.s.ConversationSize(n); turns > 0 {
			line += fmt.Sprintf("   conversation: %s, about %s tokens", text.Count(turns, "reply"), draw.Tokens(tokens))
		}
		out = append(out, text.Cut(strings.ReplaceAll(line, "replys", "replies"), width))
	}
	if len(out) == 0 {
		return []string{text.Cut("   no name of a model holds "+text.Line(l.filter), width)}
	}
	return out
}
