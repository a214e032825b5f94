package shootout

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/ui/live/draw"
)

// slow is something that takes time, done beside the screen. Meanwhile keys do
// nothing but stop it.
type slow struct {
	what  string
	began time.Time
	stop  context.CancelFunc // nil: it writes, and must be let end
	say   func() string      // what of it is being done; "": nothing to say; may be nil
	text  string             // of the task that is checked
}

// ready is what a slow piece of work came to: then shows it.
type ready struct {
	of   *slow
	then func()
}

// beside does something slow beside the screen. do must not touch the screen;
// what it gives is done there afterwards, unless the user stopped it. Its
// context ends then.
func (a *App) beside(what string, do func(ctx context.Context) (then func())) *slow {
	ctx, stop := context.WithCancel(a.ctx)
	w := &slow{what: what, began: a.now(), stop: stop}
	a.slowly = w
	a.next = func() tea.Msg { return ready{w, do(ctx)} }
	return w
}

// written does something slow that must not be stopped half way.
func (a *App) written(what string, do func() (then func())) {
	a.beside(what, func(context.Context) func() { return do() }).stop = nil
}

// arrived shows what a slow piece of work came to.
func (a *App) arrived(r ready) tea.Cmd {
	if a.slowly != r.of {
		return nil // stopped
	}
	a.slowly = nil
	r.then()
	return a.pending()
}

// meanwhile takes a key while something slow is done.
func (a *App) meanwhile(name string) tea.Cmd {
	w := a.slowly
	a.gate.kept = a.now()
	if name != "ctrl+c" && name != "esc" {
		return nil
	}
	switch {
	case a.asked && name == "ctrl+c":
		a.s.Cancel()
		return tea.Quit
	case w.stop == nil:
		a.asked = name == "ctrl+c"
		return nil
	}
	w.stop()
	a.slowly, a.asked = nil, name == "ctrl+c"
	a.status = "stopped " + w.what
	if w.text != "" {
		a.prompt.Set(w.text)
		a.status = "stopped: the task was not run"
	}
	if a.asked {
		a.status += "; ctrl+c again leaves"
	}
	return nil
}

// slowLine says what is being done, and how it is stopped.
func (a *App) slowLine() string {
	w := a.slowly
	what := w.what
	if w.say != nil && w.say() != "" {
		what += ": " + w.say()
	}
	if d := a.now().Sub(w.began); d >= time.Second {
		what += fmt.Sprintf(" (%d s)", int(d.Seconds()))
	}
	if w.stop == nil {
		if a.asked {
			return what + "; it must not be stopped half way, ctrl+c again leaves"
		}
		return what
	}
	return what + "; ctrl+c stops it"
}

// slowKeys are the keys of the footer while something slow is done.
func (a *App) slowKeys() []draw.Key {
	if a.slowly.stop == nil {
		return nil
	}
	return []draw.Key{{Key: "esc", Does: "stop this"}, {Key: "^c ^c", Does: "leave"}}
}
