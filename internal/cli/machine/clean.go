package machine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"cookoff/internal/apply"
	"cookoff/internal/cli"
	"cookoff/internal/leftovers"
	"cookoff/internal/temporary"
	"cookoff/internal/ui/text"
)

func newClean(c *cli.Common) *cobra.Command {
	var f cleanFlags
	cmd := &cobra.Command{
		Use:        "clean",
		SuggestFor: []string{"gc", "prune", "rm"},
		Short:      "Remove what killed runs left behind",
		Long: `Removes what cookoff left behind where it was killed: the files of its sandboxes,
copies of projects, empty control groups, files that were being written. No process
and no mount is ever left: they end with the cookoff that made them. Where an apply to this project
was cut off half-way, what it had changed is taken back. What a running
cookoff uses is locked, and stays; so do runs and their journals. Of what is kept in the user's
cache (what prepare: got, what checks compiled, unpacked roots) that goes which no run has used for
30 days, and where there is more than 20 GiB the oldest, but for what was used within a day.
With --cache the copy of the project goes too that is kept for the next run, unless a run starts from
it. With --all everything that is kept goes: no run may be under way.`,
		Example: `  cookoff clean --dry-run
  cookoff clean`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error { return f.run(c) },
	}
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "only say what would be removed")
	cmd.Flags().BoolVar(&f.cache, "cache", false,
		"remove the copy of the project as well that is kept for the next run")
	cmd.Flags().BoolVar(&f.all, "all", false, "remove all that is kept for next runs: they take longer then")
	cmd.Flags().StringVar(&f.format, "format", "text", "text or json")
	return cmd
}

// cleanFlags are the flags of "clean".
type cleanFlags struct {
	dryRun bool
	cache  bool
	all    bool
	format string // text or json
}

// takeBack takes back an apply that was cut off in this project.
func (f *cleanFlags) takeBack(c *cli.Common) error {
	if f.dryRun {
		if apply.CutOff(c.Dir) {
			c.Say("would take back an apply that was cut off half-way, unless it goes on")
		}
		return nil
	}
	said, err := leftovers.TakeBack(c.Dir)
	for _, line := range said {
		c.Say("%s", line)
	}
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	return nil
}

// run removes what is left over.
func (f *cleanFlags) run(c *cli.Common) error {
	if err := cli.OneOf("format", f.format, "text", "json"); err != nil {
		return err
	}
	if err := f.takeBack(c); err != nil {
		return err
	}
	found := leftovers.Find()
	found = append(found, leftovers.Caches(f.all)...)
	if f.cache || f.all {
		found = append(found, leftovers.Copies(c.Dir)...)
	}
	var failed error
	gone := slices.DeleteFunc(slices.Clone(found), func(l leftovers.Leftover) bool {
		if f.dryRun {
			return false
		}
		err := l.Remove()
		failed = errors.Join(failed, err)
		return err != nil
	})
	if !f.dryRun {
		temporary.Left() // lists of what is gone go
	}
	if f.format == "json" {
		failed = errors.Join(failed, c.PrintJSON(append([]leftovers.Leftover{}, gone...)))
	} else {
		verb := "removed"
		if f.dryRun {
			verb = "would remove"
		}
		for _, l := range gone {
			if _, err := fmt.Fprintf(c.Out, "%s %s (%s, %s)\n", verb, text.Line(l.Path), l.What,
				text.Bytes(l.Bytes)); err != nil {
				return cli.Written(err)
			}
		}
		if len(found) == 0 {
			c.Say("nothing is left over")
		}
	}
	if failed != nil {
		return cli.Fail(cli.ExitInfra, failed)
	}
	return nil
}
