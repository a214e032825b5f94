// Package help is the command "help": pages of commands and topics, on the screen
// and, in a program that was built with the tag man, as manual pages.
package help

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
)

// Command shows the page of a command or a topic; what has no page is an error, as
// any other slip.
func Command(root *cobra.Command) *cobra.Command {
	var man string
	cmd := &cobra.Command{
		Use:     "help [COMMAND|TOPIC]",
		Short:   "Explain a command or a topic",
		GroupID: "other",
		Example: `  cookoff help run
  cookoff help exit-codes
  cookoff help docs/worlds.md`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(cli.CommandNames(root), pageNames()...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(self *cobra.Command, args []string) error {
			switch {
			case man != "":
				return cli.Written(manPages(root, man))
			case len(args) == 1 && isPage(args[0]):
				return printPage(self.OutOrStdout(), args[0])
			}
			cmd, rest, err := root.Find(args)
			switch {
			case len(rest) > 0 && !cmd.HasSubCommands():
				return fmt.Errorf("%s has no commands of its own: %q\n  hint: cookoff help %s",
					cmd.CommandPath(), rest[0], strings.TrimPrefix(cmd.CommandPath(), root.Name()+" "))
			case len(rest) > 0:
				return cli.NoSuchCommand(cmd, rest)
			case err != nil:
				return err
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
	if manPages != nil {
		cmd.Flags().StringVar(&man, "man", "", "write manual pages of all commands into `DIR`")
	}
	return cmd
}
