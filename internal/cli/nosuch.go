package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"cookoff/internal/nearest"
	"cookoff/internal/ui/text"
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

// ReadFile reads a file that an argument names. Errors say what is there instead.
func ReadFile(file string) ([]byte, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, Unread(file, err, "")
	}
	return content, nil
}

// Unread says why a file that an argument names can't be read, in words of people, and what to do: hint, where
// that is not plain.
func Unread(file string, err error, hint string) error {
	name := text.Line(file)
	why := "can't be read: " + err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "is not there"
		if like := sibling(file); hint == "" && like != "" {
			hint = "did you mean " + text.Line(like) + "?"
		}
	case errors.Is(err, fs.ErrPermission):
		why = "may not be read: permission denied"
	case errors.Is(err, syscall.EISDIR):
		why = "is a directory, where a file was expected"
	}
	if hint != "" {
		return Usage("%s %s\n  hint: %s", name, why, hint)
	}
	return Usage("%s %s", name, why)
}

// sibling gives the file beside one that is not there whose name is most like its own; "": none is like it.
func sibling(file string) string {
	dir := filepath.Dir(file)
	entries, _ := os.ReadDir(dir) // none, where there is no such directory
	var names []string
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	if like := nearest.Name(filepath.Base(file), names); like != "" {
		return filepath.Join(dir, like)
	}
	return ""
}
