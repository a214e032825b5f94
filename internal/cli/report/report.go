// Package report is the commands that show what came out: report, compare, runs,
// view and watch. Each is a struct of its flags and a function.
package report

import (
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/report"
)

// Commands are those of this room.
func Commands(c *cli.Common) []*cobra.Command {
	return []*cobra.Command{newReport(c), newCompare(c), newPlan(c), newRuns(c), newHistory(c), newView(c), newWatch(c)}
}

func newReport(c *cli.Common) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report [RUN...]",
		Short: "Print the report of a run again, or of several as one",
		Long: `Prints the report of a run from its journal: by default the latest run of this
project, else the one that RUN names by its id, the beginning of its id, or the
path of its directory or journal ("latest" is the latest, too).

Several runs of one recipe are put into one table: what is tried in more than one
of them counts as tried so often. A job directory of Harbor, a log of Inspect or a
directory of these is a run, too. Runs of different recipes are refused; --mix
joins them all the same, and the table says so.

Gates are checked as "run" checks them; without one the exit code says only
whether the report could be made.`,
		Example: `  cookoff report
  cookoff report 20261121-08 --format json
  cookoff report 20261120-09 20261121-08
  cookoff report --format html -o report.html
  cookoff report --fail-under 0.8:openai/gpt-5`,
		Args:              cli.Positional(0, -1, ""),
		ValidArgsFunction: reports.CompleteRuns(c),
		RunE:              func(_ *cobra.Command, names []string) error { return f.run(c, names) },
	}
	f.output.Flags(cmd)
	f.gates.Flags(cmd)
	cmd.Flags().BoolVar(&f.mix, "mix", false, "join runs of different recipes too")
	cmd.Flags().StringVar(&f.split, "split-at", "",
		"compare tasks from before `DAY` with those since, by the date: of each (a model may have read how old ones were fixed)")
	cmd.Flags().BoolVar(&f.corrupt, "ignore-corrupt", false,
		"leave out lines of the journal that can't be read: the trials they belong to are void")
	return cmd
}

// reportFlags are the flags of "report".
type reportFlags struct {
	output       reports.Output
	gates        reports.Gates
	mix, corrupt bool
	split        string
}

// run prints the report of the runs of these names, "" being the latest.
func (f *reportFlags) run(c *cli.Common, names []string) error {
	if err := f.output.Check(reports.Formats()...); err != nil {
		return err
	}
	var day time.Time
	if f.split != "" {
		var err error
		if day, err = report.ParseDay(f.split); err != nil {
			return cli.Usage("--split-at: %v", err)
		}
	}
	want, err := f.gates.Wanted(c)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = []string{""}
	}
	r, err := reports.Read(c, names, reports.Reading{Mix: f.mix, Corrupt: f.corrupt})
	if err != nil {
		return err
	}
	r.Gates, r.Split = want.Check(r.Report), day
	if err := reports.Print(c, r, f.output); err != nil {
		return err
	}
	if len(r.Gates) == 0 {
		return nil
	}
	return reports.GateFailure(c, r.Report, want)
}
