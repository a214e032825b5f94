package shootout

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// overlay is a page over the panels: lines that can be scrolled, searched and,
// where they are wider than the screen, moved sideways or wrapped.
type overlay struct {
	title  string
	lines  func(s screen.Stream, width int) []string
	top    int
	marks  []int        // lines where files begin; nil: nowhere
	full   int          // columns that its widest line would take; 0: its lines fit any width
	other  func(by int) // tab: another to compare with; nil: none
	keys   []draw.Key
	status string   // a line in the place of the keys; "": none
	back   *overlay // what lies under it

	find      *string // what is being typed behind a slash; nil: nothing
	filter    string  // only lines that hold it are shown
	wrap      bool
	shift     int // columns that are out of sight on the left
	wantsHelp bool

	drawn  []string // at width
	at     []int    // where each of its lines begins in drawn
	width  int
	height int
}

// message is a page of plain text.
func message(title, words string) *overlay {
	return &overlay{title: title, lines: func(s screen.Stream, width int) []string {
		var out []string
		for line := range strings.SplitSeq(strings.TrimRight(words, "\n"), "\n") {
			line = text.Line(strings.ReplaceAll(line, "\t", "    "))
			for _, w := range text.Wrap(line, max(width-2, 1)) {
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

// draw gives the page in exactly as many lines.
func (o *overlay) draw(s screen.Stream, width, height int) []string {
	if o.drawn == nil || o.width != width {
		o.layout(s, width)
	}
	o.height = height - 2
	o.top = max(0, min(o.top, len(o.drawn)-o.height))
	title := o.title
	if o.filter != "" {
		title += " · lines with " + o.filter
	}
	out := []string{s.Paint(screen.Bold, text.Fit(" "+title, width))}
	for i := o.top; i < len(o.drawn) && i < o.top+o.height; i++ {
		out = append(out, o.drawn[i])
	}
	for len(out) < height-1 {
		out = append(out, "")
	}
	return append(out[:height-1], o.foot(s, width))
}

// foot is the last line: what is typed, what is done, or the keys and the place.
func (o *overlay) foot(s screen.Stream, width int) string {
	switch {
	case o.find != nil:
		return text.Fit(" /"+text.Line(*o.find)+"▏ enter shows the lines that hold it, esc all", width)
	case o.status != "":
		return s.Paint(screen.Yellow, text.Fit(" "+text.Line(o.status), width))
	}
	place := ""
	if len(o.drawn) > o.height {
		place = fmt.Sprintf("%d-%d of %d ", o.top+1, min(o.top+o.height, len(o.drawn)), len(o.drawn))
	}
	return draw.Keys(s, o.allKeys(), max(width-len(place), 0)) + s.Paint(screen.Dim, text.Cut(place, width))
}

func (o *overlay) allKeys() []draw.Key {
	keys := []draw.Key{{Key: "esc", Does: "back"}, {Key: "↑↓", Does: "scroll"}, {Key: "/", Does: "find"},
		{Key: "?", Does: "keys"}}
	if o.marks != nil {
		keys = append(keys, draw.Key{Key: "n p", Does: "next, previous file"})
	}
	if o.other != nil {
		keys = append(keys, draw.Key{Key: "tab", Does: "another model"})
	}
	if o.full > 0 {
		keys = append(keys, draw.Key{Key: "←→", Does: "sideways"}, draw.Key{Key: "w", Does: "wrap"})
	}
	return append(keys, o.keys...)
}

// layout works out the lines that are shown, and where each of the page begins.
func (o *overlay) layout(s screen.Stream, width int) {
	wide := width
	if o.wrap || o.shift > 0 {
		wide = max(width, o.full)
	}
	o.drawn, o.at, o.width = nil, nil, width
	for _, l := range o.lines(s, wide) {
		o.at = append(o.at, len(o.drawn))
		switch {
		case o.filter != "" && !strings.Contains(strings.ToLower(ansi.Strip(l)), strings.ToLower(o.filter)):
		case o.wrap:
			o.drawn = append(o.drawn, wrapped(l, width)...)
		case o.shift > 0:
			o.drawn = append(o.drawn, ansi.Cut(l, o.shift, o.shift+width))
		default:
			o.drawn = append(o.drawn, l)
		}
	}
}

// wrapped breaks a painted line; of what is blank only the first piece is kept.
func wrapped(line string, width int) []string {
	pieces := strings.Split(ansi.Hardwrap(line, width, true), "\n")
	for len(pieces) > 1 && strings.TrimSpace(ansi.Strip(pieces[len(pieces)-1])) == "" {
		pieces = pieces[:len(pieces)-1]
	}
	return pieces
}

// key scrolls the page; done is true where it is to be left. Over a prompt no
// letter leaves it: the letters that follow would be typed there.
func (o *overlay) key(key, text string, overPrompt bool) (done bool) {
	if o.find != nil {
		o.finds(key, text)
		return false
	}
	switch key {
	case "esc", "enter", "ctrl+c":
		if o.filter == "" {
			return true
		}
		o.filter, o.drawn = "", nil
	case "q":
		return !overPrompt
	case "/":
		o.find = new(o.filter)
	case "?":
		o.wantsHelp = true
	case "n", "p":
		o.file(key)
	case "tab", "shift+tab":
		if o.other != nil {
			o.other(map[string]int{"tab": 1, "shift+tab": -1}[key])
		}
	case "w":
		o.wrap, o.shift, o.drawn = o.full > 0 && !o.wrap, 0, nil
	case "left", "h", "right", "l":
		o.sideways(key)
	default:
		o.scroll(key)
	}
	return false
}

func (o *overlay) scroll(key string) {
	switch key {
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
	}
}

// sideways moves lines that are wider than the screen.
func (o *overlay) sideways(key string) {
	by := max(o.width/2, 1)
	if key == "left" || key == "h" {
		by = -by
	}
	if o.full > o.width {
		o.shift, o.wrap, o.drawn = max(0, min(o.shift+by, o.full-o.width)), false, nil
	}
}

// finds takes a key while what is looked for is typed.
func (o *overlay) finds(key, text string) {
	switch key {
	case "enter":
		o.filter, o.find = *o.find, nil
	case "esc", "ctrl+c":
		o.filter, o.find = "", nil
	default:
		*o.find = edit(*o.find, key, text)
		o.filter = *o.find
	}
	o.top, o.drawn = 0, nil
}

func (o *overlay) paste(words string) {
	if o.find != nil {
		o.finds("", text.Line(words))
	}
}

// file goes to the next file of a diff, or the one before.
func (o *overlay) file(key string) {
	was := o.top
	for _, m := range o.marks {
		if m >= len(o.at) {
			return
		}
		switch at := o.at[m]; {
		case key == "n" && at > was:
			o.top = at
			return
		case key == "p" && at < was:
			o.top = at
		}
	}
}
