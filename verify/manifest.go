package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

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

// change is one difference between two manifests.
type change struct {
	path string
	what string // added, removed, content, type, mode
	file bool   // a regular file is there now
}

// changes compares two sorted manifests, files that tools write aside.
func changes(from, to sandbox.Manifest) []change {
	var list []change
	idleFrom, idleTo := idle(from), idle(to)
	for i, j := 0, 0; i < len(from) || j < len(to); {
		switch {
		case j == len(to) || i < len(from) && from[i].Path < to[j].Path:
			if !idleFrom[from[i].Path] {
				list = append(list, change{from[i].Path, "removed", false})
			}
			i++
		case i == len(from) || to[j].Path < from[i].Path:
			if !idleTo[to[j].Path] {
				list = append(list, change{to[j].Path, "added", to[j].Mode.IsRegular()})
			}
			j++
		default:
			if what := differs(from[i], to[j]); what != "" && !Untracked(to[j].Path) {
				list = append(list, change{to[j].Path, what, to[j].Mode.IsRegular()})
			}
			i, j = i+1, j+1
		}
	}
	return list
}

func differs(a, b sandbox.File) string {
	switch {
	case a.Mode.Type() != b.Mode.Type():
		return "type"
	case a.Sum != b.Sum || a.Link != b.Link || a.Mode.IsRegular() && a.Size != b.Size:
		return "content"
	case a.Mode != b.Mode:
		return "mode"
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
func Untracked(p string) bool { return matchesAny(untracked, p) }

// swapFile is how an editor calls the file that it keeps beside an open one.
var swapFile = regexp.MustCompile(`^\..+\.sw[a-p]$`)

// protected gives the changes of content under the globs: a file that is
// gone, new, replaced or different, or that its owner can't read any more. Any
// other change of permission bits alone is none.
func protected(globs []string, list []change, from, to sandbox.Manifest) []change {
	var hit []change
	for _, c := range list {
		swap := c.what == "added" && swapFile.MatchString(path.Base(c.path))
		if matchesAny(globs, c.path) && !swap && (c.what != "mode" || shut(c.path, from, to)) {
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
	a, _ := lookup(from, path)
	b, _ := lookup(to, path)
	needs := fs.FileMode(0o400)
	if a.Mode.IsDir() {
		needs = 0o500
	}
	return a.Mode&needs == needs && b.Mode&needs != needs
}

// named compares the one file a glob names letter by letter.
func named(path string, from, to sandbox.Manifest) (change, bool) {
	a, inA := lookup(from, path)
	b, inB := lookup(to, path)
	switch {
	case inA && !inB:
		return change{path, "removed", false}, true
	case inB && !inA:
		return change{path, "added", b.Mode.IsRegular()}, true
	case inA && inB && differs(a, b) != "" && differs(a, b) != "mode":
		return change{path, differs(a, b), b.Mode.IsRegular()}, true
	}
	return change{}, false
}

func lookup(m sandbox.Manifest, path string) (sandbox.File, bool) {
	i, found := slices.BinarySearchFunc(m, path, func(f sandbox.File, p string) int { return strings.Compare(f.Path, p) })
	if !found {
		return sandbox.File{}, false
	}
	return m[i], true
}

// matchesAny reports whether a glob matches the path or a directory above it.
func matchesAny(globs []string, p string) bool {
	for _, g := range globs {
		if ok, _ := doublestar.Match(g, p); ok {
			return true
		}
		if ok, _ := doublestar.Match(g+"/**", p); ok {
			return true
		}
	}
	return false
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

// glob is Glob of what was linted.
func glob(g string) string {
	g, _ = Glob(g)
	return g
}

// some names a few changes for a sentence.
func some(list []change) string {
	var names []string
	for _, c := range list[:min(len(list), 3)] {
		names = append(names, fmt.Sprintf("%q (%s)", c.path, c.what))
	}
	s := strings.Join(names, ", ")
	if len(list) > 3 {
		s += fmt.Sprintf(" and %d more", len(list)-3)
	}
	return s
}
