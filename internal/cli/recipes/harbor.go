package recipes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/sources"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/interop/harbor/tasks"
)

func newConvertHarbor(c *cli.Common) *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "harbor DIR",
		Short: "Make a recipe of tasks for Harbor",
		Long: `Reads a task of Harbor, a directory of tasks or one with a dataset.toml, and writes
a recipe of those that can be tried on this machine without a container: their
Dockerfiles put files into place, set variables and install what is there already.
Each task that can't be is said on standard error, with every reason; the exit
status is 1 where none is left. Nothing of the tasks is run.`,
		Example: `  cookoff convert harbor tasks/fix-git -o recipe.md
  cookoff convert harbor terminal-bench -o recipe.md`,
		Args: cli.Positional(1, 1, "the directory of the tasks"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.harbor(cmd.Context(), c, args[0]) },
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "-", "write the recipe to this file; - is standard output")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite the file")
	cli.BuildFlag(cmd, &f.build)
	return cmd
}

// harbor converts the tasks of a directory.
func (f *convertFlags) harbor(ctx context.Context, c *cli.Common, dir string) error {
	dirs, err := tasks.Find(dir)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	var taken []tasks.Task
	machine := sources.Finder{Build: f.build, Notify: c.Notify}.HarborMachine(ctx)
	for _, d := range dirs {
		t, refused := tasks.Read(d, machine)
		for _, why := range refused {
			fmt.Fprintf(c.Err, "%s %s: %s\n", c.Err.Paint(screen.Red, "not taken:"), text.Line(filepath.Base(d)),
				text.Line(why.Error()))
		}
		if len(refused) > 0 {
			continue
		}
		for _, n := range t.Notes {
			c.Say("%s: %s", text.Line(t.Name), text.Line(n))
		}
		if t.Root != "" {
			c.Say("%s: the recipe names its image images/%s: put it there, beside the recipe", text.Line(t.Name),
				text.Line(filepath.Base(t.Root)))
		}
		taken = append(taken, t)
	}
	c.Say("%d of %s can be tried here", len(taken), text.Count(len(dirs), "task"))
	if len(taken) == 0 {
		return cli.Fail(cli.ExitGate, errors.New("no task can be tried here"))
	}
	out := tasks.Recipe("Tasks of "+filepath.Base(filepath.Clean(dir)), taken)
	if f.output != "-" {
		if err := cli.Create(f.output, out, f.force); err != nil {
			return err
		}
		c.Say("wrote %s", f.output)
		return nil
	}
	_, err = c.Out.Write(out)
	return cli.Written(err)
}
