// Package prompt is where a task is typed: several lines, with what was typed
// before, completion of commands and files, and room for large pastes.
package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"cookoff/internal/pattern"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// Sizes of the prompt: lines shown, of completions; a paste above these lines
// or bytes is shown as one word.
const (
	maxRows    = 8
	maxChoices = 6
	pasteLines = 12
	pasteBytes = 2000
)

// Options say what a prompt offers.
type Options struct {
	History  *History
	Commands []Command
	Args     func(command string) []Choice // what may follow a command; nil: nothing is offered
	Project  string                        // directory whose files are offered
	Color    bool
}

// Prompt is the text being typed.
type Prompt struct {
	o      Options
	area   textarea.Model
	pastes []string
	listed bool
	list   []string

	at      int // in the history; its length: what is typed anew
	draft   string
	search  *string // what is searched for, while it is
	found   int
	choices []Choice
	typed   int
	chosen  int
	shut    bool // the choices were waved away
}

// New gives an empty prompt.
func New(o Options) *Prompt {
	area := textarea.New()
	area.Prompt, area.ShowLineNumbers, area.CharLimit, area.EndOfBufferCharacter = "", false, 0, ' '
	area.Placeholder = "a task for every model, /help, or @file"
	area.DynamicHeight, area.MinHeight, area.MaxHeight, area.MaxContentHeight = true, 1, maxRows, 100_000
	area.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("alt+enter", "shift+enter", "ctrl+j"))
	area.KeyMap.Paste = key.NewBinding() // terminals paste by themselves
	st := textarea.DefaultStyles(true)
	plain := lipgloss.NewStyle()
	for _, s := range []*textarea.StyleState{&st.Focused, &st.Blurred} {
		*s = textarea.StyleState{Base: plain, Text: plain, LineNumber: plain, CursorLineNumber: plain,
			CursorLine:  plain,
			EndOfBuffer: plain, Placeholder: plain.Faint(o.Color), Prompt: plain, Selection: plain.Reverse(o.Color)}
	}
	area.SetStyles(st)
	area.SetVirtualCursor(false)
	area.Focus() // its command blinks the virtual cursor, which there is none of
	if o.History == nil {
		o.History = &History{}
	}
	return &Prompt{o: o, area: area, at: len(o.History.entries)}
}

// SetWidth says how many columns there are.
func (p *Prompt) SetWidth(w int) { p.area.SetWidth(max(w-2, 4)) }

// Empty reports whether nothing is typed.
func (p *Prompt) Empty() bool { return p.area.Value() == "" }

// Set replaces what is typed.
func (p *Prompt) Set(text string) {
	p.area.SetValue(text)
	p.area.MoveToEnd()
	p.refresh()
}

// Paste takes in pasted text; a large one is shown as a word.
func (p *Prompt) Paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if n := strings.Count(text, "\n") + 1; n > pasteLines || len(text) > pasteBytes ||
		strings.ContainsFunc(text, unseen) {
		p.pastes = append(p.pastes, text)
		text = fmt.Sprintf("[paste %d: %d lines]", len(p.pastes), n)
	}
	p.area.InsertString(text)
	p.refresh()
}

// unseen reports whether a character can't be seen and may reorder or steer
// what is: text that has one is shown as a word, and kept as it is.
func unseen(r rune) bool {
	return text.Hidden(r) && r != '\n' && r != '\t' || unicode.Is(unicode.M, r)
}

var pasted = pattern.New(`\[paste (\d+): \d+ lines\]`)

// text is what was typed, pastes and all; a mention of a file of the project is
// its path.
func (p *Prompt) text() string {
	out := pasted.ReplaceAllStringFunc(p.area.Value(), func(word string) string {
		var n int
		if _, err := fmt.Sscanf(word, "[paste %d:", &n); err == nil && n >= 1 && n <= len(p.pastes) {
			return p.pastes[n-1]
		}
		return word
	})
	return strings.TrimSpace(Mentions(out, p.o.Project))
}

var mention = pattern.New(`(^|\s)@(\S+)`)

// Mentions writes the paths of files that are mentioned with an @, where they
// are files of the project; models see them under that path.
func Mentions(text, project string) string {
	return mention.ReplaceAllStringFunc(text, func(m string) string {
		lead, path, _ := strings.Cut(m, "@")
		bare := strings.TrimRight(path, ".,;:!?)")
		if !filepath.IsLocal(bare) {
			return m
		}
		if _, err := os.Lstat(filepath.Join(project, bare)); project == "" || err != nil {
			return m
		}
		return lead + path
	})
}

// Update takes a message in. done is true where the text is to be carried out;
// the prompt is empty then.
func (p *Prompt) Update(msg tea.Msg) (text string, done bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		p.Paste(msg.Content)
		return "", false
	case tea.KeyPressMsg:
		return p.key(msg)
	}
	p.area, _ = p.area.Update(msg)
	return "", false
}

