package formats

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/trial"
)

// csvHead names the columns of CSV; columns are only ever added, at the end.
func csvHead() []string {
	return []string{
		"run", "recipe", "model", "task", "trial", "id", "attempt", "status", "cause", "stop", "detail",
		"steps", "seconds", "tokens_in", "tokens_out", "tokens_cached", "tokens_reasoning", "cost_usd",
		"tool_calls", "malformed", "refused_classes", "denied", "tool_errors", "repeated", "retries", "output_cut",
		"reminders", "compactions", "changes", "spent_usd", "side_effects",
		"agent_and_model", "given",
	}
}

// CSV writes one row a trial, in plan order, then the trials that have no outcome
// yet with the status "pending". Unknown is an empty field. Text that a
// spreadsheet would take for a formula is led by an apostrophe.
func CSV(w io.Writer, r *report.Report) error {
	c := csv.NewWriter(w)
	if err := c.Write(csvHead()); err != nil {
		return err
	}
	for _, t := range r.Trials {
		if err := c.Write(csvRow(r, t)); err != nil {
			return err
		}
	}
	for _, t := range r.Pending {
		row, is := append(csvName(r, t), "pending"), csvContestant(r, t)
		row = append(row, make([]string, len(csvHead())-len(is)-len(row))...)
		row = append(row, is...)
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func csvName(r *report.Report, t report.Trial) []string {
	return []string{csvText(r.Run.ID), csvText(r.Run.Recipe), csvText(t.Model), csvText(t.Task), strconv.Itoa(t.N),
		csvText(t.ID), strconv.Itoa(t.Attempt)}
}

func csvRow(r *report.Report, t report.Trial) []string {
	o := t.Outcome
	row := append(csvName(r, t), string(o.Status), csvText(string(o.Cause)), csvText(string(o.Stop)), csvText(o.Detail),
		strconv.Itoa(o.Steps), csvNumber(&o.Seconds.Agent))
	for _, n := range []int{o.Usage.Input, o.Usage.Output, o.Usage.Cached, o.Usage.Reasoning} {
		if o.Usage.Known {
			row = append(row, strconv.Itoa(n))
		} else {
			row = append(row, "")
		}
	}
	row = append(row, csvNumber(o.CostUSD))
	k := o.Counters
	for _, n := range []int{k.ToolCalls, k.Malformed, k.RefusedClasses, k.Denied, k.ToolErrors, k.Repeated, k.Retries} {
		row = append(row, strconv.Itoa(n))
	}
	row = append(row, strconv.FormatInt(k.OutputCut, 10), strconv.Itoa(k.Reminders), strconv.Itoa(k.Compactions),
		changesCell(o, ""), csvNumber(t.SpentUSD), besideCell(o))
	return append(row, csvContestant(r, t)...)
}

// csvContestant says what a contestant is, and what is given to it alone.
func csvContestant(r *report.Report, t report.Trial) []string {
	given := ""
	if c := r.Run.Contestant(t.Model); c != nil {
		given = report.Differences([]trial.Contestant{*c})[0].Given
	}
	return []string{csvText(r.Run.Behind(t.Model)), csvText(given)}
}

// besideCell is how many files a trial left beside a repair.
func besideCell(o trial.Outcome) string {
	if o.SideEffects == nil {
		return "0"
	}
	return strconv.Itoa(o.SideEffects.Count)
}

func csvNumber(x *float64) string {
	if x = pointed(x); x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}

// csvText disarms formulas, also behind spaces, which spreadsheets skip.
func csvText(s string) string {
	s = text.Visible(s)
	if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " ")); strings.ContainsRune("=+-@|%＝＋－＠", first) {
		return "'" + s
	}
	return s
}
