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
func (f *front) beside(what string, do func(ctx context.Context) (then func())) *slow {
	ctx, stop := context.WithCancel(f.ctx)
	w := &slow{what: what, began: f.now(), stop: stop}
	f.slowly = w
	f.next = func() tea.Msg { return ready{w, do(ctx)} }
	return w
}

// written does something slow that must not be stopped half way.
func (f *front) written(what string, do func() (then func())) {
	f.beside(what, func(context.Context) func() { return do() }).stop = nil
}

// arrived shows what a slow piece of work came to.
func (f *front) arrived(r ready) tea.Cmd {
	if f.slowly != r.of {
		return nil // stopped
	}
	f.slowly = nil
	r.then()
	return f.pending()
}

// meanwhile takes a key while something slow is done.
func (f *front) meanwhile(name string) tea.Cmd {
	w := f.slowly
	f.gate.kept = f.now()
	if name != "ctrl+c" && name != "esc" {
		return nil
	}
	switch {
	case f.asked && name == "ctrl+c":
		f.s.Cancel()
		return tea.Quit
	case w.stop == nil:
		f.asked = name == "ctrl+c"
		return nil
	}
	w.stop()
	f.slowly, f.asked = nil, name == "ctrl+c"
	f.status = "stopped " + w.what
	if w.text != "" {
		f.prompt.Set(w.text)
		f.status = "stopped: the task was not run"
	}
	if f.asked {
		f.status += "; ctrl+c again leaves"
	}
	return nil
}

// slowLine says what is being done, and how it is stopped.
func (f *front) slowLine() string {
	w := f.slowly
	what := w.what
	if w.say != nil && w.say() != "" {
		what += ": " + w.say()
	}
	if d := f.now().Sub(w.began); d >= time.Second {
		what += fmt.Sprintf(" (%d s)", int(d.Seconds()))
	}
	if w.stop == nil {
		if f.asked {
			return what + "; it must not be stopped half way, ctrl+c again leaves"
		}
		return what
	}
	return what + "; ctrl+c stops it"
}

// slowKeys are the keys of the footer while something slow is done.
func (f *front) slowKeys() []draw.Key {
	if f.slowly.stop == nil {
		return nil
	}
	return []draw.Key{{Key: "esc", Does: "stop this"}, {Key: "^c ^c", Does: "leave"}}
}
