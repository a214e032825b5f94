package shootout

import "time"

// Times of a gate: how long a choice must have been seen, with no key pressed,
// before a key chooses, and after how long without a frame the screen stood still.
const (
	pause = 150 * time.Millisecond
	still = time.Second
)

// gate keeps out keys that were pressed before what they would act on was
// shown: nobody meant them for it.
type gate struct {
	what  any       // that keys go to
	since time.Time // it is drawn since
	drawn time.Time // the last frame
	kept  time.Time // the last key that was kept out
}

// drew notes that a frame shows what, which keys go to.
func (g *gate) drew(what any, now time.Time) {
	if g.what != what || now.Sub(g.drawn) > still {
		g.what, g.since = what, now
	}
	g.drawn = now
}

// opened notes that a key has just opened a box that takes text: what follows
// is meant for it.
func (g *gate) opened(what any) { g.what, g.since = what, time.Time{} }

// lets reports whether a key was pressed with what before the user's eyes.
func (g *gate) lets(what any, now time.Time) bool {
	ok := g.what == what && now.Sub(g.drawn) <= still && now.Sub(g.since) >= pause && now.Sub(g.kept) >= pause
	if !ok {
		g.kept = now
	}
	return ok
}

// taker is what keys go to now: a box, a question, the prompt, the panels.
func (a *App) taker() any {
	t, _ := a.s.Turn()
	switch ask := a.s.Asking(); {
	case a.over != nil:
		return a.over
	case a.question != nil:
		return a.question
	case ask != nil && !a.typing:
		return ask
	case a.typing:
		return "prompt"
	case a.s.Running():
		return "panels"
	case t.Choice == "":
		return t.N // which may be judged
	}
	return "judged"
}

// takesText reports whether keys are letters of a text now.
func (a *App) takesText() bool {
	switch {
	case a.over != nil:
		return a.over.find != nil
	case a.question != nil:
		return a.question.line != nil
	}
	return a.typing
}

// guarded gives a key to what it was meant for. Pages are left and scrolled by
// any key; nothing is chosen there.
func (a *App) guarded(name string, act func()) {
	was := a.taker()
	if a.over == nil && name != "ctrl+c" && name != "ctrl+z" && !a.gate.lets(was, a.now()) {
		a.status = "typed before this was shown: not taken"
		return
	}
	act()
	if is := a.taker(); is != was && a.takesText() && a.slowly == nil {
		a.gate.opened(is)
	}
}
