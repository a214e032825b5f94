package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
)

func (a *app) convertCommand() *cobra.Command {
	var output string
	var force bool
	cmd := &cobra.Command{
		Use:   "convert FILE",
		Short: "Make a recipe of one that was written for Errata",
		Long: `Reads a version 1 recipe of Errata and writes one of this format. Errata ignores
what it does not know, and goes on without a limit that it can't read; each such
thing is said on standard error with its line, and kept as a comment where it
has no meaning here. Models get the provider that serves them; OpenRouter serves
those with a slash. A model that nobody is known to serve is a problem: the rest
is converted, and the exit status is 1. FILE is not changed.`,
		Example: `  cookoff convert .errata/recipe.md > recipe.md
  cookoff convert old.md -o new.recipe.md`,
		Args: cli.Positional(1, 1, "the file to convert"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.convert(args[0], output, force)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "-", "write the recipe to this file; - is standard output")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite the file")
	return cmd
}

func (a *app) convert(file, output string, force bool) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	out, notes, err := recipe.Convert(file, content)
	cli.PrintProblems(a.Err, notes)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	if output == "-" {
		if _, err := a.Out.Write(out); err != nil {
			return cli.Written(err)
		}
	} else if err := create(output, out, force); err != nil {
		return err
	} else {
		a.Say("wrote %s", output)
	}
	if len(notes) > 0 {
		a.Say("%s", fmt.Sprintf("%s to look at; cookoff lint says what a run would refuse", text.Count(len(notes), "thing")))
	}
	if len(notes.Errors()) > 0 {
		return cli.Fail(cli.ExitGate, nil)
	}
	return nil
}
