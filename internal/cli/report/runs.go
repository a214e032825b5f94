package report

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/runs"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

func newRuns(c *cli.Common) *cobra.Command {
	var f runsFlags
	cmd := &cobra.Command{
		Use:        "runs",
		SuggestFor: []string{"results"},
		Short:      "List the runs of this project",
		Long: "Lists the runs whose journals lie in .cookoff/runs, the latest last: " +
			"state, recipe, trials and fixes by model.",
		Example: `  cookoff runs
  cookoff runs --format json`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error { return f.run(c) },
	}
	cmd.Flags().StringVar(&f.format, "format", "table", "table or json")
	return cmd
}

// runsFlags are the flags of "runs".
type runsFlags struct {
	format string // table or json
}

// run lists the runs of the project.
func (f *runsFlags) run(c *cli.Common) error {
	if err := cli.OneOf("format", f.format, "table", "json"); err != nil {
		return err
	}
	ids, err := trial.Runs(c.Dir)
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	infos := make([]runs.Info, len(ids))
	for i, id := range ids {
		infos[i] = runs.Find(c.Dir, id)
	}
	if f.format == "json" {
		return c.PrintJSON(infos)
	}
	if len(infos) == 0 {
		c.Say("no runs in %s\n  hint: cookoff run makes one", trial.RunsDir(c.Dir))
		return nil
	}
	return cli.Written(listRuns(c.Out, infos))
}

// listRuns prints runs as a table.
func listRuns(out screen.Stream, infos []runs.Info) error {
	w := table.New(out)
	w.Keep, w.Below = 4, true
	w.Row("RUN", "STARTED", "STATE", "TRIALS", "RECIPE", "FIXED")
	for _, i := range infos {
		when := "-"
		if !i.When.IsZero() {
			when = i.When.Local().Format("2006-01-02 15:04")
		}
		var fixed []string
		for _, m := range i.Models {
			s := fmt.Sprintf("%s %d/%d", m.Model, m.Pass, m.Pass+m.Fail)
			if m.Void > 0 {
				s += fmt.Sprintf(" (%d void)", m.Void)
			}
			fixed = append(fixed, s)
		}
		w.Row(i.ID, when, i.State, fmt.Sprintf("%d/%d", i.Finished, i.Planned), text.Cut(text.Line(i.Recipe), 40),
			strings.Join(fixed, ", "))
	}
	return w.Flush()
}
