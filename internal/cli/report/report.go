// Package report is the commands that show what came out: report, compare, runs,
// view and watch. Each is a struct of its flags and a function.
package report

import (
	"fmt"
	"slices"
	"strings"
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
		Use:        "report [RUN...]",
		SuggestFor: []string{"table", "summary", "result"},
		Short:      "Print the report of a run again, or of several as one",
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
	cmd.Flags().StringSliceVar(&f.split, "split-at", nil,
		"compare tasks from before `DAY`, or MODEL=DAY for one contestant, with those since, by the date: "+
			"of each (a model may have read how old ones were fixed); repeatable")
	cmd.Flags().BoolVar(&f.corrupt, "ignore-corrupt", false,
		"leave out lines of the journal that can't be read: the trials they belong to are void")
	return cmd
}

// reportFlags are the flags of "report".
type reportFlags struct {
	output       reports.Output
	gates        reports.Gates
	mix, corrupt bool
	split        []string
}

// run prints the report of the runs of these names, "" being the latest.
func (f *reportFlags) run(c *cli.Common, names []string) error {
	if err := f.output.Check(reports.Formats()...); err != nil {
		return err
	}
	day, own, err := cutoffs(f.split)
	if err != nil {
		return cli.Usage("--split-at: %v", err)
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
	if r.Gates, r.Split, r.Cutoffs = want.Check(r.Report), day, own; len(own) > 0 {
		if err := known(r.Report, own); err != nil {
			return cli.Usage("--split-at: %v", err)
		}
	}
	if err := reports.Print(c, r, f.output); err != nil {
		return err
	}
	if len(r.Gates) == 0 {
		return nil
	}
	return reports.GateFailure(c, r.Report, want)
}

// cutoffs reads the day at which tasks are split, and those of contestants that have one of
// their own.
func cutoffs(list []string) (day time.Time, own map[string]time.Time, err error) {
	own = map[string]time.Time{}
	for _, text := range list {
		at := strings.LastIndexByte(text, '=')
		d, err := report.ParseDay(text[at+1:])
		if err != nil {
			return day, nil, err
		}
		name := text[:max(at, 0)]
		_, twice := own[name]
		switch {
		case at < 0 && !day.IsZero() || at >= 0 && twice:
			return day, nil, fmt.Errorf("%q: there is a day already", text)
		case at < 0:
			day = d
		default:
			own[name] = d
		}
	}
	return day, own, nil
}

// known refuses days of contestants that the report has not.
func known(r *report.Report, own map[string]time.Time) error {
	var names []string
	for _, m := range r.Models {
		names = append(names, m.Name)
	}
	for name := range own {
		if !slices.Contains(names, name) {
			return fmt.Errorf("the report has no %q: %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}
