package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cookoff"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/reports"
	"cookoff/internal/progress"
	"cookoff/internal/ui/text"
	"cookoff/runner"
	"cookoff/trial"
)

// watch shows how a run goes on.
type watch struct {
	door       *door.Door
	comparison *cookoff.Comparison
	ctx        context.Context // of the run: the display says that it ends

	display  *progress.Display
	conclude func(*cookoff.Result) error // prints what there is to report
	done     bool                        // it did
	err      error                       // what came of that
	ended    bool
	endGroup func()
	unsay    func() bool
}

// Begin says what is run, and where it is recorded.
func (w *watch) Begin(dir string) {
	d, c := w.door, w.comparison
	if past := c.Options().Resume; past != nil {
		sayBehind(d, c, past)
	}
	sayClock(d)
	sayUnread(d)
	r := c.Recipe()
	d.Say("%s: %s against %s, in %s", text.Line(r.Name), text.Count(len(r.Names()), "model"),
		text.Count(len(c.Runner().Tasks()), "task"), d.Rel(dir))
	w.endGroup = reports.Group(d.Common, "trials")
	w.display = progress.Start(d.Err, progressMode(d), nil)
	w.unsay = context.AfterFunc(w.ctx, func() {
		if !d.Quiet {
			w.display.Say("stopping; Ctrl-C again leaves at once")
		}
	})
}

// Admitting shows how far the proof of tasks is.
func (w *watch) Admitting(done, of int) { w.display.Admitting(done, of) }

// Proving shows at which step the proof of a task is.
func (w *watch) Proving(task, step string) { w.display.Proving(task, step) }

// Copied says what of the project trials start with.
func (w *watch) Copied(p runner.ProjectCopy) {
	if !w.door.Quiet {
		w.display.Say(copied(w.door, p))
	}
}

// Emit shows an event.
func (w *watch) Emit(e trial.Event) error { return w.display.Emit(e) }

// Closing prints what there is to report before sandboxes are closed.
func (w *watch) Closing(n int, so *cookoff.Result) {
	w.End()
	w.err, w.done = w.conclude(so), true
	w.door.Say("closing %s; Ctrl-C again leaves them to cookoff clean", sandboxes(n))
}

// sandboxes counts sandboxes.
func sandboxes(n int) string {
	if n == 1 {
		return "1 sandbox"
	}
	return fmt.Sprintf("%d sandboxes", n)
}

// End ends the display.
func (w *watch) End() {
	if w.ended {
		return
	}
	w.ended = true
	w.unsay()
	w.display.Stop()
	w.endGroup()
}

// sayClock says that the clock was set back: names of runs sort by time.
func sayClock(d *door.Door) {
	last, err := trial.FindRun(d.Dir, "")
	if err != nil {
		return
	}
	if id := filepath.Base(filepath.Dir(last)); id > trial.NewRunID(time.Now().Add(time.Minute)) {
		d.Say("the clock is behind: the run %s is of a later time, and \"latest\" goes on to mean that one",
			text.Line(id))
	}
}

// sayUnread says that a configuration which lies in the project is not read: whoever
// wrote that has no say in where a key goes.
func sayUnread(d *door.Door) {
	const name = "cookoff.toml"
	if st, err := os.Stat(filepath.Join(d.Dir, name)); d.Config == "" && err == nil && st.Mode().IsRegular() {
		d.Say("%s of this directory is not read: yours is ~/.config/cookoff/%s; --config %s reads this one",
			name, name, name)
	}
}

// progressMode says how a run is shown: live on a terminal, with a line a
// finished trial with --verbose and in CI, else with a line now and then.
func progressMode(d *door.Door) progress.Mode {
	ci := d.Getenv("CI") != "" && d.Getenv("CI") != "false"
	switch {
	case d.Quiet:
		return progress.Quiet
	case d.Err.Terminal && !ci && d.Verbose:
		return progress.Full
	case d.Err.Terminal && !ci:
		return progress.Live
	case d.Verbose || ci:
		return progress.Plain
	}
	return progress.Brief
}
