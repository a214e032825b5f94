// Package gates holds a report to what was asked of a run, and gives the exit code that follows.
package gates

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/compare"
	"cookoff/report/number"
)

// Set is what a run must meet. The zero value asks for nothing but that
// something was judged.
type Set struct {
	FailUnder []MinRate
	MinLower  []MinRate // the same of the lower end of a rate's interval
	Against   *Against
	Strength  report.Strength // that each fix is to rest on; "": any
	MaxVoid   *int            // trials of the whole run that may stay void; nil: any number
}

// Against asks that no model is worse than in another run by more than chance
// explains. Alpha is the chance of failing without a reason; 0 is what the other
// run's confidence leaves.
type Against struct {
	Side  compare.Side
	Alpha float64
}

// MinRate asks for a rate of at least Rate (a fraction) from Model, or from
// every model where Model is "".
type MinRate struct {
	Rate  float64
	Model string
}

// The names of gates.
const (
	failUnder    = "fail-under"
	minLower     = "min-lower-bound"
	against      = "against"
	minStrength  = "min-strength"
	maxVoid      = "max-void"
	partsMissing = "parts"
)

// ParseMinRate reads RATE[:MODEL], where RATE is a fraction (0.8) or per cent
// (80%).
func ParseMinRate(s string) (MinRate, error) {
	text, model, named := strings.Cut(s, ":")
	number, perCent := strings.CutSuffix(strings.TrimSpace(text), "%")
	rate, err := strconv.ParseFloat(number, 64)
	if perCent {
		rate /= 100
	}
	switch {
	case err != nil || math.IsNaN(rate) || rate < 0 || rate > 1:
		return MinRate{}, fmt.Errorf("reading the rate %q: want a fraction between 0 and 1, or per cent\n"+
			"  hint: RATE[:MODEL], such as 0.8 or 80%%:openai/gpt-5", text)
	case named && model == "":
		return MinRate{}, fmt.Errorf("reading %q: no model after the colon\n"+
			"  hint: leave the colon away to ask it of every model", s)
	}
	return MinRate{rate, model}, nil
}

// Check holds the report to the gates: one result for each model that a gate
// asks something of. A model without a judged trial, or that is not in the run,
// doesn't hold.
func (g Set) Check(r *report.Report) []report.GateResult {
	var out []report.GateResult
	for _, f := range g.FailUnder {
		out = append(out, f.each(r, failUnder, f.check)...)
	}
	for _, f := range g.MinLower {
		out = append(out, f.each(r, minLower, f.checkLower)...)
	}
	if g.Against != nil {
		out = append(out, g.Against.check(r)...)
	}
	if g.Strength != "" {
		out = append(out, checkStrength(r, g.Strength)...)
	}
	if n := len(r.Missing); n > 0 && (len(out) > 0 || g.MaxVoid != nil) {
		out = append(out, report.GateResult{Gate: partsMissing, Got: float64(n),
			Why: text.Count(n, "part") + " of the comparison missing"})
	}
	if g.MaxVoid != nil {
		void := 0
		for _, m := range r.Models {
			void += m.Void
		}
		out = append(out, report.GateResult{
			Gate: maxVoid, Want: float64(*g.MaxVoid), Got: float64(void), Held: void <= *g.MaxVoid,
			Why: fmt.Sprintf("%s void, at most %d allowed", text.Count(void, "trial"), *g.MaxVoid),
		})
	}
	return out
}

// each checks every model that the gate asks something of.
func (f MinRate) each(r *report.Report, gate string, check func(report.Model) report.GateResult) []report.GateResult {
	var out []report.GateResult
	for _, m := range r.Models {
		if f.Model == "" || f.Model == m.Name {
			out = append(out, check(m))
		}
	}
	if len(out) == 0 && f.Model != "" {
		out = append(out, report.GateResult{Gate: gate, Model: f.Model, Want: f.Rate, Got: math.NaN(),
			Why: fmt.Sprintf("no model %q in this run", f.Model)})
	}
	return out
}

func (f MinRate) checkLower(m report.Model) report.GateResult {
	lo := m.Interval.Lo
	res := report.GateResult{Gate: minLower, Model: m.Name, Want: f.Rate, Got: lo, Held: lo >= f.Rate}
	if math.IsNaN(lo) {
		res.Why = "there is no interval: too little was judged"
	} else {
		res.Why = fmt.Sprintf("the interval of %s is %s, its lower end is to be %s at least", number.Percent(m.Rate),
			number.Interval(m.Interval), number.Percent(f.Rate))
	}
	return res
}

