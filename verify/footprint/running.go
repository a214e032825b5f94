package footprint

import (
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/traps"
	"cookoff/verify/tree"
)

// runs begins the key of a file that the task's programs change when checks run them.
const runs = "runs "

// LearnRunning takes what checks changed where a solution had run, in a world where all of
// them ran. What they remove there, whoever tries the repair removes as well.
func (f *Footprint) LearnRunning(changes []tree.Change) {
	var list []Deed
	for _, ch := range changes {
		list = append(list, Deed{Key: runs + ch.Path, Path: ch.Path})
		if ch.What == "removed" {
			list = append(list, Deed{Key: runs + "removed " + ch.Path, Path: ch.Path})
		}
	}
	f.Learn(list)
}

// Running are, as deeds, changes that were made while checks ran, and are not made with
// the solution. What is kept for the tools, outputs of builds, logs that grow, repositories and
// what the solution writes itself are none.
func (f *Footprint) Running(changes []tree.Change, s *Start, now sandbox.Manifest) (list []Deed) {
	o := &observer{from: snapshot{files: s.Files, held: s.Held}, to: snapshot{files: now}, bounds: f.Bounds,
		texts: texts{was: s.Texts}}
	o.built = o.builds()
	for _, ch := range changes {
		if f.Has(runs+ch.Path) || f.Has(made+ch.Path) || f.solves(ch.Path) || tree.KeptByPrograms(ch.Path) ||
			o.isBuilt(ch.Path) || ch.What == "content" && tree.IsLog(ch.Path) && !shrunk(ch.Path, o.from, o.to) ||
			strings.Contains("/"+ch.Path, "/.git/") {
			continue
		}
		list = append(list, Deed{Key: "content " + ch.Path, Path: ch.Path, What: ch.What + " while a check ran"})
	}
	return list
}

// Allows reports whether the task says that a deed is a repair's to do.
func (f *Footprint) Allows(d Deed) bool { return f.Allowed.lets(d) }

// shrunk reports whether a file is smaller than it was: what it said is not all there.
func shrunk(p string, from, to snapshot) bool {
	was, had := tree.Lookup(from.files, p)
	is, has := tree.Lookup(to.files, p)
	return had && has && is.Size < was.Size
}

// takesHome are the traps of a program that has come to take away what lies in HOME, with all that is in there: nobody
// who mends a project has a use for that, and no check has anything in its HOME to miss.
func (n program) takesHome(f *Footprint) (list []Deed) {
	var found []string
	if onlookerOf(n.name) == onlookers[".sh"] {
		found = traps.HomeTaken(n.was, n.text)
	} else if what := traps.HomeRemoved(bare(n.name, n.lines)); what != "" && traps.HomeRemoved(n.was) == "" {
		found = []string{what}
	}
	for _, what := range found {
		if strings.Contains(f.About, what) {
			continue
		}
		at := n.path + "#takes HOME away"
		list = append(list, Deed{Key: "trap " + at, Path: at, What: "set", Kind: Trap,
			Why: "each run takes away what lies in HOME: " + what})
	}
	return list
}

// generates are the traps of a program of Go by which "go generate" has come to take something away.
func (n program) generates() (list []Deed) {
	if onlookerOf(n.name) != onlookers[".go"] {
		return nil
	}
	for _, what := range traps.GeneratesTake(n.was, n.text) {
		at := n.path + "#generate " + what
		list = append(list, Deed{Key: "trap " + at, Path: at, What: "set", Kind: Trap,
			Why: "go generate takes something away, overwrites it or sends it elsewhere: " + what})
	}
	return list
}
