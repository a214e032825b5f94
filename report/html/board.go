package html

import (
	"cmp"
	"cookoff/report/number"
	"fmt"
	"math"
	"strconv"

	"cookoff/report"
	"cookoff/trial"
)

// board is the leaderboard, the highest rate first.
type board struct {
	Head  []boardHead
	Rows  []boardRow
	Front bool // a row is marked
}

type boardHead struct{ Name, Title string }

type boardRow struct {
	Name     string
	Baseline bool
	Front    bool // of rate against cost
	Cells    []boardCell
}

// boardCell is one number; Sort is what the page sorts by, empty for unknown.
type boardCell struct {
	Text, Title, Sort string
	Bar               *bar
}

// bar is a rate with its interval, in percent of the width.
type bar struct{ Lo, Width, Rate string }

// newBoard makes the table of contestants: a row each, best first.
func newBoard(r *report.Report) board {
	b := board{Head: []boardHead{
		{"model", "the contestant"},
		{"fixed", "trials that passed, of those judged"},
		{"rate", fmt.Sprintf("share fixed, with its %s interval", number.Percent(r.Run.Confidence))},
		{"Δ vs baseline", "paired difference in points, task by task; ~ where it may be chance"},
	}}
	k := r.Repeats()
	if k > 1 {
		b.Head = append(b.Head, boardHead{fmt.Sprintf("pass@%d", k), "chance that one of the trials passes"},
			boardHead{fmt.Sprintf("pass^%d", k), "chance that all trials pass"})
	}
	b.Head = append(b.Head,
		boardHead{"time", "median agent time of a fix"}, boardHead{"p90", "nine fixes in ten took no longer"},
		boardHead{"steps", "of the judged trials"},
		boardHead{"tokens", "in and out"}, boardHead{"cost", "of the judged trials"},
		boardHead{"cost/fix", "cost divided by fixes"})
	if report.SpentNote(r) != "" {
		b.Head = append(b.Head, boardHead{"spent", "on the whole run, with trials that do not count"})
	}
	b.Head = append(b.Head,
		boardHead{"void", "trials that broke through no fault of the model: never in a rate"})
	if len(r.Pending) > 0 {
		b.Head = append(b.Head, boardHead{"open", "trials still to be judged"})
	}
	for _, m := range report.Ranked(r.Models) {
		b.Front = b.Front || onFront(m)
		b.Rows = append(b.Rows, boardRow{
			Name: visibleLine(m.Name), Baseline: m.Name == r.Run.Baseline, Front: onFront(m),
			Cells: boardCells(r, m, k),
		})
	}
	return b
}

// onFront reports whether a model is on the front of rate against cost.
func onFront(m report.Model) bool { return m.Pareto != nil && *m.Pareto }

// boardCells gives the cells of a contestant behind its name. k is how often each task was
// tried.
func boardCells(r *report.Report, m report.Model, k int) []boardCell {
	num := func(text string, x float64) boardCell { return boardCell{Text: text, Sort: sortKey(x)} }
	usd := func(x *float64) boardCell {
		if x == nil {
			return boardCell{Text: number.Money(x), Title: "unknown"}
		}
		return num(number.Money(x), *x)
	}
	steps, tokens := num(strconv.Itoa(m.Steps), float64(m.Steps)), boardCell{Text: "-", Title: "unknown"}
	if m.Judged() == 0 {
		steps = boardCell{Text: "-"}
	}
	if n := m.Usage.Input + m.Usage.Output; m.Usage.Known {
		tokens = num(number.Tokens(n), float64(n))
		tokens.Title = fmt.Sprintf("%d in (%d cached), %d out (%d reasoning)", m.Usage.Input, m.Usage.Cached,
			m.Usage.Output, m.Usage.Reasoning)
	}
	cells := []boardCell{num(fmt.Sprintf("%d/%d", m.Pass, m.Judged()), float64(m.Pass)), rateCell(m), deltaCell(m)}
	if k > 1 {
		cells = append(cells, num(number.Percent(m.PassAtK[k-1]), m.PassAtK[k-1]),
			num(number.Percent(m.PassHatK[k-1]), m.PassHatK[k-1]))
	}
	cells = append(cells, num(number.Seconds(m.Seconds.Median), m.Seconds.Median),
		num(number.Seconds(m.Seconds.P90), m.Seconds.P90),
		steps, tokens, usd(m.CostUSD), usd(m.CostPerFixUSD))
	if report.SpentNote(r) != "" {
		cells = append(cells, usd(m.SpentUSD))
	}
	cells = append(cells, num(strconv.Itoa(m.Void), float64(m.Void)))
	if len(r.Pending) > 0 {
		cells = append(cells, num(strconv.Itoa(m.Pending), float64(m.Pending)))
	}
	return cells
}

