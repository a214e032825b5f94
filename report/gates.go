package report

import (
	"cookoff/internal/ui/text"
	"cookoff/report/number"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Gates are what a run must meet. The zero value asks for nothing but that
// something was judged.
type Gates struct {
	FailUnder []FailUnder
	MinLower  []FailUnder // the same of the lower end of a rate's interval
	Against   *Against
	Strength  Strength // that each fix is to rest on; "": any
	MaxVoid   *int     // trials of the whole run that may stay void; nil: any number
}

// Against asks that no model is worse than in another run by more than chance
// explains. Alpha is the chance of failing without a reason; 0 is what the other
// run's confidence leaves.
type Against struct {
	Side  Side
	Alpha float64
}

// FailUnder asks for a rate of at least Rate (a fraction) from Model, or from
// every model where Model is "".
type FailUnder struct {
	Rate  float64
	Model string
}

// GateResult is one gate, checked. A MaxVoid gate that doesn't hold is a fault of
// the infrastructure, not of a model.
type GateResult struct {
	Gate  string // as on the command line: fail-under, max-void
	Model string // "": the run
	Want  float64
	Got   float64 // NaN: nothing was judged
	Held  bool
	Why   string // one sentence
}

// The names of gates.
const (
	gateFailUnder   = "fail-under"
	gateMinLower    = "min-lower-bound"
	gateAgainst     = "against"
	gateMinStrength = "min-strength"
	gateMaxVoid     = "max-void"
	gateParts       = "parts"
)

// ParseFailUnder reads RATE[:MODEL], where RATE is a fraction (0.8) or per cent
// (80%).
func ParseFailUnder(s string) (FailUnder, error) {
	text, model, named := strings.Cut(s, ":")
	number, perCent := strings.CutSuffix(strings.TrimSpace(text), "%")
	rate, err := strconv.ParseFloat(number, 64)
	if perCent {
		rate /= 100
	}
	switch {
	case err != nil || math.IsNaN(rate) || rate < 0 || rate > 1:
		return FailUnder{}, fmt.Errorf("reading the rate %q: want a fraction between 0 and 1, or per cent\n"+
			"  hint: RATE[:MODEL], such as 0.8 or 80%%:openai/gpt-5", text)
	case named && model == "":
		return FailUnder{}, fmt.Errorf("reading %q: no model after the colon\n"+
			"  hint: leave the colon away to ask it of every model", s)
	}
	return FailUnder{rate, model}, nil
}

// Check holds the report to the gates: one result for each model that a gate
// asks something of. A model without a judged trial, or that is not in the run,
// doesn't hold.
func (g Gates) Check(r *Report) []GateResult {
	var out []GateResult
	for _, f := range g.FailUnder {
		out = append(out, f.each(r, gateFailUnder, f.check)...)
	}
	for _, f := range g.MinLower {
		out = append(out, f.each(r, gateMinLower, f.checkLower)...)
	}
	if g.Against != nil {
		out = append(out, g.Against.check(r)...)
	}
	if g.Strength != "" {
		out = append(out, g.Strength.check(r)...)
	}
	if n := len(r.Missing); n > 0 && (len(out) > 0 || g.MaxVoid != nil) {
		out = append(out, GateResult{Gate: gateParts, Got: float64(n),
			Why: text.Count(n, "part") + " of the comparison missing"})
	}
	if g.MaxVoid != nil {
		void := 0
		for _, m := range r.Models {
			void += m.Void
		}
		out = append(out, GateResult{
			Gate: gateMaxVoid, Want: float64(*g.MaxVoid), Got: float64(void), Held: void <= *g.MaxVoid,
			Why: fmt.Sprintf("%s void, at most %d allowed", text.Count(void, "trial"), *g.MaxVoid),
		})
	}
	return out
}

// each checks every model that the gate asks something of.
func (f FailUnder) each(r *Report, gate string, check func(Model) GateResult) []GateResult {
	var out []GateResult
	for _, m := range r.Models {
		if f.Model == "" || f.Model == m.Name {
			out = append(out, check(m))
		}
	}
	if len(out) == 0 && f.Model != "" {
		out = append(out, GateResult{Gate: gate, Model: f.Model, Want: f.Rate, Got: math.NaN(),
			Why: fmt.Sprintf("no model %q in this run", f.Model)})
	}
	return out
}

func (f FailUnder) checkLower(m Model) GateResult {
	lo := m.Interval.Lo
	res := GateResult{Gate: gateMinLower, Model: m.Name, Want: f.Rate, Got: lo, Held: lo >= f.Rate}
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
func (g *Against) check(r *Report) []GateResult {
	c, err := Compare([]Side{g.Side, {r.Run.ID, r}}, g.Alpha)
	if err != nil {
		return []GateResult{{Gate: gateAgainst, Want: g.Alpha, Got: math.NaN(),
			Why: "no task was judged with the same model as in " + g.Side.Name}}
	}
	where := g.Side.Name
	if g.Side.Report.Run.Digest != r.Run.Digest {
		where += ", of another recipe"
	}
	var out []GateResult
	compared := map[string]bool{}
	for _, ch := range c.Changes {
		compared[ch.Model] = true
		out = append(out, GateResult{Gate: gateAgainst, Model: ch.Model, Want: c.Alpha, Got: ch.Delta.P,
			Held: !ch.Regression(),
			Why: fmt.Sprintf("%d of %d fixed, %d of %d in %s (%s; it fails at %.2g)", ch.Now.Pass, ch.Now.Judged,
				ch.Was.Pass, ch.Was.Judged, where, number.P(ch.Delta.P), c.Alpha)})
	}
	// A model that only one of them judged breaks nothing, but nobody is to
	// believe that it was held to anything.
	for _, m := range append(slices.Clone(r.Models), g.Side.Report.Models...) {
		if !compared[m.Name] && m.Judged() > 0 {
			compared[m.Name] = true
			out = append(out, GateResult{Gate: gateAgainst, Model: m.Name, Want: c.Alpha, Got: math.NaN(), Held: true,
				Why: "not compared: no task was judged with it in both runs"})
		}
	}
	return out
}

func (f FailUnder) check(m Model) GateResult {
	res := GateResult{Gate: gateFailUnder, Model: m.Name, Want: f.Rate, Got: m.Rate, Held: m.Rate >= f.Rate}
	if m.Judged() == 0 {
		res.Why = "nothing was judged"
	} else {
		res.Why = fmt.Sprintf("%d of %d fixed, at least %s asked for", m.Pass, m.Judged(),
			strconv.FormatFloat(100*f.Rate, 'f', -1, 64)+"%")
	}
	return res
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
func ExitCode(r *Report, g Gates) int {
	if r.State == Interrupted || r.State == Unended {
		return exitInterrupted
	}
	if r.State == Spent {
		return exitSpent
	}
	if r.State == Broken || r.Judged() == 0 || g.MaxVoid == nil && len(r.Unjudged()) > 0 {
		return exitVoid
	}
	code := exitDone
	for _, res := range g.Check(r) {
		switch {
		case res.Held:
		case res.Gate == gateMaxVoid:
			return exitVoid
		default:
			code = exitGate
		}
	}
	return code
}
