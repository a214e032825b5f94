// Package tree compares the files of two states, and knows which of them programs
// keep for themselves or read their settings from.
package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/internal/glob"
	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// untracked are files that tools write beside their work. They never count as
// a change, unless a glob names one of them letter by letter.
var untracked = []string{
	"~/.cache/**",
	"~/.config/go/telemetry/**",
	"~/.npm/_logs/**",
	"~/.bash_history",
	"~/.python_history",
	"~/.lesshst",
	"**/.git/index",
	"**/__pycache__/**",
	"**/.pytest_cache/**",
}

// Change is one difference between two manifests.
type Change struct {
	Path string
	What string // added, removed, content, type, mode
	File bool   // a regular file is there now
	More bool   // it is known to begin with all that was in it
}

// Changes compares two sorted manifests, files that tools write aside.
func Changes(from, to sandbox.Manifest) []Change {
	var list []Change
	idleFrom, idleTo := idle(from), idle(to)
	for i, j := 0, 0; i < len(from) || j < len(to); {
		switch {
		case j == len(to) || i < len(from) && from[i].Path < to[j].Path:
			if !idleFrom[from[i].Path] {
				list = append(list, Change{Path: from[i].Path, What: "removed"})
			}
			i++
		case i == len(from) || to[j].Path < from[i].Path:
			if !idleTo[to[j].Path] {
				list = append(list, Change{Path: to[j].Path, What: "added", File: to[j].Mode.IsRegular()})
			}
			j++
		default:
			if what := Differs(from[i], to[j]); what != "" && !Untracked(to[j].Path) {
				list = append(list, Change{Path: to[j].Path, What: what, File: to[j].Mode.IsRegular()})
			}
			i, j = i+1, j+1
		}
	}
	return list
}

// Differs says in what two files of one path differ: "type", "content", "mode" or "owner"; "": in
// nothing that is looked at.
func Differs(a, b sandbox.File) string {
	switch {
	case a.Mode.Type() != b.Mode.Type():
		return "type"
	case a.Sum != b.Sum || a.Link != b.Link || a.Mode.IsRegular() && a.Size != b.Size:
		return "content"
	case a.Mode != b.Mode:
		return "mode"
	case a.Owner != b.Owner:
		return "owner"
	}
	return ""
}

// idle finds the entries that say nothing alone: tools' files, and directories
// that hold nothing but tools' files.
func idle(m sandbox.Manifest) map[string]bool {
	const tools, others = 1, 2
	holds := map[string]int{}
	out := map[string]bool{}
	for _, f := range m {
		kind := others
		switch {
		case Untracked(f.Path):
			kind = tools
			out[f.Path] = true
		case f.Mode.IsDir():
			continue // what it holds says what it is
		}
		for dir := path.Dir(f.Path); dir != "." && holds[dir]&kind == 0; dir = path.Dir(dir) {
			holds[dir] |= kind
		}
	}
	for _, f := range m {
		if f.Mode.IsDir() && holds[f.Path] == tools {
			out[f.Path] = true
		}
	}
	return out
}

// Untracked reports whether a path is of a file that tools write beside their
// work, which never counts as a change.
func Untracked(p string) bool { return Matches(untracked, p) }

// swapFile is how an editor calls the file that it keeps beside an open one.
var swapFile = pattern.New(`^\..+\.sw[a-p]$`)

// Protected gives the changes of content under the globs: a file that is
// gone, new, replaced or different, or that its owner can't read any more. Any
// other change of permission bits alone is none.
func Protected(globs []string, list []Change, from, to sandbox.Manifest) []Change {
	var hit []Change
	for _, c := range list {
		swap := c.What == "added" && swapFile.MatchString(path.Base(c.Path))
		if Matches(globs, c.Path) && !swap && (c.What != "mode" || shut(c.Path, from, to)) {
			hit = append(hit, c)
		}
	}
	for _, g := range globs {
		if c, ok := named(g, from, to); ok && Untracked(g) {
			hit = append(hit, c)
		}
	}
	return hit
}

// shut reports whether the right to read a file, or to enter a directory, was
// taken from its owner.
func shut(path string, from, to sandbox.Manifest) bool {
	a, _ := Lookup(from, path)
	b, _ := Lookup(to, path)
	needs := fs.FileMode(0o400)
	if a.Mode.IsDir() {
		needs = 0o500
	}
	return a.Mode&needs == needs && b.Mode&needs != needs
}

