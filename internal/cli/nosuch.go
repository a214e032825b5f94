package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/nearest"
)

// NoSuchCommand refuses a word that is no command, and names the nearest.
func NoSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := strings.TrimSpace(helpOf(cmd)) + " lists the commands"
	if n := cmp.Or(meant(cmd, args[0]), nearest.Name(args[0], CommandNames(cmd))); n != "" {
		hint = fmt.Sprintf("did you mean %q?", n)
	}
	return fmt.Errorf("unknown command %q\n  hint: %s", args[0], hint)
}

// meant is the command that other programs name by this word; "": none.
func meant(cmd *cobra.Command, word string) string {
	for _, c := range cmd.Commands() {
		if !c.Hidden && slices.Contains(c.SuggestFor, word) {
			return c.Name()
		}
	}
	return ""
}

// Groups has each command below root that takes subcommands, and no other argument,
// refuse a word that is none of them, and show its help where it does nothing by itself.
func Groups(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		Groups(cmd)
		if !cmd.HasAvailableSubCommands() || cmd.Runnable() && cmd.ValidateArgs([]string{"word"}) == nil {
			continue
		}
		cmd.Args = NoSuchCommand
		if !cmd.Runnable() {
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// HelpOfNone refuses a slip of a command that help is asked for by a flag, as any
// other slip: a flag of help is obeyed before arguments are looked at.
func HelpOfNone(root *cobra.Command, args []string) error {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	asks := func(word string) bool { return word == "--help" || word == "-h" }
	if !slices.ContainsFunc(args, asks) {
		return nil
	}
	cmd, words, err := root.Find(slices.DeleteFunc(slices.Clone(args), asks))
	if err != nil || !cmd.HasAvailableSubCommands() || len(words) == 0 || strings.HasPrefix(words[0], "-") ||
		cmd.ValidateArgs(words[:1]) == nil {
		return nil
	}
	return NoSuchCommand(cmd, words)
}

// CommandNames are the names of the commands that help shows.
func CommandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}
