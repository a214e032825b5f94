package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/view"
	"cookoff/trial"
)

func (a *app) viewCommand() *cobra.Command {
	var port int
	cmd := &cobra.Command{
		Use:   "view [RUN]",
		Short: "Show a run in the browser, live while it goes on",
		Long: `Serves the page of "report --format html" to this machine and prints its
address; while the run goes on the page shows what is new. RUN is meant as in
"report": by default the latest run of this project. Ctrl-C ends it (exit 0).

The page is served on 127.0.0.1 only, and only to who knows the address: it
holds a secret that is made anew each time.`,
		Example: `  cookoff view
  cookoff view 20261121-08 --port 8080`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: reports.CompleteRuns(&a.Common),
		RunE: func(cmd *cobra.Command, args []string) error {
			if port < 0 || port > 65535 {
				return cli.Usage("--port %d: give a port from 1 to 65535, or 0 for any that is free", port)
			}
			path, err := trial.FindRun(a.Dir, strings.Join(args, ""))
			if err != nil {
				return cli.Fail(cli.ExitUsage, err)
			}
			err = view.Serve(cmd.Context(), path, port, func(address string) {
				fmt.Fprintln(a.Out, address)
				a.Say("showing %s until Ctrl-C", a.Rel(path))
			})
			if err != nil {
				return reports.Unreadable(err)
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "serve on port `N` of this machine (default: any that is free)")
	return cmd
}
