package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/runner/project"
)

// said names what of a recipe was changed; "": nobody knows.
func said(was, now string) string {
	var names []string
	for _, n := range recipe.Changed(was, now) {
		names = append(names, text.Line(n))
	}
	return project.Listed(names)
}

// replanted says which tasks stand for others than those that a run was begun with; was and
// now are how the recipe said them. A run that did not say is believed.
func replanted(was, now map[string]string) (what []string) {
	if was == nil {
		return nil
	}
	all := maps.Clone(was)
	maps.Copy(all, now)
	for _, title := range slices.Sorted(maps.Keys(all)) {
		before, planted := was[title]
		after, plants := now[title]
		if before == after {
			continue
		}
		switch {
		case !plants:
			what = append(what, fmt.Sprintf("the task %q no longer plants faults", title))
		case !planted:
			what = append(what, fmt.Sprintf("the task %q plants faults, and did not", title))
		default:
			gone, added := recipe.ChangedLines(before, after)
			what = append(what, fmt.Sprintf("the task %q plants other faults: %s, before %s", title,
				lines(added), lines(gone)))
		}
	}
	return what
}

// lines are the lines of a recipe for a message.
func lines(list []string) string {
	const most = 4
	if len(list) == 0 {
		return "nothing"
	}
	var out []string
	for _, l := range list[:min(len(list), most)] {
		out = append(out, fmt.Sprintf("%q", text.Line(l)))
	}
	if len(list) > most {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}
