package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cookoff/internal/nearest"
	"cookoff/internal/ui/text"
)

// FlagError adds the nearest flag to a message about an unknown one.
func FlagError(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("%s --help lists the flags", cmd.CommandPath())
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		what := map[string]string{
			"int": "a whole number", "int64": "a whole number", "float64": "a number", "bool": "true or false",
			"run": "the name of a run or of a report", "usd": "a number of USD above 0",
			"size": "a size, like 65536, 512MiB or 2g", "duration": "a time, like 30s or 2m",
		}[f.Value.Type()]
		if f.Value.Type() == "usd" {
			hint = "leave the flag out for no limit"
		}
		return fmt.Errorf("--%s %q is not %s\n  hint: %s", f.Name, invalid.GetValue(), what, hint)
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if n := nearest.Said(unknown.GetSpecifiedName(), names); n != "" && unknown.GetSpecifiedShortnames() == "" {
			hint = fmt.Sprintf("did you mean --%s?", n)
		}
	}
	return fmt.Errorf("%w\n  hint: %s", err, hint)
}

// Positional bounds the number of arguments, in words.
func Positional(min, max int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case slices.Contains(args, ""):
			return fmt.Errorf("argument %d of %s is empty\n  hint: a variable that is not set, "+
				"in quotes, gives an empty argument", slices.Index(args, "")+1, cmd.CommandPath())
		case len(args) < min:
			return fmt.Errorf("%s needs %s\n  hint: %s shows examples", cmd.CommandPath(), what, helpOf(cmd))
		case max >= 0 && len(args) > max:
			return fmt.Errorf("%s takes no further argument: %q\n  hint: %s shows examples",
				cmd.CommandPath(), args[max], helpOf(cmd))
		}
		return nil
	}
}

// NoArguments refuses any argument, and says what was probably meant by it: hint is a
// format of fmt that takes the argument.
func NoArguments(hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || args[0] == "" {
			return Positional(0, 0, "")(cmd, args)
		}
		return fmt.Errorf("%s takes no argument: %q\n  hint: "+hint, cmd.CommandPath(), args[0], text.Line(args[0]))
	}
}

// helpOf is the command line that explains a command.
func helpOf(cmd *cobra.Command) string {
	root, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return root + " help " + path
}

// OneOf refuses a value that is not among the allowed ones.
func OneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	hint := ""
	if n := nearest.Meant(value, allowed); n != "" {
		hint = fmt.Sprintf("\n  hint: did you mean %q?", n)
	}
	return Usage("--%s %q is unknown: allowed are %s%s", flag, value, strings.Join(allowed, ", "), hint)
}
