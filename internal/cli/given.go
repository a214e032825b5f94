package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// AddJSON gives every command below root that prints JSON with --format json the flag
// --json, which is short for that.
func AddJSON(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		AddJSON(cmd)
		f := cmd.Flags().Lookup("format")
		if f != nil && strings.Contains(f.Usage, "json") && cmd.Flags().Lookup("json") == nil {
			cmd.Flags().Bool("json", false, "short for --format json")
		}
	}
}

// ReadGiven is called before a command runs: it refuses lists that hold nothing, such
// as those of a variable that is not set, and takes --json for --format json.
func ReadGiven(cmd *cobra.Command) error {
	var wrong error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "stringSlice" && wrong == nil {
			wrong = trimList(f)
		}
	})
	json, format := cmd.Flags().Lookup("json"), cmd.Flags().Lookup("format")
	if wrong != nil || json == nil || format == nil || json.Value.String() != "true" {
		return wrong
	}
	if format.Changed && format.Value.String() != "json" {
		return Usage("--json and --format %s contradict each other\n  hint: --json is short for --format json",
			format.Value)
	}
	return cmd.Flags().Set("format", "json")
}

// trimList takes the blanks off what a flag lists, and refuses what is empty.
func trimList(f *pflag.Flag) error {
	list := f.Value.(pflag.SliceValue)
	items := list.GetSlice()
	for i, item := range items {
		items[i] = strings.TrimSpace(item)
	}
	switch {
	case strings.Trim(strings.Join(items, ""), " ") == "":
		return Usage("--%s names nothing\n  hint: a variable that is not set, in quotes, gives an empty list; "+
			"without the flag it is as if nothing was said", f.Name)
	case slices.Contains(items, ""):
		return Usage("--%s %q: name %d of %d is empty\n  hint: names stand between single commas, as A,B", f.Name,
			strings.Join(items, ","), slices.Index(items, "")+1, len(items))
	}
	if f.Name == "models" {
		if again := twice(items); again != "" {
			return Usage("--models names %q twice\n  hint: --trials N has each model try each task N times", again)
		}
	}
	return list.Replace(items)
}

// twice gives the first model that is named before, however it is spaced; "": none is.
func twice(models []string) string {
	seen := map[string]bool{}
	for _, m := range models {
		name := strings.ReplaceAll(m, " ", "")
		if seen[name] {
			return m
		}
		seen[name] = true
	}
	return ""
}
