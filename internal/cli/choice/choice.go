// Package choice is how a user names the tasks that a command is about: by globs.
package choice

import (
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/recipe"
)

// Globs are those of a flag that can be given several times; a name has to fit one of
// them. Upper and lower case are alike, and * passes over /.
type Globs []string

// Flag adds the flag --task to a command; does says what it does there.
func Flag(cmd *cobra.Command, tasks *Globs, does string) {
	cmd.Flags().StringArrayVar((*[]string)(tasks), "task", nil,
		does+" only the tasks whose name matches `GLOB`, upper and lower case alike; repeatable, one is enough")
}

// Check refuses what is no glob.
func (gs Globs) Check(flag string) error {
	for _, g := range gs {
		if _, err := path.Match(g, ""); err != nil {
			return cli.Usage("--%s %q is no glob: %v", flag, g, err)
		}
	}
	return nil
}

// Fit reports whether a name is chosen; without globs every name is. They were checked.
func (gs Globs) Fit(name string) bool {
	return gs == nil || slices.ContainsFunc(gs, func(g string) bool { return matches(g, name) })
}

// matches reports whether a name fits a glob that was checked, or is the same text.
func matches(glob, name string) bool {
	fits, _ := path.Match(folded(glob), folded(name))
	return fits || folded(glob) == folded(name)
}

// Pick gives those of the tasks that are chosen and are among some, nil being all. That
// leaves one at least, else it is an error.
func (gs Globs) Pick(tasks, among []string) (left []string, err error) {
	for _, name := range tasks {
		if gs.Fit(name) && (among == nil || slices.Contains(among, name)) {
			left = append(left, name)
		}
	}
	switch g := gs.idle(tasks); {
	case g != "":
		return nil, cli.Usage("--task %q matches no task\n  hint: tasks are %s", g, strings.Join(tasks, "; "))
	case len(left) == 0 && gs == nil:
		return nil, cli.Usage("the recipe has none of the run's tasks any more\n"+
			"  hint: those were %s; a shoot-out goes on with cookoff --continue", strings.Join(among, "; "))
	case len(left) == 0:
		return nil, cli.Usage("--task names none of the tasks that --tag or --failed leave\n  hint: those are %s",
			strings.Join(among, "; "))
	}
	return left, nil
}

// idle is the first that none of the names fits: "" where there is none.
func (gs Globs) idle(names []string) string {
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

// Standing are the tasks of a recipe, under the names that they have in a run.
func Standing(r *recipe.Recipe) []recipe.Task {
	r, _ = r.Standing()
	return r.Tasks
}

// Tagged gives the tasks one of whose tags fits, nil where there are no globs.
func (gs Globs) Tagged(tasks []recipe.Task) ([]string, error) {
	if gs == nil {
		return nil, nil
	}
	var left, known []string
	for _, t := range tasks {
		for _, tag := range t.Tags {
			if !slices.Contains(known, tag) {
				known = append(known, tag)
			}
			if gs.Fit(tag) && !slices.Contains(left, t.Name()) {
				left = append(left, t.Name())
			}
		}
	}
	switch {
	case left != nil:
		return left, nil
	case known == nil:
		return nil, cli.Usage("--tag %s: no task of this recipe has a tag\n"+
			"  hint: tags: NAME behind a task gives it some",
			strings.Join(gs, ", "))
	}
	return nil, cli.Usage("--tag %s matches no tag\n  hint: tags are %s", strings.Join(gs, ", "),
		strings.Join(known, ", "))
}
