package alike

import (
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
