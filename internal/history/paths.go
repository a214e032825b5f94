package history

import (
	"fmt"
	"iter"
	"path"
	"path/filepath"
	"strings"
)

// PathError says that a commit has a path that no honest one has.
type PathError struct{ Path, Why string }

func (e *PathError) Error() string {
	if len(e.Path) > 100 {
		return fmt.Sprintf("the path %q… %s", e.Path[:60], e.Why)
	}
	return fmt.Sprintf("the path %q %s", e.Path, e.Why)
}

// Bounds of paths, in bytes: what Linux takes of a name, and of a path below the
// directory of a world.
const (
	longestName = 255
	longestPath = 3000
)

// sane refuses paths that no honest commit has: they would lead out of the tree, or
// into what steers git, or no file system takes them.
func sane(p string) error {
	if !filepath.IsLocal(p) || path.Clean(p) != p {
		return &PathError{p, "leads out of the repository"}
	}
	if len(p) > longestPath {
		return &PathError{p, "is too long for a file"}
	}
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(part, ".git") {
			return &PathError{p, "belongs to git itself"}
		}
		if len(part) > longestName {
			return &PathError{p, "is too long for a file"}
		}
	}
	return nil
}

// Clash refuses paths that can't lie in one directory together, with a *PathError: one
// that is there twice, or a file that is a directory, too.
func Clash(paths iter.Seq[string]) error {
	all := map[string]bool{}
	for p := range paths {
		if all[p] {
			return &PathError{p, "is there twice"}
		}
		all[p] = true
	}
	for p := range all {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if all[dir] {
				return &PathError{dir, "is a file and a directory"}
			}
		}
	}
	return nil
}
