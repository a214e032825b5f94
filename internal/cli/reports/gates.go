package reports

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/report"
	"cookoff/report/gates"
)

// Gates are the flags that a run is held to.
type Gates struct {
	failUnder []string
	minLower  []string
	strength  string
	maxVoid   int
	against   runName
	alpha     float64
}

// Flags gives a command the flags by which it fails.
func (g *Gates) Flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&g.failUnder, "fail-under", nil,
		"fail (exit 1) when a model's rate is below `RATE[:MODEL]`, as 0.8 or 80%:openai/gpt-5; repeatable")
	cmd.Flags().StringArrayVar(&g.minLower, "min-lower-bound", nil,
		"fail (exit 1) when the lower end of a rate's interval is below `RATE[:MODEL]`; repeatable")
	cmd.Flags().Var(&g.against, "against",
		"fail (exit 1) when a model is significantly worse than in `RUN`, a run or a report in JSON")
	cmd.Flags().Float64Var(&g.alpha, "alpha", 0,
		"call a model worse than in --against at `ALPHA` (0: as the confidence of that run says)")
	cmd.Flags().StringVar(&g.strength, "min-strength", "",
		"fail (exit 1) when a fix rests on less than `STRENGTH`: behaviour, output")
	cmd.Flags().IntVar(&g.maxVoid, "max-void", -1, "fail (exit 3) when more than `N` trials stay void (-1: any number)")
}

// runName is a flag that names a run. An empty one is refused: a gate that a
// variable without a value takes away would never be missed.
type runName string

func (r *runName) String() string { return string(*r) }

func (r *runName) Type() string { return "run" }

func (r *runName) Set(s string) error {
	if s == "" {
		return errors.New("it is empty")
	}
	*r = runName(s)
	return nil
}

// Wanted gives the gates that the flags ask for; what they are held against is
// read at once, so that nothing is run before it is known to be there.
func (g *Gates) Wanted(c *cli.Common) (gates.Set, error) {
	out, err := g.parse()
	if err != nil || g.against == "" {
		return out, err
	}
	s, _, err := ReadSide(c, string(g.against))
	if err != nil {
		return out, err
	}
	out.Against = &gates.Against{Side: s, Alpha: g.alpha}
	return out, nil
}

// parse reads the flags that make a command fail by its result. Its error is one of usage
// and names the flag.
func (g *Gates) parse() (gates.Set, error) {
	var out gates.Set
	for _, rates := range []struct {
		flag  string
		texts []string
		to    *[]gates.MinRate
	}{{"fail-under", g.failUnder, &out.FailUnder}, {"min-lower-bound", g.minLower, &out.MinLower}} {
		for _, s := range rates.texts {
			f, err := gates.ParseMinRate(s)
			if err != nil {
				return out, cli.Usage("--%s: %v", rates.flag, err)
			}
			*rates.to = append(*rates.to, f)
		}
	}
	if g.strength != "" {
		s, err := report.ParseStrength(g.strength)
		if err != nil {
			return out, cli.Usage("--min-strength: %v", err)
		}
		out.Strength = s
	}
	if err := CheckAlpha(g.alpha); err != nil {
		return out, err
	}
	if g.alpha > 0 && g.against == "" {
		return out, cli.Usage("--alpha without --against: there is nothing to be worse than")
	}
	if g.maxVoid >= 0 {
		out.MaxVoid = &g.maxVoid
	}
	return out, nil
}

// GateFailure says which gates do not hold, as the exit code has it.
func GateFailure(c *cli.Common, r *report.Report, g gates.Set) error {
	code := gates.ExitCode(r, g)
	var broken []report.GateResult
	for _, res := range r.Gates {
		if !res.Held {
			broken = append(broken, res)
			c.PrintError(fmt.Errorf("gate %s does not hold: %s", gateName(res), res.Why))
		}
	}
	annotate(c, r, broken)
	if code == cli.ExitOK {
		return nil
	}
	return cli.Fail(code, nil)
}

func gateName(g report.GateResult) string {
	if g.Model == "" {
		return g.Gate
	}
	return g.Gate + " " + g.Model
}

// CheckAlpha refuses a chance that is none; 0 is the default.
func CheckAlpha(alpha float64) error {
	if !(alpha >= 0 && alpha < 1) {
		return cli.Usage("--alpha %v: give a fraction between 0 and 1, as 0.05", alpha)
	}
	return nil
}
