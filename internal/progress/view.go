// Package progress shows a run while it goes on: on a terminal one line a
// running trial and a bar for the whole run, elsewhere one line a finished
// trial. It reads events and nothing else, and never holds up the run.
package progress

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// View is what is known of a run: a fold of its events.
type View struct {
	start   time.Time
	total   int
	running map[string]*lane
	done    map[string]trial.Status
	voids   int // attempts that were void and are made again

	admitted, toAdmit int     // tasks, before the run starts
	proofs            []proof // under way, in the order in which they began
}

// proof is the proof of one task that is under way.
type proof struct {
	task, step string
	since      time.Time // that step
}

// prove notes the step that the proof of a task is at; "": it is over.
func (v *View) prove(task, step string, now time.Time) {
	n := slices.IndexFunc(v.proofs, func(p proof) bool { return p.task == task })
	switch {
	case n >= 0 && step == "":
		v.proofs = slices.Delete(v.proofs, n, n+1)
	case n >= 0:
		v.proofs[n].step, v.proofs[n].since = step, now
	case step != "":
		v.proofs = append(v.proofs, proof{task, step, now})
	}
}

// proving says which proofs are under way: at most so many.
func (v *View) proving(now time.Time, most int) (out []string) {
	for _, p := range v.proofs[:min(most, len(v.proofs))] {
		out = append(out, fmt.Sprintf("%s: %s, %s", text.Line(p.task), text.Line(p.step), text.Clock(now.Sub(p.since))))
	}
	return out
}

// lane is one running trial.
type lane struct {
	trial.Trial
	attempt int
	step    int
	since   time.Time
	doing   string
}

// stopped is what becomes of a trial that was ended from outside: it says nothing, and
// stays to be done.
const stopped trial.Status = "stopped"

// NewView gives an empty View.
func NewView() *View {
	return &View{running: map[string]*lane{}, done: map[string]trial.Status{}}
}

// Apply folds one event in. Kinds it does not know change nothing.
func (v *View) Apply(e trial.Event) {
	if v.start.IsZero() {
		v.start = e.At
	}
	switch {
	case e.Kind == trial.RunStarted && e.Run != nil:
		v.start, v.total = e.At, len(e.Run.Trials)
	case (e.Kind == trial.TrialStarted || e.Kind == trial.TrialResumed) && e.Start != nil:
		if v.done[e.Trial] == trial.Void {
			v.voids++
		}
		delete(v.done, e.Trial)
		v.running[e.Trial] = &lane{Trial: *e.Start, attempt: e.Attempt, since: e.At, doing: "staging"}
	case e.Kind == trial.TrialFinished && e.Outcome != nil:
		delete(v.running, e.Trial)
		v.done[e.Trial] = e.Outcome.Status
		if e.Outcome.Cause == trial.CauseCancelled {
			v.done[e.Trial] = stopped
		}
	default:
		if l := v.running[e.Trial]; l != nil {
			l.apply(e)
		}
	}
}

func (l *lane) apply(e trial.Event) {
	l.step = max(l.step, e.Step)
	switch {
	case e.Kind == trial.ModelCalled:
		l.doing = "thinking"
	case e.Kind == trial.ModelReplied && e.Replied != nil && len(e.Replied.Reply.Message.Calls) == 0:
		l.doing = "judging"
	case e.Kind == trial.ToolCalled && e.Tool != nil:
		l.doing = strings.TrimSpace(text.Line(e.Tool.Name + " " + board.Gist(e.Tool.Args)))
	case e.Kind == trial.ToolReturned:
		l.doing = "thinking"
	case e.Kind == trial.Note && e.Note != nil && e.Note.Wait > 0:
		l.doing = fmt.Sprintf("waiting %.0fs: %s", e.Note.Wait, text.Line(e.Note.Text))
	case e.Kind == trial.Judged:
		l.doing = "judged"
	}
}

