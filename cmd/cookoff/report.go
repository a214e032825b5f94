package main

import (
	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
)

func (a *app) reportCommand() *cobra.Command {
	var o reports.Output
	var g reports.Gates
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
		ValidArgsFunction: reports.CompleteRuns(&a.Common),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Check(reports.Formats()...); err != nil {
				return err
			}
			want, err := g.Wanted(&a.Common)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{""} // the latest
			}
			r, err := reports.Read(&a.Common, args, reports.Reading{Mix: mix, Corrupt: corrupt})
			if err != nil {
				return err
			}
			r.Gates = want.Check(r.Report)
			if err := reports.Print(&a.Common, r, o); err != nil {
				return err
			}
			if len(r.Gates) == 0 {
				return nil
			}
			return reports.GateFailure(&a.Common, r.Report, want)
		},
	}
	o.Flags(cmd)
	g.Flags(cmd)
	cmd.Flags().BoolVar(&mix, "mix", false, "join runs of different recipes too")
	cmd.Flags().BoolVar(&corrupt, "ignore-corrupt", false, "leave out lines of the journal that can't be read: the trials they belong to are void")
	return cmd
}
