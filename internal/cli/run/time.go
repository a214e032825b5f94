package run

import (
	"cookoff/report/number"
	"fmt"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/trial"
)

// whereTime says where the time of a run's trials went; "": none was tried. Trials
// that were under way at once are added up.
func whereTime(r *report.Report) string {
	var sum trial.Seconds
	n := 0
	add := func(s trial.Seconds) {
		sum.Stage, sum.Provider, sum.Tools = sum.Stage+s.Stage, sum.Provider+s.Provider, sum.Tools+s.Tools
		sum.Judge, sum.Wait, sum.Agent = sum.Judge+s.Judge, sum.Wait+s.Wait, sum.Agent+s.Agent
		n++
	}
	for _, t := range r.Trials {
		for _, before := range t.Earlier {
			add(before.Outcome.Seconds)
		}
		add(t.Outcome.Seconds)
	}
	if n == 0 {
		return ""
	}
	parts := []string{}
	for _, p := range []struct {
		what    string
		seconds float64
	}{{"models", sum.Provider}, {"tools", sum.Tools}, {"worlds and staging", sum.Stage}, {"judging", sum.Judge},
		{"waiting", sum.Wait},
		{"else in the loop", max(sum.Agent-sum.Provider-sum.Tools, 0)}} {
		parts = append(parts, p.what+" "+number.Seconds(p.seconds))
	}
	out := fmt.Sprintf("time of %s: %s", text.Count(n, "attempt"), strings.Join(parts, ", "))
	if r.Seconds > 0 {
		out += "; the run took " + number.Seconds(r.Seconds)
	}
	return out
}
