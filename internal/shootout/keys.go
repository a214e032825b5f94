package shootout

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/text"
	"cookoff/runner"
)

// pressed takes a key in, and gives what it set off.
func (a *App) pressed(msg tea.KeyPressMsg) (cmd tea.Cmd) {
	name := msg.String()
	if a.slowly != nil {
		return a.meanwhile(name)
	}
	a.status = ""
	a.guarded(name, func() { cmd = a.key(msg) })
	if cmd == nil {
		cmd = a.pending()
	}
	return cmd
}

// paste takes pasted text in, where text is typed.
func (a *App) paste(msg tea.PasteMsg) {
	switch {
	case a.slowly != nil:
	case a.over != nil:
		a.over.paste(msg.Content)
	case a.question != nil:
		a.question.paste(msg.Content)
	case a.typing:
		a.prompt.Update(msg)
	}
}

// key carries a key out, where it belongs.
func (a *App) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	ask := a.s.Asking()
	switch {
	case name == "ctrl+z":
		return a.suspend()
	case a.over != nil:
		if a.over.key(name, msg.Text, a.typing) {
			a.over = a.over.back
		} else if a.over.wantsHelp {
			a.over.wantsHelp = false
			a.over = pageHelp(a.over)
		}
		return nil
	case a.question != nil:
		a.answer(name, msg.Text)
		return nil
	case name == "ctrl+c":
		return a.interrupt()
	case ask != nil && !a.typing && a.approve(ask, name):
		return nil
	case a.typing && name == "?" && a.prompt.Empty():
		a.over = a.promptHelp()
		return nil
	case a.typing:
		return a.typed(msg)
	}
	return a.looking(name)
}

// typed gives a key to the prompt.
func (a *App) typed(msg tea.KeyPressMsg) tea.Cmd {
	a.asked = false
	_, any := a.s.Turn()
	switch name := msg.String(); {
	case (name == "esc" || name == "tab") && !a.prompt.Open() && any && (name == "esc" || a.prompt.Empty()):
		a.typing, a.visit = false, false
		return nil
	case name == "ctrl+d" && a.prompt.Empty():
		return a.quit()
	}
	if text, done := a.prompt.Update(msg); done {
		a.submit(text)
	}
	return nil
}

// looking carries out a key over the panels.
func (a *App) looking(name string) tea.Cmd {
	a.asked = false
	t, ok := a.s.Turn()
	done := ok && !a.s.Running()
	switch name {
	case "esc":
		switch {
		case a.s.Running():
			a.stop(a.focused())
		case !a.panes.Key("esc"):
			a.typing = true
		}
		return nil
	case "i":
		a.typing = true
		return nil
	case "/":
		a.typing, a.visit = true, true
		a.prompt.Set("/")
		return nil
	case "q":
		return a.quit()
	case "d":
		a.judging.diff(a.focused())
		return nil
	case "s":
		a.judging.compare()
		return nil
	case "v":
		a.commands.run("/verify")
		return nil
	}
	if done && t.Choice == "" && a.judging.judge(name) {
		return nil
	}
	if done && name == "a" {
		a.judging.apply(a.focused())
		return nil
	}
	a.panes.Key(name)
	return nil
}

func (a *App) stop(model string) {
	if err := a.s.Stop(model); err != nil {
		a.status = err.Error()
		return
	}
	a.status = "stopping " + a.name(model) + ": what it did so far stays"
}

// approve answers what a trial asks, and reports whether the key did.
func (a *App) approve(ask *session.Ask, name string) bool {
	switch name {
	case "y":
		a.s.Answer(ask, runner.Once)
	case "a":
		a.s.Answer(ask, runner.ThisTrial)
	case "n", "esc":
		a.s.Answer(ask, runner.Deny)
	default:
		i, err := strconv.Atoi(name)
		if err != nil || i < 1 || i > len(ask.Options) {
			return false
		}
		a.s.Answer(ask, runner.Pick(i-1))
	}
	return true
}

// answers are the keys that answer a question: those that there always are, and those of what an
// agent program offers, in its words.
func answers(ask *session.Ask) (own, offered []draw.Key) {
	own = []draw.Key{{Key: "y", Does: "once"}, {Key: "a", Does: "in this trial"}, {Key: "n", Does: "deny"}}
	for i, o := range ask.Options {
		offered = append(offered, draw.Key{Key: strconv.Itoa(i + 1), Does: text.Line(o.Name)})
	}
	return own, offered
}

// edit gives a line of text after a key.
func edit(line, name, text string) string {
	switch r := []rune(line); {
	case name == "backspace" && len(r) > 0:
		return string(r[:len(r)-1])
	case name == "ctrl+u":
		return ""
	}
	return line + text
}

// lookKeys are the keys of the footer over the panels.
func (a *App) lookKeys() []draw.Key {
	t, _ := a.s.Turn()
	move := []draw.Key{{Key: "tab", Does: "next"}, {Key: "enter", Does: "full screen"}, {Key: "↑↓", Does: "scroll"},
		{Key: "?", Does: "keys"}, {Key: "f", Does: "follow"}, {Key: "o", Does: "unfold"}, {Key: "m", Does: "matrix"},
		{Key: "n p", Does: "page"}, {Key: "v", Does: "verify"}, {Key: "/", Does: "command"}}
	diff := []draw.Key{{Key: "d", Does: "diff"}, {Key: "s", Does: "side by side"}}
	switch {
	case a.s.Running():
		return slices.Concat([]draw.Key{{Key: "esc", Does: "stop this one"}, {Key: "^c", Does: "stop all"}}, move, diff)
	case t.Choice == "":
		return slices.Concat([]draw.Key{{Key: "w", Does: "wins"}, {Key: "t", Does: "tie"}, {Key: "x", Does: "all bad"}}, diff,
			[]draw.Key{{Key: "i", Does: "type"}}, move)
	}
	return slices.Concat([]draw.Key{{Key: "i", Does: "next task"}, {Key: "a", Does: "apply"}, {Key: "q", Does: "quit"}},
		diff, move)
}
