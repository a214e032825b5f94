package report

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/runs"
	"cookoff/internal/ui/tty"
	"cookoff/internal/watching"
	"cookoff/trial"
)

func newWatch(c *cli.Common) *cobra.Command {
	var f watchFlags
	cmd := &cobra.Command{
		Use:        "watch [RUN]",
		SuggestFor: []string{"follow", "tail", "status"},
		Short:      "Show a run on the terminal, live while it goes on",
		Long: `Shows a run as panels beside each other, one a model: what it says and does,
its steps, time, tokens and cost; or as a matrix of models by tasks. It reads
the journal only, so a run takes no notice of who watches, and one that ended
long ago is shown the same way. RUN is meant as in "report": by default the
latest run of this project. The keys stand in the last line; ? explains them.

--plain writes lines instead, for screen readers and for pipes.`,
		Example: `  cookoff watch
  cookoff watch 20261121-08
  cookoff watch --plain`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: reports.CompleteRuns(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), c, strings.Join(args, ""))
		},
	}
	cmd.Flags().BoolVar(&f.plain, "plain", false, "write lines, one after another, instead of a screen")
	return cmd
}

// watchFlags are the flags of "watch".
type watchFlags struct {
	plain bool
}

// run shows a run until it has ended or ctx has.
func (f *watchFlags) run(ctx context.Context, c *cli.Common, name string) error {
	path, err := trial.FindRun(c.Dir, name)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	if f.plain {
		err = watching.Plain(ctx, path, c.Out)
	} else {
		if why := tty.Usable(c.Stdin, c.Out, c.Getenv); why != "" {
			return cli.Usage("watching needs a terminal: %s\n"+
				"  hint: cookoff watch --plain writes lines, cookoff report prints the result", why)
		}
		err = watching.Run(ctx, path, c.Stdin, c.Out)
	}
	if err != nil {
		return runs.Unreadable(err)
	}
	return nil
}
