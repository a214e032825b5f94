package decide

import (
	"math"
	"slices"

	"cookoff/report/stat/anytime"
)

// pair is the evidence between two models.
type pair struct {
	a, b     int       // places of the models
	decided  int       // 1: a is better; -1: b is; 0: it is open
	same     bool      // their rates differ by less than matters
	evidence []float64 // by round, from the first
	wins     []int     // who is ahead by what each round has seen: 1, 0, -1
	futile   futility  // why it can't be decided any more; "": it can
}

// futility is why a pair can't be decided by what is left.
type futility string

// Why a pair can't be decided.
const (
	noTrials futility = "no outcome of what is left can decide what it was asked about"
	noMoney  futility = "the money that is left can't decide what it was asked about"
)

// differences are those of the rates of two models on the tasks that have been
// tried r times by both, in the order of the plan, up to the first task that has
// not: who is quick must not be looked at first. Void trials say nothing. rest are
// the tasks behind it.
func (e *Evidence) differences(a, b, r int) (diffs []float64, rest int) {
	for t := range e.plan.Tasks {
		x, known := e.rate(a, t, r)
		y, also := e.rate(b, t, r)
		if !known || !also {
			return diffs, len(e.plan.Tasks) - t
		}
		if !math.IsNaN(x) && !math.IsNaN(y) {
			diffs = append(diffs, x-y)
		}
	}
	return diffs, 0
}

// rate is that of a model's first r trials of a task: NaN where all were void,
// not known while one of them has not ended.
func (e *Evidence) rate(model, task, r int) (rate float64, known bool) {
	pass, n := 0, 0
	for i := range r {
		switch e.results[model][task][i] {
		case pending:
			return 0, false
		case passed:
			pass, n = pass+1, n+1
		case failed:
			n++
		}
	}
	return float64(pass) / float64(n), true
}

// value is the e-value of differences seen in a round, and who is ahead.
func value(diffs []float64, round int) (e float64, ahead int) {
	sum, up, down := 0.0, 0, 0
	for _, d := range diffs {
		sum += d
		if d > 0 {
			up++
		} else if d < 0 {
			down++
		}
	}
	switch {
	case sum > 0:
		ahead = 1
	case sum < 0:
		ahead = -1
	}
	if round == 1 {
		return anytime.Discordant(up, down), ahead
	}
	return anytime.Differences(diffs), ahead
}

// look weighs what is there for a pair.
func (e *Evidence) look(p *pair, pairs int) {
	p.evidence, p.wins = p.evidence[:0], p.wins[:0]
	rounds := e.plan.Trials
	for r := 1; r <= rounds; r++ {
		diffs, _ := e.differences(p.a, p.b, r)
		v, ahead := value(diffs, r)
		p.evidence, p.wins = append(p.evidence, v), append(p.wins, ahead)
		if d := e.question.Delta; d > 0 && !p.same {
			from, to := anytime.Sequence(diffs, -1, 1, e.question.Level*anytime.Share(r, rounds)/float64(pairs))
			p.same = from >= -d && to <= d
		}
	}
}

// futility says why a pair can't be decided by what is left.
func (e *Evidence) futility(p *pair) futility {
	unbounded := func(_, rest int) int { return rest }
	switch {
	case e.hopeless(p, unbounded):
		return noTrials
	case e.hopeless(p, func(r, rest int) int { return e.within(p, r, rest) }):
		return noMoney
	}
	return ""
}

// hopeless reports whether nothing that is left can decide a pair, nor show that
// it does not matter which: not even if all of it went one way, or none did.
// within says for each round how many of the tasks that are left can still be tried.
func (e *Evidence) hopeless(p *pair, within func(round, rest int) int) bool {
	rounds := e.plan.Trials
	for r := 1; r <= rounds; r++ {
		diffs, rest := e.differences(p.a, p.b, r)
		share := e.question.Level * anytime.Share(r, rounds)
		if rest = within(r, rest); rest == 0 {
			continue // this round has said what it can
		}
		for _, way := range []float64{1, -1, 0} {
			all := slices.Concat(diffs, slices.Repeat([]float64{way}, rest))
			if way != 0 {
				if v, _ := value(all, r); v >= 1/share {
					return false
				}
			} else if d := e.question.Delta; d > 0 {
				if from, to := anytime.Sequence(all, -1, 1, share/float64(len(e.pairs))); from >= -d && to <= d {
					return false
				}
			}
		}
	}
	return true
}
