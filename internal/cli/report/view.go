package report

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/runs"
	"cookoff/internal/view"
	"cookoff/trial"
)

func newView(c *cli.Common) *cobra.Command {
	var f viewFlags
	cmd := &cobra.Command{
		Use:        "view [RUN]",
		SuggestFor: []string{"open", "serve", "ui", "web"},
		Short:      "Show a run in the browser, live while it goes on",
		Long: `Serves the page of "report --format html" to this machine and prints its
address; while the run goes on the page shows what is new. RUN is meant as in
"report": by default the latest run of this project. Ctrl-C ends it (exit 0).

The page is served on 127.0.0.1 only, and only to who knows the address: it
holds a secret that is made anew each time.`,
		Example: `  cookoff view
  cookoff view 20261121-08 --port 8080`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: reports.CompleteRuns(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), c, strings.Join(args, ""))
		},
	}
	cmd.Flags().IntVar(&f.port, "port", 0, "serve on port `N` of this machine (default: any that is free)")
	return cmd
}

// viewFlags are the flags of "view".
type viewFlags struct {
	port int // 0: any that is free
}

// run serves the page of a run until ctx ends.
func (f *viewFlags) run(ctx context.Context, c *cli.Common, name string) error {
	if f.port < 0 || f.port > 65535 {
		return cli.Usage("--port %d: give a port from 1 to 65535, or 0 for any that is free", f.port)
	}
	path, err := trial.FindRun(c.Dir, name)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	err = view.Serve(ctx, path, f.port, func(address string) {
		fmt.Fprintln(c.Out, address)
		c.Say("showing %s until Ctrl-C", c.Rel(path))
	})
	if err != nil {
		return runs.Unreadable(err)
	}
	return nil
}
