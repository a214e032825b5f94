// Package decide says during a run whether what it was begun for is decided: it
// looks at the evidence after every trial, as often as it likes, and false alarms
// stay as rare as was asked (package anytime).
package decide

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what is asked.
type Kind int

// What can be asked.
const (
	Best     Kind = iota // which contestant is better than each other one
	Ranking              // in which order all of them stand
	Baseline             // which are better or worse than the baseline
	Pair                 // which of two is better
)

// Question is what a run is to decide.
type Question struct {
	Kind  Kind
	A, B  string  // of Pair; A is the baseline of Baseline
	Level float64 // of false alarms, as 0.05
	Delta float64 // the smallest difference of rates that matters, as 0.1; 0: any does
}

// Words are how questions are written.
const Words = `best, ranking, baseline, or "MODEL vs MODEL"`

// Parse reads what is asked. models are those of the comparison, baseline the one
// that others are compared with.
func Parse(text, baseline string, models []string) (Question, error) {
	a, b, pair := strings.Cut(text, " vs ")
	q := Question{Level: 0.05}
	switch {
	case text == "best":
		q.Kind = Best
	case text == "ranking":
		q.Kind = Ranking
	case text == "baseline" || text == "better than baseline":
		q.Kind, q.A = Baseline, baseline
	case pair:
		q.Kind, q.A, q.B = Pair, strings.TrimSpace(a), strings.TrimSpace(b)
	default:
		return q, fmt.Errorf("%q is no question: allowed are %s", text, Words)
	}
	if len(models) < 2 {
		return q, fmt.Errorf("%q needs two models at least, and there is %d", text, len(models))
	}
	for _, m := range []string{q.A, q.B} {
		if m != "" && !slices.Contains(models, m) {
			return q, fmt.Errorf("%q asks about %q, which is none of the models: %s", text, m,
				strings.Join(models, ", "))
		}
	}
	if pair && q.A == q.B {
		return q, fmt.Errorf("%q asks about one model twice", text)
	}
	return q, nil
}

// pairs are the pairs of models that a question is about, by their places.
func (q Question) pairs(models []string) (out [][2]int) {
	for i, a := range models {
		for j := i + 1; j < len(models); j++ {
			b := models[j]
			switch {
			case q.Kind == Pair && !(a == q.A && b == q.B || a == q.B && b == q.A):
			case q.Kind == Baseline && a != q.A && b != q.A:
			default:
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}
