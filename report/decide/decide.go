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
}

// Evidence is what the trials of a run have shown so far.
type Evidence struct {
	question Question
	plan     Plan
	results  [][][]result // by model, task and trial
	pairs    []pair
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
	e := &Evidence{question: q, plan: p, models: map[string]int{}, tasks: map[string]int{}}
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
	Text    string   // a sentence without its full stop
	Dropped []string // models whose further trials can't change the answer
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

func (e *Evidence) verdict() Verdict {
	var v Verdict
	for m, name := range e.plan.Models {
		if e.dropped(m) {
			v.Dropped = append(v.Dropped, name)
		}
	}
	var open, same []pair
	for _, p := range e.pairs {
		switch {
		case p.decided != 0 || e.question.Kind == Best && (e.beaten(p.a) || e.beaten(p.b)):
		case p.same:
			same = append(same, p)
		default:
			open = append(open, p)
		}
	}
	switch {
	case len(open) == 0 && len(same) == 0:
		v.State, v.Text = Decided, e.answer()
	case len(open) == 0:
		v.State, v.Text = Equivalent, e.answer()
	case !slices.ContainsFunc(open, func(p pair) bool { return !e.hopeless(&p, len(e.pairs)) }):
		v.State = Futile
		v.Text = "not decided: no outcome of what is left can tell " + e.sides(open, " from ")
	default:
		v.Text = "open: " + e.sides(open, " against ")
	}
	return v
}

// beaten reports whether another model is better for sure.
func (e *Evidence) beaten(m int) bool {
	return slices.ContainsFunc(e.pairs, func(p pair) bool {
		return p.a == m && p.decided < 0 || p.b == m &&
			p.decided > 0
	})
}

// dropped reports whether a model's further trials can't change the answer: it is
// beaten where the best is asked for, or all its pairs are decided.
func (e *Evidence) dropped(m int) bool {
	if e.question.Kind == Best && e.beaten(m) {
		return true
	}
	mine := 0
	for _, p := range e.pairs {
		if p.a != m && p.b != m {
			continue
		}
		if mine++; p.decided == 0 && !p.same && !(e.question.Kind == Best && (e.beaten(p.a) || e.beaten(p.b))) {
			return false
		}
	}
	return mine > 0
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
		return fmt.Sprintf("%s are best, less than %.0f points apart", strings.Join(best, " and "), 100*e.question.Delta)
	}
	var out []string
	for _, p := range e.pairs {
		a, b := e.plan.Models[p.a], e.plan.Models[p.b]
		switch {
		case p.decided > 0:
			out = append(out, a+" is better than "+b)
		case p.decided < 0:
			out = append(out, b+" is better than "+a)
		default:
			out = append(out, fmt.Sprintf("%s and %s are less than %.0f points apart", a, b, 100*e.question.Delta))
		}
	}
	return strings.Join(out, "; ")
}