func rateCell(m report.Model) boardCell {
	c := boardCell{Text: number.Percent(m.Rate), Sort: sortKey(m.Rate), Title: "nothing was judged"}
	if m.Interval.Defined() {
		lo, hi := 100*m.Interval.Lo, 100*m.Interval.Hi
		c.Title = fmt.Sprintf("%.0f–%.0f%%", lo, hi)
		c.Bar = &bar{Lo: fixed(lo), Width: fixed(hi - lo), Rate: fixed(100 * m.Rate)}
	}
	return c
}

func deltaCell(m report.Model) boardCell {
	c := boardCell{Text: m.DeltaText()}
	if d := m.Delta; d != nil && d.Tasks > 0 {
		c.Sort = sortKey(d.Diff)
		c.Title = fmt.Sprintf("%+.0f points [%+.0f to %+.0f] over %d shared tasks", 100*d.Diff, 100*d.Interval.Lo,
			100*d.Interval.Hi, d.Tasks)
	}
	return c
}

func sortKey(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// fixed prints a coordinate.
func fixed(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

// heatMap is the task × model matrix.
type heatMap struct {
	Models []heatHead
	Rows   []heatRow
}

type heatHead struct{ Name, Short string }

type heatRow struct {
	Task  string
	Rate  string // over all models, to sort by; empty for unknown
	Cells []heatCell
}

// heatCell says what became of the trials of a task and model: a glyph and a
// count carry the meaning, the class only its colour.
type heatCell struct {
	Glyph, Text, Label, Class string
	Trial                     string // id of the first that failed, else of the first; or ""
}

type tally struct {
	pass, fail, void, open int
	cause                  trial.Cause
	first, failed          string // ids
}

// newHeatMap makes the map of tasks (rows) against contestants (columns).
func newHeatMap(r *report.Report) heatMap {
	by := map[[2]string]*tally{}
	for _, t := range allTrials(r) {
		k := [2]string{t.Task, t.Model}
		if by[k] == nil {
			by[k] = &tally{first: visibleLine(t.ID)}
		}
		by[k].add(t)
	}
	var h heatMap
	short := shortNames(r.Models)
	for _, m := range r.Models {
		h.Models = append(h.Models, heatHead{visibleLine(m.Name), short[m.Name]})
	}
	for _, task := range r.Tasks {
		row, all := heatRow{Task: visibleLine(task)}, tally{}
		for _, m := range r.Models {
			c := by[[2]string{task, m.Name}]
			if c == nil {
				c = &tally{}
			}
			all.pass, all.fail = all.pass+c.pass, all.fail+c.fail
			cell := c.cell()
			cell.Label = fmt.Sprintf("%s on %s: %s", visibleLine(m.Name), row.Task, cell.Label)
			row.Cells = append(row.Cells, cell)
		}
		if n := all.pass + all.fail; n > 0 {
			row.Rate = sortKey(float64(all.pass) / float64(n))
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

func (t *tally) add(tr report.Trial) {
	switch statusOf(tr) {
	case "pass":
		t.pass++
	case "fail":
		t.fail, t.cause = t.fail+1, tr.Outcome.Cause
		t.failed = cmp.Or(t.failed, visibleLine(tr.ID))
	case "void":
		t.void, t.cause = t.void+1, tr.Outcome.Cause
	default:
		t.open++
	}
}

// shareClass is the shade of a share fixed: s0 for none to s4 for all.
func shareClass(share float64) string {
	switch {
	case share <= 0:
		return "s0"
	case share >= 1:
		return "s4"
	}
	return "s" + strconv.Itoa(2+cmp.Compare(share, 0.5))
}

// cell gives the mark, the class for colour and the words of one contestant at one task.
func (t *tally) cell() heatCell {
	judged := t.pass + t.fail
	c := heatCell{Trial: cmp.Or(t.failed, t.first)}
	switch {
	case judged+t.void+t.open == 0:
		return heatCell{Glyph: "–", Class: "none", Label: "not planned"}
	case judged == 0 && t.void > 0:
		c.Glyph, c.Class, c.Text = glyph("void"), "void", visibleLine(string(t.cause))
	case judged == 0:
		c.Glyph, c.Class = glyph(open), open
	case t.fail == 0:
		c.Glyph, c.Class = glyph("pass"), "s4"
	case t.pass == 0:
		c.Glyph, c.Class, c.Text = glyph("fail"), "s0", visibleLine(string(t.cause))
	default:
		c.Glyph, c.Class = "◐", shareClass(float64(t.pass)/float64(judged))
	}
	if judged > 1 {
		c.Text = fmt.Sprintf("%d/%d", t.pass, judged)
	}
	if judged > 0 {
		c.Label = fmt.Sprintf("%d of %d fixed", t.pass, judged)
	}
	for _, x := range []struct {
		n    int
		what string
	}{{t.void, "void"}, {t.open, "open"}} {
		if x.n > 0 && c.Label != "" {
			c.Label += ", "
		}
		if x.n > 0 {
			c.Label += fmt.Sprintf("%d %s", x.n, x.what)
		}
	}
	if t.cause != "" {
		c.Label += " (" + visibleLine(string(t.cause)) + ")"
	}
	return c
}