// named compares the one file a glob names letter by letter.
func named(path string, from, to sandbox.Manifest) (Change, bool) {
	a, inA := Lookup(from, path)
	b, inB := Lookup(to, path)
	switch {
	case inA && !inB:
		return Change{Path: path, What: "removed"}, true
	case inB && !inA:
		return Change{Path: path, What: "added", File: b.Mode.IsRegular()}, true
	case inA && inB && Differs(a, b) != "" && Differs(a, b) != "mode":
		return Change{Path: path, What: Differs(a, b), File: b.Mode.IsRegular()}, true
	}
	return Change{}, false
}

// Lookup finds a file of a manifest by its path. Manifests are sorted.
func Lookup(m sandbox.Manifest, path string) (sandbox.File, bool) {
	i, found := slices.BinarySearchFunc(m, path,
		func(f sandbox.File, p string) int { return strings.Compare(f.Path, p) })
	if !found {
		return sandbox.File{}, false
	}
	return m[i], true
}

// Matches reports whether a glob matches the path or a directory above it.
func Matches(globs []string, p string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return glob.Covers(g, p) })
}

// Glob writes a recipe's path as manifests do: relative to the project, or
// beginning with ~/. It is an error for a path that leads out of both, where
// nothing is kept, and for no glob.
func Glob(g string) (string, error) {
	if !doublestar.ValidatePattern(g) {
		return "", fmt.Errorf("invalid glob %q", g)
	}
	if g == "" {
		return "", errors.New("an empty glob matches nothing")
	}
	p := path.Clean(g)
	if g == "~" || strings.HasPrefix(g, "~/") {
		p = path.Join(sandbox.HomeDir, g[1:])
	} else if !path.IsAbs(g) {
		p = path.Join(sandbox.WorkDir, g)
	}
	switch {
	case p == sandbox.WorkDir:
		return "**", nil
	case p == sandbox.HomeDir:
		return "~/**", nil
	case strings.HasPrefix(p, sandbox.WorkDir+"/"):
		return p[len(sandbox.WorkDir)+1:], nil
	case strings.HasPrefix(p, sandbox.HomeDir+"/"):
		return "~" + p[len(sandbox.HomeDir):], nil
	}
	return "", fmt.Errorf("%q lies neither in the project nor in HOME, and matches nothing", g)
}

// Pattern is Glob of what was linted: an absolute path elsewhere is that of a mount.
func Pattern(g string) string {
	p, err := Glob(g)
	if err != nil && path.IsAbs(g) {
		return path.Clean(g)
	}
	return p
}

// Listed names a few changes for a sentence.
func Listed(list []Change) string {
	var names []string
	for _, c := range list[:min(len(list), 3)] {
		names = append(names, fmt.Sprintf("%q (%s)", c.Path, c.What))
	}
	s := strings.Join(names, ", ")
	if len(list) > 3 {
		s += fmt.Sprintf(" and %d more", len(list)-3)
	}
	return s
}

// Difference is one path of which two manifests say something else. was or is
// is nil where there is none.
type Difference struct {
	Path    string
	Was, Is *sandbox.File
}

// Differences compares two sorted manifests.
func Differences(from, to sandbox.Manifest) []Difference {
	var list []Difference
	for i, j := 0, 0; i < len(from) || j < len(to); {
		switch {
		case j == len(to) || i < len(from) && from[i].Path < to[j].Path:
			list = append(list, Difference{from[i].Path, &from[i], nil})
			i++
		case i == len(from) || to[j].Path < from[i].Path:
			list = append(list, Difference{to[j].Path, nil, &to[j]})
			j++
		default:
			a, b := from[i], to[j]
			if a.Touched, b.Touched = false, false; a != b {
				list = append(list, Difference{to[j].Path, &from[i], &to[j]})
			}
			i, j = i+1, j+1
		}
	}
	return list
}

// Within writes an absolute path as manifests do.
func Within(p string) string {
	if g, err := Glob(p); err == nil {
		return g
	}
	return p
}

// Inside is a directory of a manifest as commands name it.
func Inside(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}
