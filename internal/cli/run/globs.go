package run

import (
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
)

// globs are those of a flag that can be given several times; a name has to fit one of
// them. Upper and lower case are alike, and * passes over /.
type globs []string

// choosing adds the flag --task to a command; does says what it does there.
func choosing(cmd *cobra.Command, tasks *globs, does string) {
	cmd.Flags().StringArrayVar((*[]string)(tasks), "task", nil,
		does+" only the tasks whose name matches `GLOB`, upper and lower case alike; repeatable, one is enough")
}

// check refuses what is no glob.
func (gs globs) check(flag string) error {
	for _, g := range gs {
		if _, err := path.Match(g, ""); err != nil {
			return cli.Usage("--%s %q is no glob: %v", flag, g, err)
		}
	}
	return nil
}

// fit reports whether a name is chosen; without globs every name is. They were checked.
func (gs globs) fit(name string) bool {
	return gs == nil || slices.ContainsFunc(gs, func(g string) bool { return matches(g, name) })
}

// matches reports whether a name fits a glob that was checked, or is the same text.
func matches(glob, name string) bool {
	fits, _ := path.Match(folded(glob), folded(name))
	return fits || folded(glob) == folded(name)
}

// idle is the first that none of the names fits: "" where there is none.
func (gs globs) idle(names []string) string {
	i := slices.IndexFunc(gs, func(g string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return matches(g, n) })
	})
	if i < 0 {
		return ""
	}
	return gs[i]
}

// folded makes names alike that differ in case only, and lets * pass over /.
func folded(s string) string { return strings.ReplaceAll(strings.ToLower(s), "/", "\x1f") }
