// Package lookup finds the files of recipes and reads what is in them. It knows nothing of
// what a recipe says.
package lookup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"cookoff/internal/nearest"
	"cookoff/internal/pattern"
	"cookoff/recipe/builtin"
	"cookoff/recipe/gitsource"
	"cookoff/recipe/problem"
)

// Dirs are where recipes are looked for. The zero value looks where the process stands.
type Dirs struct {
	Dir  string // "": the working directory
	Home string // "": the user's
}

var bareName = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_-]*$`)

// Find turns what the user asked for into a path, builtin:NAME or a git source, without reading
// it. The error is a problem.List.
func (d Dirs) Find(name string) (string, error) {
	switch {
	case name == "":
		for _, c := range d.candidates() {
			if d.Exists(c) {
				return c, nil
			}
		}
		return builtin.Prefix + builtin.Default, nil
	case strings.HasPrefix(name, builtin.Prefix) || strings.HasPrefix(name, gitsource.Prefix) ||
		!bareName.MatchString(name):
		return name, nil
	}
	var looked []string
	for _, dir := range d.namedDirs() {
		for _, ext := range nameEnds() {
			c := filepath.Join(dir, name+ext)
			if d.Exists(c) {
				return c, nil
			}
		}
		looked = append(looked, dir)
	}
	if slices.Contains(builtin.Names(), name) {
		return builtin.Prefix + name, nil
	}
	return "", problem.List{d.unnamed(name, looked)}
}

// Local gives the path of what was found, "" where it is no file here.
func (d Dirs) Local(ref string) string {
	if strings.HasPrefix(ref, builtin.Prefix) || strings.HasPrefix(ref, gitsource.Prefix) {
		return ""
	}
	return d.Place(ref)
}

// unnamed says that no recipe has a name, and what may have been meant.
func (d Dirs) unnamed(name string, looked []string) problem.Problem {
	if info, err := os.Stat(d.Place(name)); err == nil && info.IsDir() {
		return problem.Problem{Msg: fmt.Sprintf("no recipe is named %q, which is a directory", name),
			Hint: d.directoryHint(name)}
	}
	hint := fmt.Sprintf("looked in %s and the built-in recipes (%s); a file is named by its path, as in ./%s",
		strings.Join(looked, ", "), strings.Join(builtin.Names(), ", "), name)
	file := nearestFile(name, d.markdown("."))
	n := nearest.Name(name, slices.Concat(d.Named(), builtin.Names()))
	switch {
	case file != "" && (n == "" || stem(file) == name):
		hint = fmt.Sprintf("did you mean the file %s? %s", file, hint)
	case n != "":
		hint = fmt.Sprintf("did you mean %q? %s", n, hint)
	}
	return problem.Problem{Msg: fmt.Sprintf("no recipe is named %q", name), Hint: hint}
}

// namedDirs are the directories of recipes that have a name, in order.
func (d Dirs) namedDirs() []string {
	return []string{filepath.Join(".cookoff", "recipes"), d.home(".cookoff", "recipes")}
}

// nameEnds are what may stand behind the name of a recipe, in order.
func nameEnds() []string { return []string{".recipe.md", ".md"} }

// Named gives the bare names that mean a file, sorted; one that hides a
// built-in recipe among them.
func (d Dirs) Named() []string {
	var names []string
	for _, dir := range d.namedDirs() {
		entries, _ := os.ReadDir(d.Place(dir)) // there may be none
		for _, e := range entries {
			for _, end := range nameEnds() {
				if name, ok := strings.CutSuffix(e.Name(), end); ok && bareName.MatchString(name) &&
					!slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// candidates are the places of a recipe that is not named, in order.
func (d Dirs) candidates() []string {
	return []string{
		"recipe.md",
		filepath.Join(".cookoff", "recipe.md"),
		filepath.Join(".errata", "recipe.md"),
		d.home(".cookoff", "default.recipe.md"),
		d.home(".errata", "default.recipe.md"),
	}
}

// home gives a path below the home directory, "" where there is none.
func (d Dirs) home(elem ...string) string {
	home := d.Home
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if home == "" {
		return ""
	}
	return filepath.Join(append([]string{home}, elem...)...)
}

// Place gives the path to open for a path as the user gave it.
func (d Dirs) Place(name string) string {
	if d.Dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(d.Dir, name)
}

// Exists tells whether there is anything at name, be it unreadable: what is
// there is used or complained about, never passed over.
func (d Dirs) Exists(name string) bool {
	if name == "" {
		return false
	}
	_, err := os.Lstat(d.Place(name))
	return err == nil || !errors.Is(err, fs.ErrNotExist) && !isNotDir(err)
}

// isNotDir tells whether a parent of the path is no directory, so that there
// is nothing at the path itself.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
