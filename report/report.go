// Package report folds a journal into the numbers of a comparison, and says what
// follows from them; package formats writes it. It reads events and nothing else: a
// report of a file written months ago and of a run that is still going on are made
// by the same code, and the same journal always gives the same bytes.
//
// Text in a Report is as the journal has it. Models, tools and recipes wrote it;
// only a renderer knows what is dangerous where it prints, so each makes it safe.
package report

import (
	"time"

	"cookoff/model"
	"cookoff/report/stat"
	"cookoff/trial"
)

// Report is everything that the formats print. Rates are fractions, times are
// seconds, money is USD. NaN and nil mean unknown or undefined, never 0.
type Report struct {
	Run      trial.Run // as planned; its Markdown is left out
	Started  time.Time // by the journal's clock; zero: not known
	State    State
	Decision *trial.Decision // of the question that the run asked; nil: none, or not yet
	Seconds  float64         // of the whole run, by its own clock; NaN while it is going on
	Error    string          // why the run could not go on, or ""
	Answer   string          // in one sentence: who is best, by how much, how sure, at what price
	Models   []Model         // in the recipe's order
	Tasks    []string
	Trials   []Trial // finished ones, in plan order
	Pending  []Trial // planned or begun but without an outcome that counts, in plan order
	Excluded []trial.Exclude
	Missing  []int    // parts of the comparison that none of several runs is of, from 1
	Foreign  []string // how its runs are no parts of one comparison
	Smallest Smallest
	Warnings []string
	Gates    []GateResult         // filled in by whoever checks them
	Split    time.Time            // at which tasks are told apart, see SplitAt; zero: none. Filled in by whoever asks
	Cutoffs  map[string]time.Time // the same of contestants that have a day of their own
}

// State says how far a run got.
type State string

// States of a run. Without its last event nobody can say whether a run is going
// on or was killed, so both are Unended.
const (
	Finished    State = "finished"
	Interrupted State = "interrupted"
	Broken      State = "broken" // it could not go on; see Error
	Unended     State = "unended"
	Spent       State = "spent" // its budget was: trials are left to be done; see Error
)

// Model is what one model did. Steps, Usage, CostUSD, Counters and Time are sums
// over its judged trials; what voids and earlier attempts took is no fault of the
// model's and is only in SpentUSD.
type Model struct {
	Name             string
	Pass, Fail, Void int
	Pending          int           // trials without an outcome
	Rate             float64       // Pass/(Pass+Fail)
	Interval         stat.Interval // of Rate over tasks like these, or of the only task
	VoidRates        stat.Interval // the worst and best rate had the voids ended one way or the other
	Delta            *Delta        // against the baseline; nil for the baseline itself
	PassAtK          []float64     // [k-1]: the chance that one of k trials passes, mean over tasks
	PassHatK         []float64     // [k-1]: the chance that all of k trials pass
	Seconds          Quantiles     // time to fix: agent time of the trials that passed
	Time             trial.Seconds
	Steps            int
	Usage            model.Usage
	CostUSD          *float64
	CostPerFixUSD    *float64 // CostUSD/Pass; nil without a pass
	// Pareto says that no other model fixes as much for less a trial, or more for as
	// little, and that it fixed any; nil: rate or cost unknown.
	Pareto      *bool
	SpentUSD    *float64    // every attempt, void or not
	Unsettled   trial.Bound // requests that were under way when the run was cut off: in no other number
	Restarts    int         // attempts that were cut off and could not go on: others took their place
	RestartsUSD float64     // what their replies had cost, as far as is known
	Counters    trial.Counters
	Causes      map[trial.Cause]int // of fails and voids
	Served      []string            // what the provider says it used, sorted
	ServedIn    map[string]ServedIn // how often, by those names
	Helpers     []string            // the same of sub-agents
}

// ServedIn says how many replies a model gave, and the first trial of these.
type ServedIn struct {
	First   string
	Replies int
}

// Quantiles sum up a distribution, in seconds.
type Quantiles struct{ Median, P90 float64 }

// Delta is the paired comparison of a model with the baseline over the tasks
// that both were judged on.
type Delta struct {
	Baseline    string
	Tasks       int           // shared
	Diff        float64       // mean over these tasks of the model's rate less the baseline's
	Interval    stat.Interval // of Diff
	P           float64       // two-sided, adjusted by Holm for the number of models
	Test        string        // mcnemar_exact, sign_flip
	Significant bool          // P <= 1 - confidence
}

// Smallest is the smallest difference that this run could have shown.
type Smallest struct {
	Diff   float64 // NaN where no difference could have been significant
	Needed int     // tasks that must differ, all one way, before one is
}

// Trial is one trial and its last attempt.
type Trial struct {
	trial.Trial
	Attempt int           // 0: not begun
	Outcome trial.Outcome // zero while pending; without Answer
	Earlier []Attempt     // the ones before, oldest first

	SpentUSD *float64  // on all attempts; nil: unknown
	Started  time.Time // the last attempt; zero: not known
	Host     string    // the machine of the last attempt; "": there was one
}

// Attempt is an attempt that a later one took the place of.
type Attempt struct {
	N       int
	Outcome trial.Outcome
}

// Judged reports whether the trial counts: it passed or failed.
func (t Trial) Judged() bool {
	return t.Outcome.Status == trial.Pass || t.Outcome.Status == trial.Fail
}

// Judged is the number of trials that count.
func (m Model) Judged() int { return m.Pass + m.Fail }

// Judged is the number of trials of the run that count.
func (r *Report) Judged() int {
	n := 0
	for _, m := range r.Models {
		n += m.Judged()
	}
	return n
}

// Unjudged are the names of the models where nothing of any of them was judged, though of baselines
// something may have been: every trial of a model is void.
func (r *Report) Unjudged() (names []string) {
	for _, m := range r.Models {
		switch {
		case Control(r.Run.Behind(m.Name)):
		case m.Judged() > 0:
			return nil
		case m.Void > 0:
			names = append(names, m.Name)
		}
	}
	return names
}

// Repeats is how often the plan tries each task with each model.
func (r *Report) Repeats() int {
	n := 1
	for _, ts := range [][]Trial{r.Trials, r.Pending} {
		for i := range ts {
			n = max(n, ts[i].N)
		}
	}
	return n
}

// GateResult is one gate, checked. A MaxVoid gate that doesn't hold is a fault of
// the infrastructure, not of a model.
type GateResult struct {
	Gate  string // as on the command line: fail-under, max-void
	Model string // "": the run
	Want  float64
	Got   float64 // NaN: nothing was judged
	Held  bool
	Why   string // one sentence
}
