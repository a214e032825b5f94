package report

import "strings"

// The words below are the table's, for renderers in other packages: the same
// number reads the same wherever it stands.

// Percent prints a fraction without decimals; "-" for NaN.
func Percent(x float64) string { return percent(x) }

// Seconds prints seconds in the unit that people think in; "-" for NaN.
func Seconds(x float64) string { return seconds(x) }

// Money prints USD; "-" for nil, which is unknown and not zero.
func Money(x *float64) string { return money(x) }

// Tokens prints a number of tokens.
func Tokens(n int) string { return tokens(n) }

// Ranked gives models by rate, the highest first; of equals the cheaper one.
func Ranked(ms []Model) []Model { return ranked(ms) }

// DeltaText says by how many points a model differs from the baseline, "~"
// where that may be chance, "-" where there is nothing to compare.
func (m Model) DeltaText() string { return deltaCell(m) }

// CostPerTrial is the mean cost in USD of a judged trial; nil: unknown.
func (m Model) CostPerTrial() *float64 {
	if m.CostUSD == nil || m.Judged() == 0 {
		return nil
	}
	return new(*m.CostUSD / float64(m.Judged()))
}

// Legend explains the columns of the main table that need it, a line each.
func Legend(r *Report) []string { return legend(r) }

// Wrap breaks text at spaces into lines of at most columns; 0 is no limit.
func Wrap(text string, columns int) string {
	return strings.Join(wrap(text, columns), "\n") + "\n"
}
