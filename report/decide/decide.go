package decide

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/report/stat/anytime"
)

// Plan is what a run tries: each model on each task some times, a round of all
// after the other.
type Plan struct {
	Models, Tasks []string
	Trials        int
	MaxUSD        float64 // that the run may spend; 0: any
}

// Evidence is what the trials of a run have shown so far.
type Evidence struct {
	question Question
	plan     Plan
	results  [][][]result // by model, task and trial
	pairs    []pair
	purse    purse
	models   map[string]int
	tasks    map[string]int
}

type result byte

const (
	pending result = iota
	passed
	failed
	void
)

// New begins without evidence.
func New(q Question, p Plan) *Evidence {
	p.Trials = max(p.Trials, 1)
	e := &Evidence{question: q, plan: p, models: map[string]int{}, tasks: map[string]int{},
		purse: purse{limit: p.MaxUSD, costs: make([]cost, len(p.Models))}}
	for i, m := range p.Models {
		e.models[m] = i
		e.results = append(e.results, nil)
		for range p.Tasks {
			e.results[i] = append(e.results[i], make([]result, p.Trials))
		}
	}
	for i, t := range p.Tasks {
		e.tasks[t] = i
	}
	for _, ij := range q.pairs(p.Models) {
		e.pairs = append(e.pairs, pair{a: ij[0], b: ij[1]})
	}
	return e
}

// Passed, Failed and Void take in how a trial of a model ended: n is which of its
// trials of the task, from 1. A trial that is not in the plan is not counted.
func (e *Evidence) Passed(model, task string, n int) { e.add(model, task, n, passed) }

// Failed is said of Passed.
func (e *Evidence) Failed(model, task string, n int) { e.add(model, task, n, failed) }

// Void is said of Passed.
func (e *Evidence) Void(model, task string, n int) { e.add(model, task, n, void) }

func (e *Evidence) add(model, task string, n int, r result) {
	m, known := e.models[model]
	t, also := e.tasks[task]
	if known && also && n >= 1 && n <= e.plan.Trials {
		e.results[m][t][n-1] = r
	}
}

// State is how far a question is.
type State int

// The states of a question.
const (
	Open       State = iota // more trials may decide it
	Decided                 // there is an answer
	Equivalent              // there is one: what differs is less than matters
	Futile                  // what is left can't decide it
)

func (s State) String() string { return [...]string{"open", "decided", "equivalent", "futile"}[s] }

// Verdict is what the evidence says.
type Verdict struct {
	State   State
	Text    string            // a sentence without its full stop
	Dropped []string          // models whose further trials can't change the answer
	Why     map[string]string // of those that are dropped
}

// Look weighs the evidence. What was decided once stays so.
func (e *Evidence) Look() Verdict {
	for i := range e.pairs {
		e.look(&e.pairs[i], len(e.pairs))
	}
	for r := range e.plan.Trials {
		var es []float64
		for _, p := range e.pairs {
			es = append(es, p.evidence[r])
		}
		enough := 1 / (e.question.Level * anytime.Share(r+1, e.plan.Trials))
		for i, v := range anytime.Holm(es) {
			if p := &e.pairs[i]; p.decided == 0 && v >= enough {
				p.decided = p.wins[r]
			}
		}
	}
	return e.verdict()
}

// verdict sums up what the trials so far say: which contestants are dropped and why, and
// whether the question is decided, open, or not to be decided with what is left.
func (e *Evidence) verdict() Verdict {
	for i := range e.pairs {
		if p := &e.pairs[i]; !e.settled(p) && p.futile != noMoney { // money is not regained by a cheap trial
			p.futile = e.futility(p)
		}
	}
	v := Verdict{Why: map[string]string{}}
	for m, name := range e.plan.Models {
		if why := e.dropped(m); why != "" {
			v.Dropped = append(v.Dropped, name)
			v.Why[name] = why
		}
	}
	var open, same []pair
	for _, p := range e.pairs {
		switch {
		case !e.settled(&p):
			open = append(open, p)
		case p.decided == 0 && p.same && !e.irrelevant(&p):
			same = append(same, p)
		}
	}
	switch {
	case len(open) == 0 && len(same) == 0:
		v.State, v.Text = Decided, e.answer()
	case len(open) == 0:
		v.State, v.Text = Equivalent, e.answer()
	case !slices.ContainsFunc(open, func(p pair) bool { return p.futile == "" }):
		v.State = Futile
		v.Text = "not decided: " + e.undecided(open)
	default:
		v.Text = "open: " + e.sides(open, " against ")
	}
	return v
}

