package html

import (
	"bytes"
	"fmt"
	"maps"

	"cookoff/report"
	"cookoff/trial"
)

// Cut are the trials that a page shows cut.
type Cut map[string]cutTrial // by id

// cutTrial is a trial, and its number on the page, from 0.
type cutTrial struct {
	shownTrial
	n    int
	open bool // it has no outcome
}

func newCut(r *report.Report, short []int) Cut {
	c := Cut{}
	all := allTrials(r)
	for _, n := range short {
		c[all[n].ID] = cutTrial{shownTrial{all[n], ""}, n, n >= len(r.Trials)}
	}
	return c
}

// wholeName is the name of the file of a trial: never the id, which others may have
// chosen.
func wholeName(n int) string { return fmt.Sprintf("%04d.html", n+1) }

// Generator is said by the pages that Wholes writes, in their first 2 KiB.
const Generator = `<meta name="generator" content="cookoff transcript">`

// Wholes is a sink for a second reading of a run: it makes a page of each trial that
// is cut on the run's page, and holds no more than those that are under way.
type Wholes struct {
	transcripts *Transcripts
	left        Cut
	home        string
	put         func(name string, page []byte) error
}

// NewWholes makes the sink. home is the address of the run's page, as seen from the
// directory of the others; put takes each of them.
func (c Cut) NewWholes(home string, put func(name string, page []byte) error) *Wholes {
	return &Wholes{NewTranscripts(), maps.Clone(c), home, put}
}

// In is Transcripts.In.
func (w *Wholes) In(journal string) (done func()) { return w.transcripts.In(journal) }

// Emit takes one event. Its error is that of put.
func (w *Wholes) Emit(e trial.Event) error {
	t, wanted := w.left[e.Trial]
	if !wanted {
		return nil
	}
	if err := w.transcripts.Emit(e); err != nil {
		return err
	}
	if t.open || e.Kind != trial.TrialFinished || e.Outcome == nil || max(e.Attempt, 1) != max(t.Attempt, 1) {
		return nil
	}
	return w.write(t)
}

// Close makes the pages of those that never ended.
func (w *Wholes) Close() error {
	for _, t := range w.left {
		if err := w.write(t); err != nil {
			return err
		}
	}
	return nil
}

func (w *Wholes) write(t cutTrial) error {
	var b bytes.Buffer
	d := document{Options: Options{alone: true}, style: style(), script: script(), home: w.home}
	one := []shownTrial{{t.Trial, ""}}
	_, err := d.write(&b, "trial.tmpl", w.transcripts, one, func(common chrome) any {
		p := page{Title: visibleLine(t.Task), Begun: true, Trials: []trialRow{newTrialRow(one[0])}}
		p.Filters = filters(p.Trials)
		return struct {
			chrome
			page
		}{common, p}
	})
	if err != nil {
		return err
	}
	delete(w.left, t.ID)
	w.transcripts.forget(t.ID)
	return w.put(wholeName(t.n), b.Bytes())
}

// forget lets go of a trial. With room again, what comes is kept as at first.
func (t *Transcripts) forget(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.trials[id] {
		t.weight -= a.weight()
	}
	if delete(t.trials, id); len(t.trials) == 0 {
		t.weight = 0 // what was counted is about what was kept
	}
	if t.weight < t.most/4 {
		t.level = 0
	}
}
