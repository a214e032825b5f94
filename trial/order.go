package trial

import (
	"fmt"
	"time"
)

// attemptKey names an attempt.
type attemptKey struct {
	trial   string
	attempt int
}

// order sees that the events of a journal are those of one run, each once and in
// its place. The zero order has seen none.
type order struct {
	run    string             // its id; "": it has not begun
	own    int                // number of the run's own last event
	before int                // number of the event before
	at     map[Kind]time.Time // of the run's own last events
	plan   map[string]Trial   // by id
	last   map[attemptKey]*place
}

// place is how far an attempt has come.
type place struct {
	seq   int  // of its last event
	ended bool // that was its end
}

// misplaced says that a line holds an event, but not one that can stand there.
type misplaced struct {
	what  string
	trial bool // the trial's record is not what it was; false: the line is of no trial of this run
}

func (e *misplaced) Error() string { return e.what }

// add takes the next event. Its error is a *misplaced.
func (o *order) add(e *Event) error {
	defer func() { o.before = e.Seq }()
	if e.Trial == "" {
		return o.addOwn(e)
	}
	if err := o.fits(e); err != nil {
		return err
	}
	key := attemptKey{e.Trial, e.Attempt}
	p := o.last[key]
	first := p == nil
	if first {
		if o.last == nil {
			o.last = map[attemptKey]*place{}
		}
		p = &place{}
		o.last[key] = p
	}
	before := *p
	p.seq, p.ended = e.Seq, e.Kind == TrialFinished
	switch {
	case first && e.Attempt > 1 && o.last[attemptKey{e.Trial, e.Attempt - 1}] == nil:
		return &misplaced{fmt.Sprintf("it is of attempt %d of trial %s, and attempt %d is not there",
			e.Attempt, e.Trial, e.Attempt-1), true}
	case e.Seq == 0 && before.seq == 0: // they have no numbers
	case first && e.Kind == TrialStarted: // numbers may run through the whole journal
	case e.Seq != before.seq+1:
		return &misplaced{fmt.Sprintf("it is number %d of trial %s, attempt %d, behind number %d", e.Seq,
			e.Trial, e.Attempt, before.seq), true}
	}
	if before.ended && e.Kind != TrialResumed {
		return &misplaced{fmt.Sprintf("it stands behind the end of trial %s, attempt %d", e.Trial, e.Attempt), true}
	}
	return nil
}

// fits refuses an event of a trial that another run has planned.
func (o *order) fits(e *Event) error {
	switch {
	case o.run == "":
		return &misplaced{"it stands before the run began", false}
	case len(o.plan) == 0:
		return nil
	}
	t, planned := o.plan[e.Trial]
	switch {
	case !planned:
		return &misplaced{fmt.Sprintf("it is of trial %.40q, which this run has none of", e.Trial), false}
	case e.Start != nil && t != *e.Start:
		return &misplaced{fmt.Sprintf("it is of a trial of %.40q at %.40q, and %s is one of %.40q at %.40q",
			e.Start.Model, e.Start.Task, e.Trial, t.Model, t.Task), false}
	}
	return nil
}

// addOwn takes an event of the run itself. They are numbered anew when it is
// resumed.
func (o *order) addOwn(e *Event) error {
	if at, ok := o.at[e.Kind]; ok && at.Equal(e.At) && !at.IsZero() {
		return &misplaced{fmt.Sprintf("it is the %s that was there before", e.Kind), false}
	}
	switch e.Kind {
	case RunStarted:
		if e.Run == nil || o.run != "" && e.Run.ID != o.run {
			return &misplaced{"it is of another run", false}
		}
		if o.run == "" {
			o.plan, o.at = map[string]Trial{}, map[Kind]time.Time{}
		}
		for _, t := range e.Run.Trials {
			o.plan[t.ID] = t
		}
		o.run, o.own = e.Run.ID, e.Seq
	case RunFinished:
		switch {
		case o.run == "":
			return &misplaced{"it stands before the run began", false}
		case e.Seq != 0 && e.Seq != o.own+1 && e.Seq != o.before+1: // they may run through the whole journal
			return &misplaced{fmt.Sprintf("it is number %d of the run, behind number %d", e.Seq, o.own), false}
		}
		o.own = max(o.own, e.Seq)
	default: // of a later version
		o.own = max(o.own, e.Seq)
		return nil
	}
	o.at[e.Kind] = e.At
	return nil
}