// check compares the report with the other run. Where nothing can be compared,
// nothing is known to be as good as it was: that doesn't hold.
func (g *Against) check(r *report.Report) []report.GateResult {
	c, err := compare.Runs([]compare.Side{g.Side, {Name: r.Run.ID, Report: r}}, g.Alpha)
	if err != nil {
		return []report.GateResult{{Gate: against, Want: g.Alpha, Got: math.NaN(),
			Why: "no task was judged with the same model as in " + g.Side.Name}}
	}
	where := g.Side.Name
	if g.Side.Report.Run.Digest != r.Run.Digest {
		where += ", of another recipe"
	}
	var out []report.GateResult
	compared := map[string]bool{}
	for _, ch := range c.Changes {
		compared[ch.Model] = true
		out = append(out, report.GateResult{Gate: against, Model: ch.Model, Want: c.Alpha, Got: ch.Delta.P,
			Held: !ch.Regression(),
			Why: fmt.Sprintf("%d of %d fixed, %d of %d in %s (%s; it fails at %.2g)", ch.Now.Pass, ch.Now.Judged,
				ch.Was.Pass, ch.Was.Judged, where, number.P(ch.Delta.P), c.Alpha)})
	}
	// A model that only one of them judged breaks nothing, but nobody is to
	// believe that it was held to anything.
	for _, m := range append(slices.Clone(r.Models), g.Side.Report.Models...) {
		if !compared[m.Name] && m.Judged() > 0 {
			compared[m.Name] = true
			out = append(out, report.GateResult{Gate: against, Model: m.Name, Want: c.Alpha, Got: math.NaN(), Held: true,
				Why: "not compared: no task was judged with it in both runs"})
		}
	}
	return out
}

func (f MinRate) check(m report.Model) report.GateResult {
	res := report.GateResult{Gate: failUnder, Model: m.Name, Want: f.Rate, Got: m.Rate, Held: m.Rate >= f.Rate}
	if m.Judged() == 0 {
		res.Why = "nothing was judged"
	} else {
		res.Why = fmt.Sprintf("%d of %d fixed, at least %s asked for", m.Pass, m.Judged(),
			strconv.FormatFloat(100*f.Rate, 'f', -1, 64)+"%")
	}
	return res
}

// checkStrength asks that no fix of any model rests on less than s.
func checkStrength(r *report.Report, s report.Strength) []report.GateResult {
	var out []report.GateResult
	for _, m := range r.Models {
		of, less, tasks := 0, 0, []string{}
		for _, t := range r.Trials {
			got := t.Strength()
			if t.Model != m.Name || got == "" {
				continue
			}
			if of++; s.Above(got) {
				less++
				if text := fmt.Sprintf("%s: %s", t.Task, got); !slices.Contains(tasks, text) {
					tasks = append(tasks, text)
				}
			}
		}
		res := report.GateResult{Gate: minStrength, Model: m.Name, Got: float64(less), Held: less == 0,
			Why: fmt.Sprintf("%d of %d fixed rest on less than %s", less, of, s)}
		if less > 0 {
			res.Why += " (" + strings.Join(tasks[:min(len(tasks), 3)], ", ") + ")"
		}
		out = append(out, res)
	}
	return out
}

// Exit codes of a run.
const (
	exitDone        = 0
	exitGate        = 1
	exitVoid        = 3
	exitSpent       = 4
	exitInterrupted = 130
)

// ExitCode gives what a run ends with: 130 where it was interrupted or has not
// ended, 4 where its budget was spent before it was done, 3 where it could not go on,
// nothing could be judged, or of baselines alone and g does not say how many trials may be
// void, or too many are; 1 where another gate doesn't hold, else 0.
func ExitCode(r *report.Report, g Set) int {
	if r.State == report.Interrupted || r.State == report.Unended {
		return exitInterrupted
	}
	if r.State == report.Spent {
		return exitSpent
	}
	if r.State == report.Broken || r.Judged() == 0 || g.MaxVoid == nil && len(r.Unjudged()) > 0 {
		return exitVoid
	}
	code := exitDone
	for _, res := range g.Check(r) {
		switch {
		case res.Held:
		case res.Gate == maxVoid:
			return exitVoid
		default:
			code = exitGate
		}
	}
	return code
}
