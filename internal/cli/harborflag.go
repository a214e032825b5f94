package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/recipe"
)

// BuildFlag gives a command the flag --build.
func BuildFlag(cmd *cobra.Command, wanted *bool) {
	cmd.Flags().BoolVar(wanted, "build", false,
		"have podman or docker build the images of tasks for Harbor, with the engine's network, into "+
			"~/.local/share/cookoff/images; each is built once")
}

// HarborFlag gives a command the flag --harbor.
func HarborFlag(cmd *cobra.Command, dirs *[]string) {
	cmd.Flags().StringArrayVar(dirs, "harbor", nil,
		"take the tasks for Harbor in `DIR` (a task, a directory of tasks or one with a dataset.toml) "+
			"instead of a recipe; "+
			"further DIRs may follow")
}

// HarborSource gives the source of a recipe of the tasks for Harbor in dirs, and in those
// that args name.
func (c *Common) HarborSource(dirs, args []string) (string, error) {
	for _, a := range args {
		if !c.isDir(a) {
			return "", Usage("--harbor and the recipe %q at once\n"+
				"  hint: \"- harbor: DIR\" below ## Tasks of the recipe takes tasks beside it", a)
		}
	}
	all := append(append([]string{}, dirs...), args...)
	for _, d := range all {
		if d == "" || strings.ContainsAny(d, ":\n") {
			return "", Usage("--harbor %q: a directory without a colon in its name", d)
		}
	}
	return recipe.HarborPrefix + strings.Join(all, ":"), nil
}

func (c *Common) isDir(name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(c.Dir, name)
	}
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}
