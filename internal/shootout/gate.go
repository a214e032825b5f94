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
