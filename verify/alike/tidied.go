package alike

import (
	"path"
	"slices"
	"strings"
)

// Tidied reports whether all that a go.sum lacks is what nothing asks for: sums of modules, or of
// versions of them, that the go.mod beside it does not require, as "go mod tidy" drops them.
func Tidied(was, is, module []byte) bool {
	needed, ok := directives(module)
	if !ok || len(needed) == 0 {
		return false
	}
	now := sums(is)
	for _, line := range sums(was) {
		words := strings.Fields(line)
		if slices.Contains(now, line) || len(words) != 3 {
			continue
		}
		version := strings.TrimSuffix(words[1], "/go.mod")
		if slices.ContainsFunc(needed, func(d string) bool { return requires(d, words[0], version) }) {
			return false
		}
	}
	return true
}

// requires reports whether a directive names a version of a module, or puts it in the place of
// another.
func requires(directive, module, version string) bool {
	words := strings.Fields(directive)
	at := slices.Index(words, module)
	return at > 0 && at+1 < len(words) && words[at+1] == version
}

func sums(text []byte) (list []string) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// Depends reports whether a go.mod has all its directives, and asks for modules besides that have no path in common
// with one it spoke of: none of what the project used is another for it.
func Depends(p string, was, is []byte) bool {
	before, ok := directives(was)
	now, too := directives(is)
	if path.Base(p) != "go.mod" || !ok || !too {
		return false
	}
	fresh := slices.DeleteFunc(slices.Clone(now), func(d string) bool { return slices.Contains(before, d) })
	var known []string
	for _, d := range before {
		known = append(known, strings.Fields(d)[1:]...)
	}
	return len(now) == len(before)+len(fresh) && !slices.ContainsFunc(fresh, func(d string) bool {
		words := strings.Fields(d)
		return len(words) < 3 || words[0] != "require" && words[0] != "replace" ||
			slices.ContainsFunc(known, func(name string) bool { return isWithin(name, words[1]) })
	})
}

// isWithin reports whether one of two paths is the other, or lies below it.
func isWithin(a, b string) bool {
	return strings.HasPrefix(a+"/", b+"/") || strings.HasPrefix(b+"/", a+"/")
}
