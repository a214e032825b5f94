// Package board folds the events of a run into what a screen shows of it: a
// lane for each trial, with what was said and done in it. It reads events and
// nothing else. Text of models and tools is made harmless as it is taken in,
// and bounded: a board of a long run stays small.
package board

import (
	"slices"
	"sync"
	"time"

	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// most is how many bytes of text a board keeps. What is over goes from the
// lanes that ended first.
const most = 64 << 20

// Board is a run as it stands. It is safe for concurrent use, and taking an
// event in never waits for whoever looks.
type Board struct {
	mu     sync.Mutex
	run    trial.Run
	end    *trial.End
	cut    bool // end is what End said
	began  time.Time
	last   time.Time
	order  []string // of models
	lanes  map[string]*lane
	plan   []*lane
	ended  []*lane // that still have their text, the first to end first
	bytes  int
	change uint64
	broken any // what a fold panicked with
}

// New gives an empty board.
func New() *Board { return &Board{lanes: map[string]*lane{}} }

// Emit takes an event in. It never fails: a fault of the view is no reason to
// end a run.
func (b *Board) Emit(e trial.Event) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			b.broken = p
		}
	}()
	b.change++
	b.apply(e)
	return nil
}

// Stream takes in text of a reply as it arrives; the reply itself replaces it.
// Another step or try than before begins it anew.
func (b *Board) Stream(id string, step, try int, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.lanes[id]; l != nil {
		b.change++
		if at := [2]int{step, try}; at != l.arrives {
			l.hush()
			l.arrives = at
		}
		l.append(text)
	}
}

// End says that nothing more will happen: what had not ended was cut off. An
// event that comes all the same takes that back.
func (b *Board) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.change++
	if b.end == nil && len(b.plan) > 0 {
		b.end, b.cut = &trial.End{Interrupted: true}, true
	}
}

// Reset forgets everything.
func (b *Board) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	fresh := New()
	b.run, b.end, b.cut, b.began, b.last, b.order, b.lanes, b.plan, b.ended, b.bytes = fresh.run, nil, false, fresh.began,
		fresh.last, nil, fresh.lanes, nil, nil, 0
	b.change++
}

// apply takes one event of the journal into what the board shows.
func (b *Board) apply(e trial.Event) {
	if b.cut {
		b.end, b.cut = nil, false
	}
	if b.began.IsZero() {
		b.began = e.At
	}
	if e.At.After(b.last) {
		b.last = e.At
	}
	switch {
	case e.Kind == trial.RunStarted && e.Run != nil:
		b.plans(*e.Run, e.At)
	case e.Kind == trial.RunFinished && e.End != nil:
		end := *e.End
		b.end = &end
	case (e.Kind == trial.TrialStarted || e.Kind == trial.TrialResumed) && e.Start != nil:
		t := *e.Start
		t.ID = e.Trial
		b.lane(t).start(e)
	case e.Trial != "":
		l := b.lanes[e.Trial]
		if l == nil {
			return
		}
		before := l.bytes
		l.apply(e)
		if l.State == Done && e.Kind == trial.TrialFinished {
			b.ended = append(b.ended, l)
		}
		b.bytes += l.bytes - before
		b.bound()
	}
}

func (b *Board) plans(r trial.Run, at time.Time) {
	r.Markdown = ""
	b.run, b.end = r, nil
	b.began = at
	for _, m := range r.Models {
		b.model(m)
	}
	for _, t := range r.Trials {
		b.replace(t)
		b.lane(t)
	}
}

// replace takes out the lane of the same trial under another id: it is tried
// again.
func (b *Board) replace(t trial.Trial) {
	b.plan = slices.DeleteFunc(b.plan, func(l *lane) bool {
		same := l.ID != t.ID && l.Model == t.Model && l.Task == t.Task && l.N == t.N
		if same {
			delete(b.lanes, l.ID)
		}
		return same
	})
}

func (b *Board) model(name string) {
	if !slices.Contains(b.order, name) {
		b.order = append(b.order, name)
	}
}

func (b *Board) lane(t trial.Trial) *lane {
	l := b.lanes[t.ID]
	if l == nil {
		l = newLane(t)
		b.lanes[t.ID] = l
		b.plan = append(b.plan, l)
		b.model(t.Model)
	}
	return l
}

// bound drops the text of what ended first while there is too much.
func (b *Board) bound() {
	for b.bytes > most && len(b.ended) > 0 {
		l := b.ended[0]
		b.ended = b.ended[1:]
		b.bytes -= l.bytes
		l.forget()
	}
}

// View is a board at one moment. It does not change any more.
type View struct {
	Run    trial.Run
	End    *trial.End // nil: the run goes on
	Began  time.Time
	Last   time.Time // of the last event
	Tasks  []string
	Models []Model
	Change uint64 // another number: something happened
	Fault  any    // what the fold panicked with; nil: nothing
}

// Model is a contestant and its trials, in plan order.
type Model struct {
	Name    string
	Lanes   []Lane
	Current int // the lane that began last; -1: none
}

// Changed is the number of changes so far: cheap to ask for.
func (b *Board) Changed() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.change
}

// Look gives the board as it is.
func (b *Board) Look() View {
	b.mu.Lock()
	defer b.mu.Unlock()
	v := View{Run: b.run, End: b.end, Began: b.began, Last: b.last, Change: b.change, Fault: b.broken, Tasks: b.tasks()}
	at := map[string]int{}
	for i, name := range b.order {
		at[name] = i
		v.Models = append(v.Models, Model{Name: text.Cell(name), Current: -1})
	}
	for _, l := range b.plan {
		l.arriving()
		m := &v.Models[at[l.Model]]
		if l.began > 0 && (m.Current < 0 || l.began > m.Lanes[m.Current].began) {
			m.Current = len(m.Lanes)
		}
		lane := l.Lane
		if b.end != nil && lane.State != Done && lane.State != Queued {
			lane.State, lane.Ended, lane.Doing = Broken, b.last, ""
		}
		m.Lanes = append(m.Lanes, lane)
	}
	return v
}

// tasks gives the tasks in the order of the plan, then of their trials.
func (b *Board) tasks() []string {
	out := slices.Clone(b.run.Tasks)
	seen := map[string]bool{}
	for _, t := range out {
		seen[t] = true
	}
	for _, l := range b.plan {
		if !seen[l.Task] {
			seen[l.Task] = true
			out = append(out, l.Task)
		}
	}
	return out
}
