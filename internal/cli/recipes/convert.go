package recipes

import (
	"fmt"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/ui/text"
	"cookoff/recipe/convert"
)

func newConvert(c *cli.Common) *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:        "convert FILE",
		SuggestFor: []string{"import", "migrate"},
		Short:      "Make a recipe of one that was written for Errata",
		Long: `Reads a version 1 recipe of Errata and writes one of this format. Errata ignores
what it does not know, and goes on without a limit that it can't read; each such
thing is said on standard error with its line, and kept as a comment where it
has no meaning here. Models get the provider that serves them; OpenRouter serves
those with a slash. A model that nobody is known to serve is a problem: the rest
is converted, and the exit status is 1. FILE is not changed.`,
		Example: `  cookoff convert .errata/recipe.md > recipe.md
  cookoff convert old.md -o new.recipe.md`,
		Args: cli.Positional(1, 1, "the file to convert"),
		RunE: func(_ *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "-", "write the recipe to this file; - is standard output")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite the file")
	cmd.AddCommand(newConvertHarbor(c))
	return cmd
}

// convertFlags are the flags of "convert".
type convertFlags struct {
	output string // a file; "-": standard output
	force  bool
	build  bool // of Harbor's images
}

// run converts a file.
func (f *convertFlags) run(c *cli.Common, file string) error {
	content, err := cli.ReadFile(file)
	if err != nil {
		return err
	}
	out, notes, err := convert.Errata(file, content)
	cli.PrintProblems(c.Err, notes)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	if f.output == "-" {
		if _, err := c.Out.Write(out); err != nil {
			return cli.Written(err)
		}
	} else if err := cli.Create(f.output, out, f.force); err != nil {
		return err
	} else {
		c.Say("wrote %s", f.output)
	}
	if len(notes) > 0 {
		c.Say("%s", fmt.Sprintf("%s to look at; cookoff lint says what a run would refuse",
			text.Count(len(notes), "thing")))
	}
	if len(notes.Errors()) > 0 {
		return cli.Fail(cli.ExitGate, nil)
	}
	return nil
}
