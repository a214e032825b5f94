package footprint

import (
	"slices"
	"strings"

	"cookoff/verify/tree"
)

// made begins the key of a file that the checks of a task make, or make anew, by themselves.
const made = "made "

// grows begins the key of one of them that they only write on: what was in it is not
// theirs to make again.
const grows = "grows "

// LearnMade takes the paths of files that the checks write where the task is solved, and
// of those of them that they only write on. The referee's worlds begin without what a
// contestant has them be.
func (f *Footprint) LearnMade(paths, grown []string) {
	var list []Difference
	for _, p := range grown {
		list = append(list, Difference{Key: grows + p, Path: p})
	}
	for _, p := range paths {
		list = append(list, Difference{Key: made + p, Path: p})
	}
	f.Learn(list)
}

// Made are those that no solution touches, sorted.
func (f *Footprint) Made() (paths []string) {
	keys, _ := f.All()
	for key, p := range keys {
		if strings.HasPrefix(key, made) && !f.solves(p) {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// solves reports whether a solution makes, changes or removes a file.
func (f *learnt) solves(p string) bool { return f.Has("content "+p) || f.Has("added "+p) }

// Counts reports whether it counts what becomes of a file of the start: no solution touches it, the task does not
// allow to change it, the checks don't make it, and no program keeps it for itself or writes it on and on.
func (f *Footprint) Counts(p string) bool {
	return !f.Asked(p) && !f.Has(made+p) && !tree.KeptByPrograms(p) && !tree.IsLog(p)
}

// Asked reports whether a new or changed path is what the task wants: a solution touches
// it, or the task allows it.
func (f *Footprint) Asked(p string) bool {
	return f.solves(p) || Reaches(f.Allowed.Change, p) || Reaches(f.Allowed.Add, p)
}

// remade reports whether a difference is no more than the checks do: who runs them makes such
// files, too. Of a database they write rows: that a table is gone or empty is not theirs.
func (f *learnt) remade(d Difference) bool {
	file, _, _ := strings.Cut(d.Path, "#")
	switch d.What {
	case "content", "removed", partMade, rowGone, valueGone, recordGone, recordsGone, keyGone, valueChanged,
		lineGone, lineOther:
		return d.Kind == changed && f.Has(made+file) && !f.Has(grows+file)
	}
	return false
}
