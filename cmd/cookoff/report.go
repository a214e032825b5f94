package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/report"
	"cookoff/trial"
)

func (a *app) reportCommand() *cobra.Command {
	var o output
	var g gates
	var mix, corrupt bool
	cmd := &cobra.Command{
		Use:   "report [RUN...]",
		Short: "Print the report of a run again, or of several as one",
		Long: `Prints the report of a run from its journal: by default the latest run of this
project, else the one that RUN names by its id, the beginning of its id, or the
path of its directory or journal ("latest" is the latest, too).

Several runs of one recipe are put into one table: what is tried in more than one
of them counts as tried so often. Runs of different recipes are refused; --mix
joins them all the same, and the table says so.

Gates are checked as "run" checks them; without one the exit code says only
whether the report could be made.`,
		Example: `  cookoff report
  cookoff report 20261121-08 --format json
  cookoff report 20261120-09 20261121-08
  cookoff report --format html -o report.html
  cookoff report --fail-under 0.8:openai/gpt-5`,
		Args:              cli.Positional(0, -1, ""),
		ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(formats()...); err != nil {
				return err
			}
			want, err := a.wanted(&g)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{""} // the latest
			}
			r, err := a.readRuns(args, reportReading{mix, corrupt})
			if err != nil {
				return err
			}
			r.Gates = want.Check(r.Report)
			if err := a.print(r, o); err != nil {
				return err
			}
			if len(r.Gates) == 0 {
				return nil
			}
			return a.gateFailure(r.Report, want)
		},
	}
	o.flags(cmd)
	g.flags(cmd)
	cmd.Flags().BoolVar(&mix, "mix", false, "join runs of different recipes too")
	cmd.Flags().BoolVar(&corrupt, "ignore-corrupt", false, "leave out lines of the journal that can't be read: the trials they belong to are void")
	return cmd
}

func (o *output) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.format, "format", "", "print the report as `FORMAT`: "+strings.Join(formats(), ", ")+" (none: as the name of -o says, else "+formats()[0]+")")
	cmd.Flags().VarP(outputFiles{o}, "output", "o", "write the report to `FILE` instead of standard output (-: standard output); repeatable: each in the format of its name")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats(), cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
}

func (a *app) completeRuns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	ids, err := trial.Runs(a.Dir)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// gates are the flags that a run is held to.
type gates struct {
	failUnder []string
	minLower  []string
	strength  string
	maxVoid   int
	against   runName
	alpha     float64
}

func (g *gates) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&g.failUnder, "fail-under", nil, "fail (exit 1) when a model's rate is below `RATE[:MODEL]`, as 0.8 or 80%:openai/gpt-5; repeatable")
	cmd.Flags().StringArrayVar(&g.minLower, "min-lower-bound", nil, "fail (exit 1) when the lower end of a rate's interval is below `RATE[:MODEL]`; repeatable")
	cmd.Flags().Var(&g.against, "against", "fail (exit 1) when a model is significantly worse than in `RUN`, a run or a report in JSON")
	cmd.Flags().Float64Var(&g.alpha, "alpha", 0, "call a model worse than in --against at `ALPHA` (0: as the confidence of that run says)")
	cmd.Flags().StringVar(&g.strength, "min-strength", "", "fail (exit 1) when a fix rests on less than `STRENGTH`: behaviour, output")
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

// wanted gives the gates that the flags ask for; what they are held against is
// read at once, so that nothing is run before it is known to be there.
func (a *app) wanted(g *gates) (report.Gates, error) {
	out, err := g.parse()
	if err != nil || g.against == "" {
		return out, err
	}
	s, _, err := a.side(string(g.against))
	if err != nil {
		return out, err
	}
	out.Against = &report.Against{Side: s, Alpha: g.alpha}
	return out, nil
}

func (g *gates) parse() (report.Gates, error) {
	var out report.Gates
	for _, rates := range []struct {
		flag  string
		texts []string
		to    *[]report.FailUnder
	}{{"fail-under", g.failUnder, &out.FailUnder}, {"min-lower-bound", g.minLower, &out.MinLower}} {
		for _, s := range rates.texts {
			f, err := report.ParseFailUnder(s)
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
	if err := checkAlpha(g.alpha); err != nil {
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

// gateFailure says which gates do not hold, as the exit code has it.
func (a *app) gateFailure(r *report.Report, g report.Gates) error {
	code := report.ExitCode(r, g)
	var broken []report.GateResult
	for _, res := range r.Gates {
		if !res.Held {
			broken = append(broken, res)
			a.PrintError(fmt.Errorf("gate %s does not hold: %s", gateName(res), res.Why))
		}
	}
	a.annotate(r, broken)
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
