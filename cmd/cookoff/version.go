package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/version"
)

func (a *app) versionCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  cookoff version
  cookoff version --format json`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			v := version.Read()
			switch format {
			case "text":
				_, err := fmt.Fprintln(a.Out, v)
				return cli.Written(err)
			case "json":
				return a.PrintJSON(v)
			}
			return cli.OneOf("format", format, "text", "json")
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}
