package shootout

import (
	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// question waits for an answer: a key, or a line of text.
type question struct {
	text   string
	keys   []draw.Key
	on     func(key string) bool // carries a key out; true: it was an answer
	line   *string               // of an answer that is typed; nil: keys answer
	enter  func(line string)
	page   *overlay // shown with it, instead of the panels; nil: none
	slash  *string  // what is typed behind a slash, which no key of it answers
	filter *string  // of a list, typed behind a slash; nil: it has none
	finds  bool     // the filter is being typed
}

// help is the page that says what each key of the question does.
func (q *question) help() *overlay { return keysPage("answers", q.keys) }

func (q *question) paste(words string) {
	switch {
	case q.finds:
		*q.filter += text.Line(words)
	case q.line != nil:
		*q.line += text.Line(words)
	}
}

// find takes a key while the filter of a list is typed. Keys that move in the list
// and switch what stands there do so all the time: no name holds a blank.
func (q *question) find(name, words string) {
	switch name {
	case "enter":
		q.finds = false
	case "esc", "ctrl+c":
		q.finds, *q.filter = false, ""
	case "up", "down", "space":
		q.on(name)
	default:
		*q.filter = edit(*q.filter, name, words)
	}
	if q.page != nil {
		q.page.top, q.page.drawn = 0, nil
	}
}

// maxAsked is how many lines a question takes at most.
const maxAsked = 5

// draw gives the question, and on a last line what answers it.
func (q *question) draw(s screen.Stream, width int) (out []string) {
	for i, line := range text.Wrap(text.Line(q.text), max(width-2, 1)) {
		if i == maxAsked {
			out[i-1] = s.Paint(screen.Yellow, " …")
			break
		}
		out = append(out, s.Paint(screen.Yellow, text.Fit(" "+line, width)))
	}
	if q.slash != nil {
		return append(out,
			text.Fit(" › "+text.Line(*q.slash)+"▏ a question is open: answer it before you type a command", width))
	}
	if q.finds {
		return append(out, text.Fit(" /"+text.Line(*q.filter)+"▏ enter keeps these, esc shows all", width))
	}
	if q.line != nil {
		words := *q.line
		for text.Width(words) > width-4 && words != "" {
			words = words[len(string([]rune(words)[0])):]
		}
		return append(out, text.Fit(" › "+words+"▏", width))
	}
	return append(out, draw.Keys(s, q.keys, width))
}
