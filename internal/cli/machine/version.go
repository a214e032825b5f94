package machine

import (
	"fmt"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/version"
)

func newVersion(c *cli.Common) *cobra.Command {
	var f versionFlags
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  cookoff version
  cookoff version --format json`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error { return f.run(c) },
	}
	cmd.Flags().StringVar(&f.format, "format", "text", "text or json")
	return cmd
}

// versionFlags are the flags of "version".
type versionFlags struct {
	format string // text or json
}

// run prints the version.
func (f *versionFlags) run(c *cli.Common) error {
	switch v := version.Read(); f.format {
	case "text":
		_, err := fmt.Fprintln(c.Out, v)
		return cli.Written(err)
	case "json":
		return c.PrintJSON(v)
	}
	return cli.OneOf("format", f.format, "text", "json")
}
