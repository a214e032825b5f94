package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/report"
	"cookoff/trial"
)

func (a *app) reportCommand() *cobra.Command {
	var o output
	var g gates
	var mix bool
	cmd := &cobra.Command{
		Use:   "report [RUN...]",
		Short: "Print the report of a run again, or of several as one",
		Long: `Prints the report of a run from its journal: by default the latest run of this
project, else the one that RUN names by its id, the beginning of its id, or the
path of its directory or journal.

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
		Args:              positional(0, -1, ""),
		ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			want, err := g.parse()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{""} // the latest
			}
			r, err := a.readRuns(args, mix)
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
	return cmd
}

func (o *output) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.format, "format", formats()[0], "print the report as `FORMAT`: "+strings.Join(formats(), ", "))
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "write the report to `FILE` instead of standard output (-: standard output)")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats(), cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
}

func (a *app) completeRuns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	ids, err := trial.Runs(a.dir)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// gates are the flags that a run is held to.
type gates struct {
	failUnder []string
	maxVoid   int
}

func (g *gates) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&g.failUnder, "fail-under", nil, "fail (exit 1) when a model's rate is below `RATE[:MODEL]`, as 0.8 or 80%:openai/gpt-5; repeatable")
	cmd.Flags().IntVar(&g.maxVoid, "max-void", -1, "fail (exit 3) when more than `N` trials stay void (-1: any number)")
}

func (g *gates) parse() (report.Gates, error) {
	var out report.Gates
	for _, s := range g.failUnder {
		f, err := report.ParseFailUnder(s)
		if err != nil {
			return out, usage("--fail-under: %v", err)
		}
		out.FailUnder = append(out.FailUnder, f)
	}
	if g.maxVoid >= 0 {
		out.MaxVoid = &g.maxVoid
	}
	return out, nil
}

// gateFailure says which gates do not hold, as the exit code has it.
func (a *app) gateFailure(r *report.Report, g report.Gates) error {
	code := report.ExitCode(r, g)
	for _, res := range r.Gates {
		if !res.Held {
			who := res.Gate
			if res.Model != "" {
				who += " " + res.Model
			}
			a.printError(fmt.Errorf("gate %s does not hold: %s", who, res.Why))
		}
	}
	if code == exitOK {
		return nil
	}
	return &failure{code: code}
}
