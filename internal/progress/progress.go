package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"cookoff/internal/hint"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// Mode says what is shown.
type Mode int

// What is shown: nothing, a line now and then, a line a finished trial, a live
// screen, or a live screen and a line a finished trial.
const (
	Quiet Mode = iota
	Brief
	Plain
	Live
	Full
)

func (m Mode) lines() bool { return m == Plain || m == Full }
func (m Mode) frame() bool { return m == Live || m == Full }

// How often Brief says how far the run is: when a tenth more is done, and when a
// minute has passed without a word. Of the proof of tasks it is said sooner at first.
const (
	briefParts = 10
	briefPause = time.Minute
	firstPause = 15 * time.Second
)

// A wait of a single trial is said from longWait on, and again after waitPause: where
// sixty wait at once, one says why.
const (
	longWait  = 4 * time.Second
	waitPause = 10 * time.Second
)

// interval is the time between two frames.
const interval = 100 * time.Millisecond

// Display shows a run. Emit only changes what is to be shown; a goroutine of
// its own writes, so that a slow terminal holds up nobody. The cursor stays
// visible and colours end with each line, so nothing needs to be put back
// when the process dies.
type Display struct {
	stream screen.Stream
	mode   Mode
	now    func() time.Time

	mu    sync.Mutex
	view  *View
	lines []string // finished lines not yet written
	wake  chan struct{}
	stop  chan struct{}
	ended chan struct{}
	drawn int // lines of the last frame, of the writing goroutine

	shownAt   time.Time // how far it is, with Brief
	shownPart int       // and with how many parts done
	proves    bool      // it is said that tasks are proven
	waited    time.Time // that a trial waits long, without a screen
}

// Start begins to show a run on s; Stop must be called. now gives the time on
// the screen, nil: time.Now.
func Start(s screen.Stream, mode Mode, now func() time.Time) *Display {
	if now == nil {
		now = time.Now
	}
	d := &Display{stream: s, mode: mode, now: now, view: NewView(), wake: make(chan struct{}, 1),
		stop: make(chan struct{}), ended: make(chan struct{})}
	go d.loop()
	return d
}

// Emit takes an event. It never blocks on the stream and never fails.
func (d *Display) Emit(e trial.Event) error {
	if d.mode == Quiet {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mode.lines() {
		d.lines = append(d.lines, d.line(e)...)
		d.poke()
	}
	if text := d.provider(e); text != "" {
		d.lines = append(d.lines, text)
		d.poke()
	}
	d.view.Apply(e)
	if d.mode == Brief {
		d.brief(e.Kind == trial.RunStarted)
	}
	return nil
}

// provider is what everybody is told of a provider that is down, and, where no screen
// shows it, of one that a trial waits long for. The lock is held.
func (d *Display) provider(e trial.Event) string {
	if e.Kind != trial.Note || e.Note == nil {
		return ""
	}
	wait := time.Duration(e.Note.Wait * float64(time.Second))
	until := fmt.Sprintf("waiting until %s: %s", e.At.Local().Add(wait).Format(time.TimeOnly), text.Line(e.Note.Text))
	switch e.Note.Kind {
	case trial.ProviderDown:
		return until
	case trial.Retried:
		if now := d.now(); !d.mode.frame() && wait >= longWait && now.Sub(d.waited) >= waitPause {
			d.waited = now
			return until + "; asked again then"
		}
	case trial.ProviderUp, trial.ProviderLost:
		return text.Line(e.Note.Text)
	}
	return ""
}

// brief says how far the run is, where it is time to. The lock is held.
func (d *Display) brief(begun bool) {
	v, now := d.view, d.now()
	if v.total == 0 {
		d.proving()
		return
	}
	part := len(v.done) * briefParts / v.total
	if !begun && part <= d.shownPart && now.Sub(d.shownAt) < briefPause {
		return
	}
	d.shownAt, d.shownPart = now, max(part, d.shownPart)
	d.lines = append(d.lines, v.summary(now)+v.waiting(now))
	d.poke()
}

// proving says how far the admission of tasks is, where it is time to. The lock is held.
func (d *Display) proving() {
	v, now := d.view, d.now()
	pause := min(max(d.shownAt.Sub(v.start), firstPause), briefPause)
	if v.admitted == v.toAdmit || now.Sub(d.shownAt) < pause {
		return
	}
	d.shownAt = now
	words := fmt.Sprintf("proved %d of %s  %s", v.admitted, text.Count(v.toAdmit, "task"), text.Clock(now.Sub(v.start)))
	if under := v.proving(now, 1); under != nil {
		words += "; under way: " + under[0]
	}
	d.lines = append(d.lines, words)
	d.poke()
}

// Say writes a line of the caller's own, above the frame, whatever the mode.
func (d *Display) Say(words string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, text.Line(words))
	d.poke()
}

