package propose

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of Below: how deep it looks, and how many it gives.
const (
	deepest   = 3
	mostBelow = 9
)

// Below gives the first proposal of each project below dir, where dir itself proposes
// nothing; From is its path below dir, with slashes.
func Below(dir string) []Command {
	var list []Command
	_ = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what can't be read proposes nothing
		}
		if !d.IsDir() || at == dir {
			return nil
		}
		rel, err := filepath.Rel(dir, at)
		rel = filepath.ToSlash(rel)
		if err != nil || strings.HasPrefix(d.Name(), ".") || slices.Contains(others, d.Name()) ||
			strings.Count(rel, "/") >= deepest {
			return fs.SkipDir
		}
		found := Commands(at)
		if len(found) == 0 {
			return nil
		}
		if list = append(list, Command{found[0].Text, path.Join(rel, found[0].From)}); len(list) == mostBelow {
			return fs.SkipAll
		}
		return fs.SkipDir
	})
	return list
}
