package decide

import (
	"slices"
	"sync"

	"cookoff/trial"
)

// Watch looks at the evidence as a run goes, as a sink of its events, and says
// which trials are still wanted. It is safe for concurrent use.
type Watch struct {
	question trial.Question

	mu       sync.Mutex
	evidence *Evidence
	trials   map[string]trial.Trial // by their ids
	verdict  Verdict
	ended    int
	dropped  []trial.Dropped
}

// NewWatch watches for the answer to q; asked is how the user put it.
func NewWatch(asked string, q Question, p Plan) *Watch {
	return &Watch{question: trial.Question{Ask: asked, Level: q.Level, Delta: q.Delta}, evidence: New(q, p),
		trials: map[string]trial.Trial{}}
}

// Answerable reports whether the trials that are left can answer the question at
// all, however they end.
func (w *Watch) Answerable() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.evidence.Look().State != Futile
}

// Question is what is to be decided.
func (w *Watch) Question() trial.Question { return w.question }

// Emit takes in an event; it never fails.
func (w *Watch) Emit(e trial.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case (e.Kind == trial.TrialStarted || e.Kind == trial.TrialResumed) && e.Start != nil:
		w.trials[e.Trial] = *e.Start
		w.take(*e.Start, "") // of an earlier attempt nothing is left
	case e.Kind == trial.TrialFinished && e.Outcome != nil:
		w.ended++
		w.evidence.Cost(w.trials[e.Trial].Model, e.Outcome.CostUSD, e.Outcome.Status != trial.Void)
		w.take(w.trials[e.Trial], e.Outcome.Status)
		if e.Outcome.Status != trial.Void { // which may be tried again at once
			w.look()
		}
	}
	return nil
}

func (w *Watch) take(t trial.Trial, s trial.Status) {
	r := pending
	switch s {
	case trial.Pass:
		r = passed
	case trial.Fail:
		r = failed
	case trial.Void:
		r = void
	}
	w.evidence.add(t.Model, t.Task, t.N, r)
}

func (w *Watch) look() {
	if w.verdict.State != Open {
		return
	}
	if w.verdict = w.evidence.Look(); w.verdict.State != Open {
		return // it ends for all
	}
	for _, m := range w.verdict.Dropped {
		if !slices.ContainsFunc(w.dropped, func(d trial.Dropped) bool { return d.Model == m }) {
			w.dropped = append(w.dropped, trial.Dropped{Model: m, After: w.ended, Why: w.verdict.Why[m]})
		}
	}
}

// Wanted reports whether a trial may still change the answer.
func (w *Watch) Wanted(t trial.Trial) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.verdict.State == Open && !slices.Contains(w.verdict.Dropped, t.Model)
}

// Decision is how far the question is.
func (w *Watch) Decision() trial.Decision {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.look() // what ended void last counts now
	return trial.Decision{State: w.verdict.State.String(), Text: w.verdict.Text, Dropped: w.dropped}
}
