package tally

import (
	"cookoff/model"
	"cookoff/trial"
)

// Tally sums up the requests of a trial's agent.
type Tally struct {
	Calls   int // of the model that were answered, without helpers
	Helpers int // helper calls that were answered
	Failed  int // calls that failed by the provider's doing
	// Failing counts those in a row, since a call was answered last. Helpers count until
	// the first was: an agent that ends while it is not 0 did not end by its own will.
	Failing int
	// Final is what no further call would mend: a key or a model that the provider does
	// not know, an account that is empty, one that was given up; of package model, or a
	// *traffic.LostError. nil: nothing. Every call is refused then.
	Final    error
	Rejected int // calls that the provider would not take
	Refused  int // requests that the gateway refused
	Left     int // calls that the agent went away from
	// LastFailure is what the provider did last, "" when it never failed.
	LastFailure string
	// LastRejection is why the provider took a call not, the last time.
	LastRejection string

	Usage   model.Usage // of all calls; Known: of each it is
	Guessed bool        // estimates are among it
	CostUSD float64     // as far as it is known
	// Unpriced counts calls whose cost is not known, or rests on an estimate.
	Unpriced   int
	Translated bool    // some calls were translated to another dialect
	Provider   float64 // seconds in requests
	Wait       float64 // seconds in which all its calls waited, for places or for a provider that is down

	// Stop is the limit that was met, "" for none, and Why says it to people.
	Stop trial.Stop
	Why  string
}

// Add counts a request that has ended. Only those that were sent on have usage.
func (t *Tally) Add(r trial.Request) {
	t.Provider += r.Seconds
	t.Translated = t.Translated || r.To != ""
	switch r.Outcome {
	case trial.RequestOK:
		if r.Helper {
			t.Helpers++
		} else {
			t.Calls++
			t.Failing = 0
		}
	case trial.RequestProvider:
		t.Failed++
		if !r.Helper || t.Calls == 0 {
			t.Failing++
		}
		t.LastFailure = r.Why
	case trial.RequestRejected:
		t.Rejected++
		t.LastRejection = r.Why
	case trial.RequestLeft:
		t.Left++
	case trial.RequestRefused:
		t.Refused += max(r.Times, 1)
		return
	}
	if r.Usage == (model.Usage{}) && r.Outcome != trial.RequestOK {
		return
	}
	if t.Usage == (model.Usage{}) {
		t.Usage.Known = true
	}
	t.Usage = t.Usage.Add(r.Usage)
	t.Guessed = t.Guessed || r.Guessed
	if r.CostUSD == nil || r.Guessed {
		t.Unpriced++
	}
	if r.CostUSD != nil {
		t.CostUSD += *r.CostUSD
	}
}
