package report

import (
	"fmt"
	"maps"
	"slices"

	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// A mark and a word say what became of a trial, so that no colour is needed.
const (
	MarkPass = "✓"
	MarkFail = "✗"
	MarkVoid = "?"
	markOpen = "…"
)

// Cell is one field of the task × model matrix.
type Cell struct {
	Text  string
	State trial.Status // what colour it may have; "" for none
}

// tally is what became of the trials of one task and model.
type tally struct {
	pass, fail, void, open int
	causes                 map[trial.Cause]int // of those that did not pass
}

// Matrix gives, by task and model, what became of the trials.
func Matrix(r *Report) map[[2]string]Cell {
	by := map[[2]string]*tally{}
	at := func(t Trial) *tally {
		k := [2]string{t.Task, t.Model}
		if by[k] == nil {
			by[k] = &tally{causes: map[trial.Cause]int{}}
		}
		return by[k]
	}
	for _, t := range r.Trials {
		c := at(t)
		switch t.Outcome.Status {
		case trial.Pass:
			c.pass++
		case trial.Fail:
			c.fail++
			c.causes[t.Outcome.Cause]++
		case trial.Void:
			c.void++
			c.causes[t.Outcome.Cause]++
		}
	}
	for _, t := range r.Pending {
		at(t).open++
	}
	out := map[[2]string]Cell{}
	for k, c := range by {
		if c.pass+c.fail+c.void+c.open == 1 {
			out[k] = c.single()
		} else {
			out[k] = c.several()
		}
	}
	return out
}

func (t *tally) single() Cell {
	switch {
	case t.pass == 1:
		return Cell{MarkPass, trial.Pass}
	case t.fail == 1:
		return Cell{Marked(MarkFail, string(t.commonest())), trial.Fail}
	case t.void == 1:
		return Cell{Marked(MarkVoid, string(t.commonest())), trial.Void}
	}
	return Cell{markOpen, ""}
}

// commonest is the cause that most of the trials which did not pass have.
func (t *tally) commonest() trial.Cause { return commonest(t.causes) }

func commonest(causes map[trial.Cause]int) (most trial.Cause) {
	for _, c := range slices.Sorted(maps.Keys(causes)) {
		if most == "" || causes[c] > causes[most] {
			most = c
		}
	}
	return most
}

// several says how many of the judged trials passed, and why most of the others
// did not; what is void or open stands behind.
func (t *tally) several() Cell {
	var c Cell
	judged := t.pass + t.fail
	switch {
	case judged == 0 && t.void > 0:
		c = Cell{MarkVoid, trial.Void}
	case judged == 0:
		return Cell{markOpen, ""}
	case t.fail == 0:
		c = Cell{fmt.Sprintf("%s %d/%d", MarkPass, t.pass, judged), trial.Pass}
	case t.pass == 0:
		c = Cell{fmt.Sprintf("%s %d/%d", MarkFail, t.pass, judged), trial.Fail}
	default:
		c = Cell{Text: fmt.Sprintf("  %d/%d", t.pass, judged)}
	}
	if judged == 0 {
		c.Text += fmt.Sprintf(" %d", t.void)
	}
	if t.fail > 0 || judged == 0 {
		c.Text = Marked(c.Text, string(t.commonest()))
	}
	if judged > 0 && t.void > 0 {
		c.Text += fmt.Sprintf(" %s%d", MarkVoid, t.void)
	}
	if t.open > 0 {
		c.Text += " " + markOpen
	}
	return c
}

// Marked is a mark and what a journal says with it.
func Marked(mark, word string) string {
	if word == "" {
		return mark
	}
	return mark + " " + text.Visible(word)
}
