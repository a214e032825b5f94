package verify

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// What checks write in directories that are there for that alone (build/, a log of the tests) is no
// part of the project, also where a check ran before the contestant came: whoever runs the tests
// changes it, a check among them, and it decides nothing. A glob that floats (**/*Test.*) means the
// tests of the project, and covers their logs and compiled copies by chance.

// mostOwn is how many files are looked through for a project's own directories.
const mostOwn = 200_000

func floats(glob string) bool { return strings.HasPrefix(glob, "**/") }

// findOwn notes in which directories files lie before a check runs. Errors are the sandbox's.
func (s *Start) findOwn(ctx context.Context, sb sandbox.Sandbox) error {
	own := map[string]bool{".": true, "~": true}
	for _, in := range []string{"", "~"} {
		files, more, err := sb.FS().Find(ctx, sandbox.FindQuery{Dir: in, Glob: "**", Max: mostOwn})
		if err != nil || more {
			return err
		}
		for _, f := range files {
			for dir := path.Dir(path.Join(in, f)); !own[dir]; dir = path.Dir(dir) {
				own[dir] = true
			}
		}
	}
	s.own = own
	return nil
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

// outputs reports of a path whether it is what checks write, also with the solution, in a directory
// that is there for that alone, and only globs that float cover it, if any do.
func outputs(c *Case, s *Start, globs []string) func(string) bool {
	return func(p string) bool {
		if top := s.Made(p); top == "" || !c.tests.Wrote(belowWith, top, false) {
			return false
		}
		return !slices.ContainsFunc(globs, func(g string) bool { return !floats(g) && tree.Matches([]string{g}, p) })
	}
}
