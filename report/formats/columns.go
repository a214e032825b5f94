package formats

import (
	"fmt"
	"math"
	"strconv"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/number"
)

// column is one column of the main table.
type column struct {
	head string
	cell func(r *report.Report, m report.Model) string
	left bool // text; numbers stand right
}

// columns gives the columns of the main table in the order they stand.
func columns(r *report.Report) []column {
	cs := []column{
		{head: "model", left: true,
			cell: func(r *report.Report, m report.Model) string { return text.Visible(m.Name) }},
		{head: "fixed", cell: func(r *report.Report, m report.Model) string {
			return fmt.Sprintf("%d/%d", m.Pass, m.Judged())
		}},
		{head: "rate", cell: func(r *report.Report, m report.Model) string { return rateCell(m) }},
		{head: headDelta, cell: func(r *report.Report, m report.Model) string { return deltaCell(r, m) }},
	}
	if k := r.Repeats(); k > 1 {
		cs = append(cs, column{head: fmt.Sprintf("pass^%d", k),
			cell: func(r *report.Report, m report.Model) string { return number.Percent(m.PassHatK[k-1]) }})
	}
	cs = append(cs,
		column{head: headTime, cell: func(r *report.Report, m report.Model) string {
			return number.Seconds(m.Seconds.Median)
		}},
		column{head: headSteps, cell: func(r *report.Report, m report.Model) string {
			return count0(m, strconv.Itoa(m.Steps))
		}},
		column{head: headTokens, cell: func(r *report.Report, m report.Model) string { return tokenCell(m) }},
		column{head: headCost, cell: func(r *report.Report, m report.Model) string { return number.Money(m.CostUSD) }},
		column{head: headPerFix, cell: func(r *report.Report, m report.Model) string {
			return number.Money(m.CostPerFixUSD)
		}},
	)
	if r.SpentDiffers() {
		cs = append(cs, column{head: headSpent, cell: func(r *report.Report, m report.Model) string {
			return number.Money(m.SpentUSD)
		}})
	}
	cs = append(cs,
		column{head: headVoid, cell: func(r *report.Report, m report.Model) string { return strconv.Itoa(m.Void) }},
	)
	if n := report.SideEffects(r, ""); n > 0 {
		cs = append(cs, column{head: headBeside,
			cell: func(r *report.Report, m report.Model) string { return strconv.Itoa(report.SideEffects(r, m.Name)) }})
	}
	if len(r.Pending) > 0 {
		cs = append(cs, column{head: headOpen, cell: func(r *report.Report, m report.Model) string {
			return strconv.Itoa(m.Pending)
		}})
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
func dropOrder(r *report.Report) []string {
	return []string{headTokens, headSteps, headPerFix, fmt.Sprintf("pass^%d", r.Repeats()), headSpent,
		headCost, headTime, headBeside, headOpen, headVoid, headDelta}
}

func rateCell(m report.Model) string {
	if math.IsNaN(m.Rate) {
		return number.Dash
	}
	return number.Percent(m.Rate) + " " + number.Interval(m.Interval)
}

// deltaCell marks the baseline where there is something to compare it with.
func deltaCell(r *report.Report, m report.Model) string {
	if m.Name == r.Run.Baseline && len(r.Models) > 1 {
		return "baseline"
	}
	return m.DeltaText()
}

func tokenCell(m report.Model) string {
	if !m.Usage.Known {
		return number.Dash
	}
	return number.Tokens(m.Usage.Input + m.Usage.Output)
}

func count0(m report.Model, s string) string {
	if m.Judged() == 0 {
		return number.Dash
	}
	return s
}