// key handles a pressed key; done says that text is to be sent.
func (p *Prompt) key(msg tea.KeyPressMsg) (text string, done bool) {
	if p.search != nil {
		return p.searching(msg)
	}
	name := msg.String()
	if len(p.choices) > 0 && p.choose(name) {
		return "", false
	}
	switch {
	case name == "enter" && strings.HasSuffix(p.before(), `\`):
		p.area, _ = p.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
		p.area.InsertString("\n")
	case name == "enter":
		return p.submit()
	case name == "ctrl+r":
		p.search, p.found = new(string), len(p.o.History.entries)
		p.draft = p.area.Value()
	case name == "up" && p.area.Line() == 0:
		p.recall(-1)
	case name == "down" && p.area.Line() == p.area.LineCount()-1:
		p.recall(1)
	default:
		p.area, _ = p.area.Update(msg)
		p.shut = false
	}
	p.refresh()
	return "", false
}

func (p *Prompt) submit() (string, bool) {
	text := p.text()
	if text == "" {
		return "", false
	}
	_ = p.o.History.Add(text) // a history that can't be kept is no reason to stop
	p.area.Reset()
	p.pastes, p.at, p.choices = nil, len(p.o.History.entries), nil
	return text, true
}

// recall goes through what was typed before; past its end stands what was
// being typed.
func (p *Prompt) recall(by int) {
	h := p.o.History.entries
	to := p.at + by
	if to < 0 || to > len(h) {
		return
	}
	if p.at == len(h) {
		p.draft = p.area.Value()
	}
	p.at = to
	if to == len(h) {
		p.area.SetValue(p.draft)
	} else {
		p.area.SetValue(h[to])
	}
	if by < 0 {
		p.area.MoveToBegin()
		p.area.CursorEnd()
	}
	p.shut = true
}

// searching takes a key while the history is searched.
func (p *Prompt) searching(msg tea.KeyPressMsg) (string, bool) {
	again := len(p.o.History.entries)
	switch name := msg.String(); {
	case name == "esc" || name == "ctrl+c" || name == "ctrl+g":
		p.area.SetValue(p.draft)
		p.search = nil
		return "", false
	case name == "ctrl+r":
		again = p.found
	case name == "backspace":
		if r := []rune(*p.search); len(r) > 0 {
			*p.search = string(r[:len(r)-1])
		}
	case msg.Text != "":
		*p.search += msg.Text
	default: // it is what was looked for
		p.search, p.shut = nil, true
		if name != "enter" {
			return p.key(msg)
		}
		return "", false
	}
	if text, i := p.o.History.find(*p.search, again); i >= 0 {
		p.found = i
		p.area.SetValue(text)
	}
	return "", false
}

// before is the text up to the cursor.
func (p *Prompt) before() string {
	lines := strings.Split(p.area.Value(), "\n")
	at := min(p.area.Line(), len(lines)-1)
	line := []rune(lines[at])
	return strings.Join(append(lines[:at:at], string(line[:min(p.area.Column(), len(line))])), "\n")
}

// refresh works out the completions.
func (p *Prompt) refresh() {
	p.choices, p.typed, p.chosen = nil, 0, 0
	if p.shut {
		return
	}
	p.choices, p.typed = p.complete(p.before())
	if len(p.choices) == 1 && len(p.choices[0].Text) == p.typed {
		p.choices = nil // it stands there already
	}
}

// choose takes a key while there are completions, and reports whether it was
// for them.
func (p *Prompt) choose(name string) bool {
	switch name {
	case "tab":
		p.accept()
	case "enter": // a command that is not whole is completed first
		if c := p.choices[p.chosen]; !strings.HasPrefix(c.Text, "/") || len(c.Text) == p.typed {
			return false
		}
		p.accept()
		return false
	case "down", "ctrl+n":
		p.chosen = (p.chosen + 1) % len(p.choices)
	case "up", "ctrl+p":
		p.chosen = (p.chosen + len(p.choices) - 1) % len(p.choices)
	case "esc":
		p.shut, p.choices = true, nil
	default:
		return false
	}
	return true
}

// accept puts the chosen completion in the place of what it completes.
func (p *Prompt) accept() {
	c := p.choices[p.chosen].Text
	before := p.before()
	for range []rune(before[len(before)-p.typed:]) {
		p.area, _ = p.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	p.area.InsertString(c + " ")
	p.choices = nil
}

// Open reports whether a key like esc is the prompt's own: completions are
// open, or a search is.
func (p *Prompt) Open() bool { return len(p.choices) > 0 || p.search != nil }

// Lines draws the prompt in so many columns, and says where the cursor is.
func (p *Prompt) Lines(width int) (lines []string, x, y int) {
	s := screen.Stream{Color: p.o.Color}
	p.SetWidth(width)
	for _, c := range p.shown() {
		lines = append(lines, c.draw(s, width))
	}
	if p.search != nil {
		lines = append(lines, s.Paint(screen.Yellow,
			text.Fit(" search: "+text.Line(*p.search)+"  (ctrl+r further back, enter takes it, esc leaves)", width)))
	}
	top := len(lines)
	for i, l := range strings.Split(p.area.View(), "\n") {
		lead := "  "
		if i == 0 {
			lead = s.Paint(screen.Bold, "› ")
		}
		lines = append(lines, lead+l)
	}
	if c := p.area.Cursor(); c != nil {
		x, y = c.X+2, min(c.Y+top, len(lines)-1)
	}
	return lines, x, y
}

// row is a completion as it is drawn.
type row struct {
	Choice
	on bool
}

// shown gives the completions around the chosen one.
func (p *Prompt) shown() []row {
	first := max(0, min(p.chosen-maxChoices/2, len(p.choices)-maxChoices))
	var out []row
	for i := first; i < len(p.choices) && i < first+maxChoices; i++ {
		out = append(out, row{p.choices[i], i == p.chosen})
	}
	return out
}

func (r row) draw(s screen.Stream, width int) string {
	lead, name := "   ", text.Line(r.Text)
	if r.on {
		lead = " ▸ "
	}
	words := text.Fit(name, max(min(width/3, 30), text.Width(name)))
	if r.on {
		words = s.Paint(screen.Bold, words)
	}
	used := 3 + max(min(width/3, 30), text.Width(name))
	if used+2 > width {
		return lead + text.Cut(name, width-3)
	}
	return lead + words + "  " + s.Paint(screen.Dim, text.Cut(text.Line(r.Does), width-used-2))
}