func (d *Display) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// line is what a log says of an event.
func (d *Display) line(e trial.Event) []string {
	if e.Kind == trial.RunStarted && e.Run != nil {
		return []string{fmt.Sprintf("run %s: %s, %d at once", text.Line(e.Run.ID),
			text.Count(len(e.Run.Trials), "trial"), e.Run.Parallel)}
	}
	l := d.view.running[e.Trial]
	if e.Kind != trial.TrialFinished || l == nil || e.Outcome == nil {
		return nil
	}
	o := e.Outcome
	word := map[trial.Status]string{trial.Pass: "fixed", trial.Fail: "not fixed", trial.Void: "void"}[o.Status]
	words := fmt.Sprintf("%s  %s  %s: %s", l.ID, text.Line(l.Model), l.name(), word)
	if o.Cause != "" {
		words += " (" + text.Line(string(o.Cause)) + ")"
	}
	words += fmt.Sprintf(" after %s, %s", text.Count(o.Steps, "step"),
		text.Clock(time.Duration(o.Seconds.Agent*float64(time.Second))))
	if o.Detail != "" && o.Status != trial.Pass {
		words += ": " + text.Line(hint.OneLine(o.Detail))
	}
	return []string{words}
}

// Stop takes the frame away and waits for what is to be written.
func (d *Display) Stop() {
	close(d.stop)
	<-d.ended
}

func (d *Display) loop() {
	defer close(d.ended)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			d.draw(false)
			return
		case <-d.wake:
		case <-tick.C:
			d.mu.Lock()
			if d.mode == Brief {
				d.brief(false)
			} else if d.mode == Plain && d.view.total == 0 {
				d.proving()
			}
			d.mu.Unlock()
		}
		d.draw(d.mode.frame())
	}
}

// draw writes finished lines and, below them, the frame, in one write.
func (d *Display) draw(frame bool) {
	columns, rows := d.stream.Size()
	d.mu.Lock()
	lines := d.lines
	d.lines = nil
	var now []string
	if frame {
		now = d.view.Frame(d.now(), d.stream, columns, rows)
	}
	d.mu.Unlock()
	if len(lines) == 0 && len(now) == 0 && d.drawn == 0 {
		return
	}
	var b strings.Builder
	if d.drawn > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA", d.drawn) // to the start of the old frame, wherever an echoed ^C left the cursor
	}
	for _, l := range append(lines, now...) {
		b.WriteString(l)
		if d.mode.frame() {
			b.WriteString("\x1b[K")
		}
		b.WriteByte('\n')
	}
	if d.mode.frame() && d.drawn > 0 {
		b.WriteString("\x1b[J") // what is left of a taller one
	}
	d.drawn = len(now)
	io.WriteString(d.stream, b.String()) // a viewer that has gone ends nothing
}

// Admitting shows how far the admission of tasks is, before the first event.
func (d *Display) Admitting(done, of int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.view.admitted, d.view.toAdmit = done, of
	if d.view.start.IsZero() {
		d.view.start, d.shownAt = d.now(), d.now()
	}
	if d.mode == Brief || d.mode == Plain {
		d.proving()
	}
	d.poke()
}

// Proving shows at which step the proof of a task is; "": it is over. Tasks that were proven before have no step: with
// the first one it is said how many may be without a proof.
func (d *Display) Proving(task, step string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if left := d.view.toAdmit - d.view.admitted; !d.proves && step != "" && (d.mode == Brief || d.mode == Plain) {
		d.proves = true
		d.lines = append(d.lines, fmt.Sprintf("proving %s, without a model", text.Count(left, "task")))
	}
	d.view.prove(task, step, d.now())
	d.poke()
}
