package verify

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/footprint"
	"cookoff/verify/later"
	"cookoff/verify/standins"
	"cookoff/verify/tree"
)

// What checks write in directories that are there for that alone (build/, a log of the tests) is no
// part of the project, also where a check ran before the contestant came: whoever runs the tests
// changes it, a check among them, and it decides nothing. A glob that floats (**/*Test.*) means the
// tests of the project, and covers their logs and compiled copies by chance.

// mostOwn is how many files are looked through for a project's own directories.
const mostOwn = 200_000

func floats(glob string) bool { return strings.HasPrefix(glob, "**/") }

// findOwn notes which files there are before a check runs, for bornIn, and in which directories. Errors are
// the sandbox's.
func (s *Start) findOwn(ctx context.Context, sb sandbox.Sandbox) error {
	own, there := map[string]bool{".": true, "~": true}, map[string]bool{}
	for _, in := range []string{"", "~"} {
		files, more, err := sb.FS().Find(ctx, sandbox.FindQuery{Dir: in, Glob: "**", Max: mostOwn})
		if err != nil || more {
			return err
		}
		for _, f := range files {
			there[path.Join(in, f)] = true
			for dir := path.Dir(path.Join(in, f)); !own[dir]; dir = path.Dir(dir) {
				own[dir] = true
			}
		}
	}
	s.own, s.born = own, there
	return nil
}

// owns adds files to those that there were before a check ran.
func (s *Start) owns(paths []string) {
	for _, p := range paths {
		if s.own == nil {
			return
		}
		s.born[p] = true
		for dir := path.Dir(p); !s.own[dir]; dir = path.Dir(dir) {
			s.own[dir] = true
		}
	}
}

// bornIn gives the files of a staged state that were not there before a check ran; there: those that were,
// nil where nobody knows.
func bornIn(files sandbox.Manifest, there map[string]bool) map[string]bool {
	if there == nil {
		return nil
	}
	born := map[string]bool{}
	for _, f := range files {
		if f.Mode.IsRegular() && !there[f.Path] && !strings.HasPrefix(f.Path, "/") &&
			!strings.Contains("/"+f.Path, "/.git/") { // which is not looked through
			born[f.Path] = true
		}
	}
	return born
}

// Made gives the topmost directory of a path in project or home that was not there before a check
// ran, as before and guard do when a task is staged; "": all were, or nobody knows.
func (s *Start) Made(p string) (top string) {
	if s.own == nil || strings.HasPrefix(p, "/") ||
		strings.Contains("/"+path.Dir(p)+"/", "/.git/") {
		return ""
	}
	for dir := path.Dir(p); !s.own[dir]; dir = path.Dir(dir) {
		top = dir
	}
	return top
}

// builtBy gives the files of a final state's project that a check made before anybody came, and those in
// directories that it made. Where no solution says what checks build, the referee has them older than all they
// may be built of: what a contestant laid there is made anew as well.
func (s *Start) builtBy(final sandbox.Manifest) (paths []string) {
	for _, f := range final {
		if !f.Mode.IsRegular() || strings.HasPrefix(f.Path, "~/") || strings.HasPrefix(f.Path, "/") {
			continue
		}
		top := s.Made(f.Path)
		if _, made := tree.Lookup(s.Files, top); s.born[f.Path] || top != "" && made {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// outputs reports of a path whether it is what checks write, also with the solution, in a directory
// that is there for that alone, and only globs that float cover it, if any do.
func outputs(c *Case, s *Start, globs []string) func(string) bool {
	return func(p string) bool {
		if top := s.Made(p); top == "" || !c.tests.Wrote(later.Below, top, false) {
			return false
		}
		return !slices.ContainsFunc(globs, func(g string) bool { return !floats(g) && tree.Matches([]string{g}, p) })
	}
}

// isBeside reports whether a path is of a file of tests beside those that were there, and that the
// referee does without, or of a new directory that holds nothing else; or whether it is one that
// somebody had a test print into, called as tests are by chance; or of a file that a check made
// before anybody came, and has to make anew for the referee.
func (j *judging) isBeside(p string) bool {
	if j.foot == nil {
		return false
	}
	is, has := tree.Lookup(j.facts.manifest, p)
	if _, had := tree.Lookup(j.start.Files, p); had {
		return j.start.born[p] && j.foot.Referee && (!has || is.Mode.IsRegular() && j.lacks(p))
	}
	if !has || !is.Mode.IsDir() {
		return has && is.Mode.IsRegular() && (j.withoutIt(p) || j.foot.Solved && j.isPrinted(p))
	}
	return !slices.ContainsFunc(j.facts.manifest, func(f sandbox.File) bool {
		return strings.HasPrefix(f.Path, p+"/") && !f.Mode.IsDir() && !tree.Untracked(f.Path) && !j.withoutIt(f.Path)
	})
}

// isLogged reports whether what was done is that a file is otherwise or gone which a check made before
// anybody came, as whoever tries the program does, and the referee has as it was.
func (j *judging) isLogged(d footprint.Difference) bool {
	logged := slices.Contains([]string{"content", "removed", "mode"}, d.What)
	return logged && j.start.born[d.Path] && j.foot.Referee && j.foot.Solved &&
		slices.ContainsFunc(j.Worlds.Settings, func(it sandbox.Item) bool { return it.Path == d.Path && !it.Gone })
}

// withoutIt reports whether the referee does without a file of tests, or has it since tests were moved there.
func (j *judging) withoutIt(p string) bool {
	return j.foot.Referee && (standins.IsTest(p) || standins.OfTests(p)) &&
		(j.lacks(p) || slices.Contains(j.Worlds.Moved, p))
}

// lacks reports whether the referee's worlds are without a file.
func (j *judging) lacks(p string) bool {
	return slices.ContainsFunc(j.Worlds.Settings, func(it sandbox.Item) bool { return it.Path == p && it.Gone })
}

// isPrinted reports whether a new file is a text that no program reads by its name, and that only
// globs for names at any depth cover.
func (j *judging) isPrinted(p string) bool {
	return slices.Contains([]string{".txt", ".log", ".out"}, path.Ext(p)) && !strings.Contains(j.About(), path.Base(p)) &&
		!slices.ContainsFunc(j.Protect, func(g string) bool { return !floats(g) && tree.Matches([]string{g}, p) })
}
