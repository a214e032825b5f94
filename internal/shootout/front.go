package shootout

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/shootout/prompt"
	"cookoff/internal/shootout/session"
)

// front is what keys go to before they reach the panels: a page, a question, the
// prompt, or one slow piece of work that is done beside the screen.
type front struct {
	ctx    context.Context
	s      *session.Session
	prompt *prompt.Prompt
	now    func() time.Time

	typing   bool // keys go to the prompt
	visit    bool // for one command, from the panels
	over     *overlay
	held     []*overlay // pages that wait until nothing else takes keys
	question *question
	status   string
	asked    bool  // ctrl+c was pressed before
	slowly   *slow // done beside the screen; nil: nothing
	gate     gate
	next     tea.Cmd // what an answer set off
}

// taker is what keys go to now: a box, a question, the prompt, the panels.
func (f *front) taker() any {
	t, _ := f.s.Turn()
	switch ask := f.s.Asking(); {
	case f.over != nil:
		return f.over
	case f.question != nil:
		return f.question
	case ask != nil && !f.typing:
		return ask
	case f.typing:
		return "prompt"
	case f.s.Running():
		return "panels"
	case t.Choice == "":
		return t.N // which may be judged
	}
	return "judged"
}

// takesText reports whether keys are letters of a text now.
func (f *front) takesText() bool {
	switch {
	case f.over != nil:
		return f.over.find != nil
	case f.question != nil:
		return f.question.line != nil
	}
	return f.typing
}

// guarded gives a key to what it was meant for. Pages are left and scrolled by
// any key; nothing is chosen there.
func (f *front) guarded(name string, act func()) {
	was := f.taker()
	if f.over == nil && name != "ctrl+c" && name != "ctrl+z" && !f.gate.lets(was, f.now()) {
		f.status = "typed before this was shown: not taken"
		return
	}
	act()
	if is := f.taker(); is != was && f.takesText() && f.slowly == nil {
		f.gate.opened(is)
	}
}

// page shows a page that no key has just asked for. While keys go to another
// page, to a question or to a line that is typed it waits: it would take them.
func (f *front) page(o *overlay) {
	f.held = append(f.held, o)
	f.nextPage()
}

// nextPage shows the page that waits, as soon as nothing else takes keys.
func (f *front) nextPage() {
	if len(f.held) > 0 && f.slowly == nil && f.over == nil && f.question == nil && !f.writing() {
		f.over, f.held = f.held[0], f.held[1:]
	}
}

// writing reports whether a line was begun.
func (f *front) writing() bool { return f.typing && !f.prompt.Empty() }

// tells shows an error on a page, or what went well in the status.
func (f *front) tells(title string, err error, well string) func() {
	return func() {
		if err != nil {
			f.over = message(title, err.Error())
			return
		}
		f.status = well
	}
}

// answer gives a key to the question.
func (f *front) answer(name, text string) {
	q := f.question
	if q.line == nil {
		f.choose(q, name, text)
		return
	}
	switch {
	case name == "enter":
		f.question = nil
		q.enter(*q.line)
	case name == "esc", name == "ctrl+c":
		f.question = nil
	default:
		*q.line = edit(*q.line, name, text)
	}
}

// choose gives a key to a question that keys answer. What begins with a slash
// is no answer: it is swallowed up to its end, and the question stays.
func (f *front) choose(q *question, name, text string) {
	switch {
	case q.slash != nil && (name == "enter" || name == "esc" || name == "ctrl+c"):
		q.slash = nil
	case q.slash != nil:
		*q.slash = edit(*q.slash, name, text)
	case q.finds:
		q.find(name, text)
	case name == "/" && q.filter != nil:
		q.finds = true
	case name == "/":
		q.slash = new("/")
	case name == "?":
		f.over = q.help()
	case q.on(name) && f.question == q:
		f.question = nil
	}
}

// pending gives what an answer set off.
func (f *front) pending() tea.Cmd {
	cmd := f.next
	f.next = nil
	return cmd
}

// interrupt is ctrl+c: once all models stop, twice the user leaves.
func (f *front) interrupt() tea.Cmd {
	switch {
	case f.asked:
		f.s.Cancel()
		return tea.Quit
	case f.s.Running():
		f.s.StopAll()
		f.status = "stopping all models: what they did so far stays; ctrl+c again leaves"
	case f.typing && !f.prompt.Empty():
		f.prompt.Set("")
		return nil
	default:
		f.status = "ctrl+c again leaves; the session is saved"
	}
	f.asked = true
	return nil
}

// suspend is ctrl+z: the shell has the terminal until it says fg. Models that
// work would be held up with the program, while their time runs.
func (f *front) suspend() tea.Cmd {
	if f.s.Running() {
		f.status = "a task is under way, and its time runs: ctrl+z works once it has ended"
		return nil
	}
	return tea.Suspend
}

// quit leaves, but not while models work.
func (f *front) quit() tea.Cmd {
	if f.s.Running() {
		f.status = "a task is under way: ctrl+c stops it, ctrl+c twice leaves"
		return nil
	}
	return tea.Quit
}
