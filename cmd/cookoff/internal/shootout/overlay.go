package shootout

import (
	"fmt"
	"strings"

	"cookoff/cmd/cookoff/internal/screen"
	"cookoff/cmd/cookoff/internal/shootout/draw"
)

// overlay is a page over the panels: lines that can be scrolled.
type overlay struct {
	title string
	lines func(s screen.Stream, width int) []string
	top   int
	marks func(width int) []int // where files begin; nil: nowhere
	other func(by int)          // tab: another to compare with; nil: none
	keys  []draw.Key

	drawn  []string // at width
	width  int
	height int
}

// message is a page of plain text.
func message(title, text string) *overlay {
	return &overlay{title: title, lines: func(s screen.Stream, width int) []string {
		var out []string
		for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			line = screen.Clean(strings.ReplaceAll(line, "\t", "    "))
			for _, w := range draw.Wrap(line, max(width-2, 1)) {
				out = append(out, "  "+w)
			}
		}
		return out
	}}
}

// painted is a page of lines that are harmless and fit already.
func painted(title string, lines func(s screen.Stream, width int) []string) *overlay {
	return &overlay{title: title, lines: lines}
}

// page shows a page that no key has just asked for. While keys go to another
// page, to a question or to a line that is typed it waits: it would take them.
func (a *App) page(o *overlay) {
	a.held = append(a.held, o)
	a.nextPage()
}

// nextPage shows the page that waits, as soon as nothing else takes keys.
func (a *App) nextPage() {
	if len(a.held) > 0 && a.over == nil && a.question == nil && !a.writing() {
		a.over, a.held = a.held[0], a.held[1:]
	}
}

// writing reports whether a line was begun.
func (a *App) writing() bool { return a.typing && !a.prompt.Empty() }

// draw gives the page in exactly as many lines.
func (o *overlay) draw(s screen.Stream, width, height int) []string {
	if o.drawn == nil || o.width != width {
		o.drawn, o.width = o.lines(s, width), width
	}
	o.height = height - 2
	o.top = max(0, min(o.top, len(o.drawn)-o.height))
	out := []string{s.Paint(screen.Bold, screen.Fit(" "+o.title, width))}
	for i := o.top; i < len(o.drawn) && i < o.top+o.height; i++ {
		out = append(out, o.drawn[i])
	}
	for len(out) < height-1 {
		out = append(out, "")
	}
	keys := []draw.Key{{Key: "esc", Does: "back"}, {Key: "↑↓", Does: "scroll"}}
	if o.marks != nil {
		keys = append(keys, draw.Key{Key: "n p", Does: "next, previous file"})
	}
	if o.other != nil {
		keys = append(keys, draw.Key{Key: "tab", Does: "another model"})
	}
	keys = append(keys, o.keys...)
	place := ""
	if len(o.drawn) > o.height {
		place = fmt.Sprintf("%d-%d of %d ", o.top+1, min(o.top+o.height, len(o.drawn)), len(o.drawn))
	}
	return append(out[:height-1], draw.Keys(s, keys, max(width-len(place), 0))+s.Paint(screen.Dim, screen.Cut(place, width)))
}

// key scrolls the page; done is true where it is to be left.
func (o *overlay) key(key string) (done bool) {
	switch key {
	case "esc", "q", "enter", "ctrl+c":
		return true
	case "up", "k":
		o.top--
	case "down", "j":
		o.top++
	case "pgup", "b":
		o.top -= o.height
	case "pgdown", "space":
		o.top += o.height
	case "home", "g":
		o.top = 0
	case "end", "G":
		o.top = len(o.drawn)
	case "n", "p":
		o.file(key)
	case "tab", "shift+tab":
		if o.other != nil {
			o.other(map[string]int{"tab": 1, "shift+tab": -1}[key])
			o.drawn = nil
		}
	}
	return false
}

// file goes to the next file of a diff, or the one before.
func (o *overlay) file(key string) {
	if o.marks == nil {
		return
	}
	marks := o.marks(o.width)
	if key == "n" {
		for _, m := range marks {
			if m > o.top {
				o.top = m
				return
			}
		}
		return
	}
	for i := len(marks) - 1; i >= 0; i-- {
		if marks[i] < o.top {
			o.top = marks[i]
			return
		}
	}
}

// question waits for an answer: a key, or a line of text.
type question struct {
	text  string
	keys  []draw.Key
	on    func(key string) bool // carries a key out; true: it was an answer
	line  *string               // of an answer that is typed; nil: keys answer
	enter func(line string)
	page  *overlay // shown with it, instead of the panels; nil: none
}

func (q *question) paste(text string) {
	if q.line != nil {
		*q.line += screen.Clean(text)
	}
}

// maxAsked is how many lines a question takes at most.
const maxAsked = 5

// draw gives the question, and on a last line what answers it.
func (q *question) draw(s screen.Stream, width int) (out []string) {
	for i, line := range draw.Wrap(screen.Clean(q.text), max(width-2, 1)) {
		if i == maxAsked {
			out[i-1] = s.Paint(screen.Yellow, " …")
			break
		}
		out = append(out, s.Paint(screen.Yellow, screen.Fit(" "+line, width)))
	}
	if q.line != nil {
		text := *q.line
		for screen.Width(text) > width-4 && text != "" {
			text = text[len(string([]rune(text)[0])):]
		}
		return append(out, screen.Fit(" › "+text+"▏", width))
	}
	return append(out, draw.Keys(s, q.keys, width))
}
