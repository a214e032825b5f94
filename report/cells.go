package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"cookoff/trial"
)

// column is one column of the main table.
type column struct {
	head string
	cell func(r *Report, m Model) string
	left bool // text; numbers stand right
}

// columns gives the columns of the main table in the order they stand.
func columns(r *Report) []column {
	cs := []column{
		{head: "model", left: true, cell: func(r *Report, m Model) string { return visible(m.Name) }},
		{head: "fixed", cell: func(r *Report, m Model) string { return fmt.Sprintf("%d/%d", m.Pass, m.Judged()) }},
		{head: "rate", cell: func(r *Report, m Model) string { return rateCell(m) }},
		{head: headDelta, cell: func(r *Report, m Model) string { return r.deltaCell(m) }},
	}
	if k := r.Repeats(); k > 1 {
		cs = append(cs, column{head: fmt.Sprintf("pass^%d", k),
			cell: func(r *Report, m Model) string { return percent(m.PassHatK[k-1]) }})
	}
	cs = append(cs,
		column{head: headTime, cell: func(r *Report, m Model) string { return seconds(m.Seconds.Median) }},
		column{head: headSteps, cell: func(r *Report, m Model) string { return count0(m, strconv.Itoa(m.Steps)) }},
		column{head: headTokens, cell: func(r *Report, m Model) string { return tokenCell(m) }},
		column{head: headCost, cell: func(r *Report, m Model) string { return money(m.CostUSD) }},
		column{head: headPerFix, cell: func(r *Report, m Model) string { return money(m.CostPerFixUSD) }},
	)
	if r.spentDiffers() {
		cs = append(cs, column{head: headSpent, cell: func(r *Report, m Model) string { return money(m.SpentUSD) }})
	}
	cs = append(cs,
		column{head: headVoid, cell: func(r *Report, m Model) string { return strconv.Itoa(m.Void) }},
	)
	if n := sideEffects(r, ""); n > 0 {
		cs = append(cs, column{head: headBeside,
			cell: func(r *Report, m Model) string { return strconv.Itoa(sideEffects(r, m.Name)) }})
	}
	if len(r.Pending) > 0 {
		cs = append(cs, column{head: headOpen, cell: func(r *Report, m Model) string { return strconv.Itoa(m.Pending) }})
	}
	return cs
}

const (
	headDelta  = "Δ vs baseline"
	headTime   = "time"
	headSteps  = "steps"
	headTokens = "tokens"
	headCost   = "cost"
	headPerFix = "cost/fix"
	headSpent  = "spent"
	headVoid   = "void"
	headOpen   = "open"
	headBeside = "beside"
)

// dropOrder is what a narrow terminal goes without, first to last; model,
// fixed and rate always stay. pass^k goes after cost/fix.
func dropOrder(r *Report) []string {
	return []string{headTokens, headSteps, headPerFix, fmt.Sprintf("pass^%d", r.Repeats()), headSpent, headCost, headTime,
		headBeside, headOpen, headVoid, headDelta}
}

// sideEffects counts what the trials of a model ("": of all) that passed left
// beside the repair.
func sideEffects(r *Report, model string) int {
	n := 0
	for _, t := range r.Trials {
		if s := t.Outcome.SideEffects; s != nil && t.Outcome.Status == trial.Pass && (model == "" || t.Model == model) {
			n += s.Count
		}
	}
	return n
}

func rateCell(m Model) string {
	if math.IsNaN(m.Rate) {
		return dash
	}
	return percent(m.Rate) + " " + interval(m.Interval)
}

// deltaCell marks the baseline where there is something to compare it with.
func (r *Report) deltaCell(m Model) string {
	if m.Name == r.Run.Baseline && len(r.Models) > 1 {
		return "baseline"
	}
	return deltaCell(m)
}

// deltaCell says by how many points a model differs from the baseline: "~" where
// that may be chance.
func deltaCell(m Model) string {
	switch d := m.Delta; {
	case d == nil, d.Tasks == 0:
		return dash
	case !d.Significant:
		return "~ " + pValue(d.P)
	default:
		return fmt.Sprintf("%+.0f %s", 100*d.Diff, pValue(d.P))
	}
}

func pValue(p float64) string {
	switch {
	case math.IsNaN(p):
		return "p=" + dash
	case p < 0.001:
		return "p<.001"
	case p >= 0.995:
		return "p=1"
	case p < 0.01:
		return "p=" + strings.TrimPrefix(fmt.Sprintf("%.3f", p), "0")
	}
	return "p=" + strings.TrimPrefix(fmt.Sprintf("%.2f", p), "0")
}

func tokenCell(m Model) string {
	if !m.Usage.Known {
		return dash
	}
	return tokens(m.Usage.Input + m.Usage.Output)
}

func count0(m Model, s string) string {
	if m.Judged() == 0 {
		return dash
	}
	return s
}

// A mark and a word say what became of a trial, so that no colour is needed.
const (
	markPass = "✓"
	markFail = "✗"
	markVoid = "?"
	markOpen = "…"
)

// cell is one field of the task × model matrix.
type cell struct {
	text  string
	state trial.Status // what colour it may have; "" for none
}

// tally is what became of the trials of one task and model.
type tally struct {
	pass, fail, void, open int
	causes                 map[trial.Cause]int // of those that did not pass
}

// matrix gives, by task and model, what became of the trials.
func matrix(r *Report) map[[2]string]cell {
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
	out := map[[2]string]cell{}
	for k, c := range by {
		if c.pass+c.fail+c.void+c.open == 1 {
			out[k] = c.single()
		} else {
			out[k] = c.several()
		}
	}
	return out
}

func (t *tally) single() cell {
	switch {
	case t.pass == 1:
		return cell{markPass, trial.Pass}
	case t.fail == 1:
		return cell{join(markFail, string(t.commonest())), trial.Fail}
	case t.void == 1:
		return cell{join(markVoid, string(t.commonest())), trial.Void}
	}
	return cell{markOpen, ""}
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
func (t *tally) several() cell {
	var c cell
	judged := t.pass + t.fail
	switch {
	case judged == 0 && t.void > 0:
		c = cell{markVoid, trial.Void}
	case judged == 0:
		return cell{markOpen, ""}
	case t.fail == 0:
		c = cell{fmt.Sprintf("%s %d/%d", markPass, t.pass, judged), trial.Pass}
	case t.pass == 0:
		c = cell{fmt.Sprintf("%s %d/%d", markFail, t.pass, judged), trial.Fail}
	default:
		c = cell{text: fmt.Sprintf("  %d/%d", t.pass, judged)}
	}
	if judged == 0 {
		c.text += fmt.Sprintf(" %d", t.void)
	}
	if t.fail > 0 || judged == 0 {
		c.text = join(c.text, string(t.commonest()))
	}
	if judged > 0 && t.void > 0 {
		c.text += fmt.Sprintf(" %s%d", markVoid, t.void)
	}
	if t.open > 0 {
		c.text += " " + markOpen
	}
	return c
}

func join(mark, word string) string {
	if word == "" {
		return mark
	}
	return mark + " " + visible(word)
}
