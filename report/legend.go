package report

import (
	"fmt"
	"math"

	"cookoff/internal/ui/text"
	"cookoff/report/number"
)

// Legend explains the columns of the main table that need it, a line each.
func Legend(r *Report) []string {
	if r.Judged() == 0 {
		return nil
	}
	how := "Wilson"
	switch {
	case r.Repeats() > 1 && len(r.Tasks) > 1:
		how = "clustered by task"
	case r.Repeats() > 1:
		how = "Wilson, of this one task"
	}
	at := ""
	if r.Run.Parallel > 1 { // they slow each other down
		at = fmt.Sprintf(", %d trials at once", r.Run.Parallel) + whereRun(r)
	}
	out := []string{fmt.Sprintf("rate: with its %s interval (%s); time: median of the trials that fixed it%s%s; "+
		"%s: unknown or none", number.Percent(r.Run.Confidence), how, at, pricesLegend(r), number.Dash)}
	if line := SpentNote(r); line != "" {
		out = append(out, line)
	}
	if SideEffects(r, "") > 0 {
		out = append(out, "beside: files that trials which fixed it left new or changed beside the repair")
	}
	if line := deltaLegend(r); line != "" {
		out = append(out, line)
	}
	out = append(out, spreadLegend(r)...)
	for _, s := range r.SplitAt(r.Split) {
		out = append(out, s.Sentence(s.At))
	}
	return out
}

// pricesLegend says of when the prices are that costs were worked out with.
func pricesLegend(r *Report) string {
	for _, m := range r.Models {
		if m.CostUSD != nil && *m.CostUSD > 0 && r.Run.Prices != "" {
			return "; cost: at the prices of " + text.Visible(r.Run.Prices)
		}
	}
	return ""
}

func deltaLegend(r *Report) string {
	test := ""
	for _, m := range r.Models {
		switch {
		case m.Delta == nil:
		case m.Delta.Test == "sign_flip":
			test = "permutation test over tasks"
		case test == "":
			test = "exact McNemar"
		}
	}
	if test == "" {
		return ""
	}
	line := fmt.Sprintf("Δ: points against %s, paired by task (%s, Holm); ~: may be chance",
		text.Middle(text.Visible(r.Run.Baseline), NameMax), test)
	if d := r.Smallest.Diff; !math.IsNaN(d) {
		line += fmt.Sprintf("; no difference below %.0f points could be significant here", 100*d)
	}
	return line
}