// Frame draws the run as it stands at now: at most rows lines, none wider than
// the stream's columns.
func (v *View) Frame(now time.Time, s screen.Stream, columns, rows int) []string {
	if v.total == 0 && len(v.running) == 0 {
		if v.toAdmit == 0 {
			return nil
		}
		var out []string
		for _, one := range v.proving(now, max(rows-2, 0)) {
			out = append(out, s.Paint(screen.Dim, text.Cut("  "+one, columns)))
		}
		return append(out, text.Cut(fmt.Sprintf("proving the tasks: %d/%d  %s", v.admitted, v.toAdmit,
			text.Clock(now.Sub(v.start))), columns))
	}
	lanes := make([]*lane, 0, len(v.running))
	for _, l := range v.running {
		lanes = append(lanes, l)
	}
	slices.SortFunc(lanes, func(a, b *lane) int { return cmp.Compare(a.ID, b.ID) })
	more := 0
	if room := max(rows-2, 1); len(lanes) > room {
		more, lanes = len(lanes)-room+1, lanes[:room-1]
	}
	out := laneLines(lanes, now, s, columns)
	if more > 0 {
		out = append(out, s.Paint(screen.Dim, text.Cut(fmt.Sprintf("  and %d more", more), columns)))
	}
	return append(out, v.bar(now, s, columns))
}

func laneLines(lanes []*lane, now time.Time, s screen.Stream, columns int) []string {
	modelW, taskW := 0, 0
	for _, l := range lanes {
		modelW = max(modelW, text.Width(text.Line(l.Model)))
		taskW = max(taskW, text.Width(l.name()))
	}
	modelW, taskW = min(modelW, max(columns/4, 8)), min(taskW, max(columns/3, 8))
	var out []string
	for _, l := range lanes {
		head := fmt.Sprintf("  %s  %s  step %-2d  %5s  ", text.Fit(text.Line(l.Model), modelW), text.Fit(l.name(), taskW),
			l.step, text.Clock(now.Sub(l.since)))
		head = text.Cut(head, columns)
		out = append(out, head+s.Paint(screen.Dim, text.Cut(l.doing, columns-text.Width(head))))
	}
	return out
}

// name is the task, and which go it is where that is not the first.
func (l *lane) name() string {
	n := text.Line(l.Task)
	if l.N > 1 {
		n += fmt.Sprintf(" #%d", l.N)
	}
	if l.attempt > 1 {
		n += fmt.Sprintf(" (attempt %d)", l.attempt)
	}
	return n
}

// bar is the line for the whole run.
func (v *View) bar(now time.Time, s screen.Stream, columns int) string {
	words := " " + v.summary(now)
	room := min(columns-text.Width(words)-2, 30)
	if room < 5 || v.total == 0 {
		return text.Cut(strings.TrimSpace(words), columns)
	}
	full := min(room*len(v.done)/v.total, room)
	return "[" + s.Paint(screen.Green, strings.Repeat("#", full)) + strings.Repeat("-", room-full) + "]" + words
}

// summary says how far the run is, and how long the rest will take.
func (v *View) summary(now time.Time) string {
	count := map[trial.Status]int{}
	for _, st := range v.done {
		count[st]++
	}
	words := fmt.Sprintf("%d/%d trials", len(v.done), v.total)
	for _, c := range []struct {
		n    int
		word string
	}{{count[trial.Pass], "fixed"}, {count[trial.Fail], "not fixed"}, {count[trial.Void], "void"},
		{count[stopped], "stopped"}, {v.voids, "tried again"}} {
		if c.n > 0 {
			words += fmt.Sprintf(", %d %s", c.n, c.word)
		}
	}
	words += "  " + text.Clock(now.Sub(v.start))
	if left := v.left(now); left > 0 {
		words += ", about " + text.Clock(left) + " left"
	}
	return words
}

// left is how long the rest will take if it goes on like this, 0 while too little
// is known: a tenth of the trials, at least three, must have ended.
func (v *View) left(now time.Time) time.Duration {
	n := len(v.done)
	if n < max(3, v.total/10) || n >= v.total {
		return 0
	}
	return now.Sub(v.start) / time.Duration(n) * time.Duration(v.total-n)
}

// waiting names the trials that are under way, the longest first: what a run is
// waited for.
func (v *View) waiting(now time.Time) string {
	const most = 3
	lanes := slices.SortedFunc(maps.Values(v.running), func(a, b *lane) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.ID, b.ID))
	})
	var names []string
	for _, l := range lanes[:min(len(lanes), most)] {
		names = append(names, fmt.Sprintf("%s %s on %s, step %d, %s", l.ID, text.Line(l.Model), l.name(), l.step,
			text.Clock(now.Sub(l.since))))
	}
	if len(names) == 0 {
		return ""
	}
	more := ""
	if n := len(lanes) - most; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return "; under way: " + strings.Join(names, "; ") + more
}