// settled reports whether nothing more is asked about a pair.
func (e *Evidence) settled(p *pair) bool { return p.decided != 0 || p.same || e.irrelevant(p) }

// irrelevant reports whether the best is asked for, and one of a pair is not.
func (e *Evidence) irrelevant(p *pair) bool {
	return e.question.Kind == Best && (e.beaten(p.a) || e.beaten(p.b))
}

// undecided says why pairs stay open, and what is known all the same.
func (e *Evidence) undecided(open []pair) string {
	poor := slices.DeleteFunc(slices.Clone(open), func(p pair) bool { return p.futile != noMoney })
	rest := slices.DeleteFunc(slices.Clone(open), func(p pair) bool { return p.futile == noMoney })
	var out []string
	if len(rest) > 0 {
		out = append(out, "no outcome of what is left can tell "+e.sides(rest, " from "))
	}
	if len(poor) > 0 {
		out = append(out, fmt.Sprintf("what is left of $%g can't tell %s, "+
			"even if trials are cheaper from now on (resume with a larger --max-total-cost goes on)",
			e.purse.limit, e.sides(poor, " from ")))
	}
	for _, p := range e.pairs {
		if p.decided != 0 || p.same {
			out = append(out, e.relation(&p))
		}
	}
	return strings.Join(out, "; ")
}

// beaten reports whether another model is better for sure.
func (e *Evidence) beaten(m int) bool {
	return slices.ContainsFunc(e.pairs, func(p pair) bool {
		return p.a == m && p.decided < 0 || p.b == m &&
			p.decided > 0
	})
}

// dropped says why a model's further trials can't change the answer: it is beaten where the
// best is asked for, or each of its pairs is settled or futile. "": they can.
func (e *Evidence) dropped(m int) string {
	for _, p := range e.pairs {
		if e.question.Kind == Best && (p.a == m && p.decided < 0 || p.b == m && p.decided > 0) {
			return e.relation(&p)
		}
	}
	mine, why := 0, futility("what it was asked about is decided")
	for _, p := range e.pairs {
		if p.a != m && p.b != m {
			continue
		}
		if mine++; e.settled(&p) {
			continue
		}
		if p.futile == "" {
			return ""
		}
		why = p.futile
	}
	if mine == 0 {
		return ""
	}
	return string(why)
}

// sides names pairs, three at most.
func (e *Evidence) sides(ps []pair, between string) string {
	var out []string
	for _, p := range ps[:min(len(ps), 3)] {
		out = append(out, e.plan.Models[p.a]+between+e.plan.Models[p.b])
	}
	if more := len(ps) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more pairs", more))
	}
	return strings.Join(out, ", ")
}

// answer says what is known of every pair, or who is best.
func (e *Evidence) answer() string {
	if e.question.Kind == Best {
		var best []string
		for m, name := range e.plan.Models {
			if !e.beaten(m) {
				best = append(best, name)
			}
		}
		if len(best) == 1 {
			return best[0] + " is better than each other model"
		}
		return fmt.Sprintf("%s are best, less than %.0f points apart", strings.Join(best, " and "),
			100*e.question.Delta)
	}
	var out []string
	for _, p := range e.pairs {
		out = append(out, e.relation(&p))
	}
	return strings.Join(out, "; ")
}

// relation says what is known of a pair that is decided, or the same.
func (e *Evidence) relation(p *pair) string {
	a, b := e.plan.Models[p.a], e.plan.Models[p.b]
	switch {
	case p.decided > 0:
		return a + " is better than " + b
	case p.decided < 0:
		return b + " is better than " + a
	}
	return fmt.Sprintf("%s and %s are less than %.0f points apart", a, b, 100*e.question.Delta)
}
