package hosts

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/hosts"
	"cookoff/internal/cli"
	"cookoff/internal/remote"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
)

// usualPrograms are looked for where no recipe names others.
const usualPrograms = "bash git go node npm python3 cargo rustc make gcc java ruby"

// listFlags are the flags of "hosts".
type listFlags struct {
	format, recipe string
	copySelf       bool
}

func newHosts(c *cli.Common) *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   "hosts [NAME...]",
		Short: "Try the machines that sandboxes can be opened on, and measure them",
		Long: `Reaches each host of cookoff.toml, or those that are named (slurm:JOB and
kubernetes:SELECTOR mean all machines of an engine), opens a sandbox there and says
what it found: how long a message takes there and back, how long a sandbox takes to
open, how long work takes that is the same everywhere, and which versions programs
have, seen from inside. Exits 3 when one can't be used, or programs or clocks differ.`,
		Example: `  cookoff hosts
  cookoff hosts build-2 local
  cookoff hosts slurm:123 --recipe recipe.md`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), c, args) },
	}
	cmd.Flags().StringVar(&f.format, "format", "table", "table or json")
	cmd.Flags().StringVar(&f.recipe, "recipe", "", "look for the programs that `RECIPE` names")
	cli.CopySelfFlag(cmd, &f.copySelf)
	cmd.AddCommand(newManifest(c))
	return cmd
}

func (f *listFlags) run(ctx context.Context, c *cli.Common, names []string) error {
	if err := cli.OneOf("format", f.format, "table", "json"); err != nil {
		return err
	}
	h, err := c.Host()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(h.Config.Hosts()))
	}
	if len(names) == 0 {
		c.Say("no hosts: [hosts.NAME] in your own cookoff.toml (~/.config/cookoff/cookoff.toml, or --config) " +
			"names one, with command = [\"ssh\", \"NAME\", \"cookoff\", \"hand\"]")
		return nil
	}
	if _, err := remote.Named(h.Config, names); err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	w := remote.Wanted{Names: names, Host: h, CopySelf: f.copySelf, AtEnd: func(one io.Closer) { c.AtEnd.Add(one) },
		Tell: func(line string) { c.Say("%s", line) }}
	words := strings.Fields(usualPrograms)
	if f.recipe != "" {
		r, ps, err := c.FindRecipe(ctx, f.recipe, false)
		if err != nil {
			return err
		}
		if r == nil {
			return cli.Fail(cli.ExitUsage, ps)
		}
		w.Recipe, words = r, remote.Words(string(r.MarshalMarkdown()))
	}
	if slices.Contains(names, hosts.Local) {
		w.Tools = h.ChainsFor(ctx, w.Recipe).Paths
		if w.Local, err = h.Backend(w.Recipe, "", w.Tools); err != nil {
			return cli.Fail(cli.ExitInfra, err)
		}
	}
	all, err := remote.Look(ctx, w, words)
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	return f.print(c, all)
}

// print shows the hosts, and fails where one can't be used beside the others.
func (f *listFlags) print(c *cli.Common, all []remote.Looked) error {
	var err error
	if f.format == "json" {
		err = c.PrintJSON(all)
	} else {
		err = printTable(c, all)
	}
	if err != nil {
		return err
	}
	var bad []string
	for _, l := range all {
		if !l.OK {
			bad = append(bad, l.Name)
		}
	}
	if len(bad) > 0 {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("not usable: %s", strings.Join(bad, ", ")))
	}
	for _, line := range remote.Slow(all) {
		c.Say("warning: %s: what is timed there is another time", line)
	}
	if lines := remote.Differ(all); len(lines) > 0 {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("the hosts differ:\n  %s\n"+
			"  hint: tool_paths under [hosts.NAME] shows other programs; "+
			"a clock is set there; run --allow mixed-hosts runs all the same",
			strings.Join(lines, "\n  ")))
	}
	return nil
}

func printTable(c *cli.Common, all []remote.Looked) error {
	w := table.New(c.Out)
	w.Row("HOST", "MACHINE", "SLOTS", "REACHED", "ROUND TRIP", "SANDBOX", "WORK", "PROGRAMS")
	for _, l := range all {
		if !l.OK {
			w.Row(l.Name, "not usable")
			continue
		}
		trip := "-"
		if l.TripMS > 0 {
			trip = fmt.Sprintf("%.2fms", l.TripMS)
		}
		w.Row(l.Name, cmp.Or(l.Machine, "this one"), fmt.Sprint(l.Slots), fmt.Sprintf("%.0fms", l.ReachedMS), trip,
			fmt.Sprintf("%.0fms", l.OpenMS), fmt.Sprintf("%.0fms", l.WorkMS),
			strings.Join(slices.Sorted(maps.Keys(l.Tools)), " "))
	}
	if err := w.Flush(); err != nil {
		return cli.Written(err)
	}
	for _, l := range all {
		if l.Error != "" {
			c.Say("%s: %s", text.Line(l.Name), l.Error)
		}
	}
	return nil
}
