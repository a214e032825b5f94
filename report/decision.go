package report

import (
	"cookoff/internal/ui/text"
	"cookoff/report/number"
	"fmt"
	"slices"
	"strings"
)

// stopped says when a run that had a question ended, what going on would have
// cost, and how the other numbers are to be read.
func stopped(r *Report, say sayer) {
	done, all := len(r.Trials), len(r.Trials)+len(r.Pending)
	q := r.Run.Question
	if q == nil {
		return
	}
	how := fmt.Sprintf("the question %q is %s after %d of %d trials", q.Ask, r.Decision.State, done, all)
	if r.Decision.State != "decided" && r.Decision.State != "equivalent" {
		how += ": " + r.Decision.Text
	}
	switch usd, known := r.left(); {
	case !known:
		how += "; nobody knows what the others would have cost"
	case usd > 0:
		how += fmt.Sprintf("; the others would have cost about $%.2f", usd)
	}
	say("%s", how)
	for _, d := range r.Decision.Dropped {
		why := ""
		if d.Why != "" {
			why = " (" + d.Why + ")"
		}
		say("%s: not tried further after %d trials of the run: it could not change the answer%s", d.Model, d.After, why)
	}
	if len(r.Pending) > 0 {
		say("the answer holds however often it was looked for (false alarms: %g%%); "+
			"intervals, Δ and p in the table are those of a run that ends at a fixed size",
			100*q.Level)
	}
	if missed := r.missed(); len(missed) > 0 {
		say("no trial of %s was judged, which stand later in the plan: the answer is about the other tasks",
			text.Cut(strings.Join(missed, ", "), missedMax))
	}
}

// missedMax is how much is named of kinds of tasks.
const missedMax = 120

// missed gives the groups of tasks (kind:git) of which a run that ended early judged no
// trial: that its tasks are like those that it left is not so.
func (r *Report) missed() (out []string) {
	judged := map[string]bool{}
	for _, t := range r.Trials {
		for _, g := range r.Run.Groups[t.Task] {
			judged[g] = judged[g] || t.Judged()
		}
	}
	for _, t := range r.Pending {
		for _, g := range r.Run.Groups[t.Task] {
			if !judged[g] && !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// left is about what the trials that were not tried would have cost, by the mean
// of those of the same model; known is false where one of them has no price.
func (r *Report) left() (usd float64, known bool) {
	for _, m := range r.Models {
		switch {
		case m.Pending == 0:
		case m.SpentUSD == nil || m.Judged()+m.Void == 0:
			return 0, false
		default:
			usd += float64(m.Pending) * *m.SpentUSD / float64(m.Judged()+m.Void)
		}
	}
	return usd, true
}

// decidedText is the answer to the run's question as a sentence; "" where it had
// none, or has no answer.
func (r wording) decidedText() string {
	if d := r.Decision; d != nil && (d.State == "decided" || d.State == "equivalent") {
		return fmt.Sprintf("%s: %s.", text.Visible(d.Text), r.rates())
	}
	return ""
}

// rates lists what each model of the table fixed.
func (r wording) rates() string {
	var out []string
	for _, m := range r.Models {
		if m.Judged() > 0 {
			out = append(out, fmt.Sprintf("%s %s of %d", m.called(), number.Percent(m.Rate), m.Judged()))
		}
	}
	return strings.Join(out, ", ")
}
