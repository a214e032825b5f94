package resumed

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/runner/project"
)

// ChangedError says why a run can't go on: what was done and what is left would
// not be the same comparison. Nothing was run.
type ChangedError struct {
	Run  string
	What []string
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the run %s can't go on: %s\n  hint: put that back, or begin another run with cookoff run; "+
		"--despite-changes goes on all the same, and the report says so", e.Run, strings.Join(e.What, "; "))
}

// Differing names the programs that are others now; "": nobody knows.
func Differing(was, now map[string]string) string {
	var names []string
	for name, sum := range was {
		switch other, there := now[name]; {
		case !there:
			names = append(names, text.Line(name)+" (gone)")
		case other != sum:
			names = append(names, text.Line(name))
		}
	}
	for name := range now {
		if _, there := was[name]; !there && was != nil {
			names = append(names, text.Line(name)+" (new)")
		}
	}
	if names == nil {
		return ""
	}
	slices.Sort(names)
	return ": " + strings.Join(names, ", ")
}

// Changes names what of a recipe was changed; "": nobody knows.
func Changes(was, now string) string {
	var names []string
	for _, n := range recipe.Changed(was, now) {
		names = append(names, text.Line(n))
	}
	return project.Listed(names)
}

// Replanted says which tasks stand for others than those that a run was begun with; was and
// now are how the recipe said them. A run that did not say is believed.
func Replanted(was, now map[string]string) (what []string) {
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
