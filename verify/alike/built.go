package alike

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var (
	// compiled are how files are called that a compiler is given, or gives.
	compiled = pattern.New(`^[\w./-]+\.(c|cc|cpp|cxx|h|hh|hpp|s|S|f90|java|go|o|lo|obj)$`)
	object   = pattern.New(`\.(o|lo|obj)$`)
	// depends is a line that only says what objects depend on.
	depends = pattern.New(`^[\w./-]+\.(o|lo|obj)( [\w./-]+\.(o|lo|obj))* ?:( [\w./-]+\.(c|cc|cpp|cxx|h|hh|hpp))+$`)
	// continued is the end of a line that goes on in the next one.
	continued = pattern.New(`\s*\\\n\s*`)
	// listed are commands of CMake that list sources.
	listed = pattern.New(`(?i)^\s*(add_executable|add_library|target_sources|set)\s*\(`)
)

// IsBuild reports whether a file may list by their names what is built.
func IsBuild(p string) bool {
	return named("Makefile", "makefile", "GNUmakefile", "CMakeLists.txt")(path.Base(p))
}

// Builds reports whether a Makefile, or a list of CMake, is as it was, and only names new sources of the project, or
// what is compiled of them, behind others of their kind, and what objects depend on. fresh are the paths of what is
// new.
func Builds(p string, was, is []byte, fresh []string) bool {
	if !IsBuild(p) || !slices.ContainsFunc(fresh, compiled.MatchString) {
		return false
	}
	b := build{path.Dir(p), fresh}
	if path.Base(p) == "CMakeLists.txt" {
		return b.lists(string(was), string(is))
	}
	old, now := rules(was), rules(is)
	for i, line := range now {
		if len(old) > 0 && slices.Equal(old[0], line) {
			old = old[1:]
			continue
		}
		if len(old) > 0 && slices.Equal(old[0], b.without(line)) {
			old = old[1:]
			continue
		}
		runs := i+1 < len(now) && len(now[i+1]) > 0 && now[i+1][0] == "\t"
		if runs || !depends.MatchString(strings.Join(line, " ")) {
			return false
		}
	}
	return len(old) == 0
}

// build is a file that lists what is built: where it lies, and what is new.
type build struct {
	dir   string
	fresh []string
}

// isNew reports whether a word names a new source, or what is compiled of one.
func (b build) isNew(word string) bool {
	if !compiled.MatchString(word) {
		return false
	}
	stem := strings.TrimSuffix(path.Base(word), path.Ext(word))
	return slices.ContainsFunc(b.fresh, func(f string) bool {
		if object.MatchString(word) {
			return compiled.MatchString(f) && strings.TrimSuffix(path.Base(f), path.Ext(f)) == stem
		}
		return f == path.Join(b.dir, word)
	})
}

// without is a line without the words that name what is new and stand behind another of their kind: the first of a
// list may be what a recipe takes.
func (b build) without(line []string) (out []string) {
	for i, w := range line {
		if i == 0 || path.Ext(line[i-1]) != path.Ext(w) || !b.isNew(w) {
			out = append(out, w)
		}
	}
	return out
}

// rules are the lines of a Makefile, by word, but for blank ones; those that go on in the next are one. The first word
// of a recipe's is a tab.
func rules(text []byte) (list [][]string) {
	joined := continued.ReplaceAllString(strings.ReplaceAll(string(text), "\r\n", "\n"), " ")
	for line := range strings.Lines(joined) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if strings.HasPrefix(line, "\t") {
			words = slices.Insert(words, 0, "\t")
		}
		list = append(list, words)
	}
	return list
}

// lists reports the same of commands of CMake, each up to its bracket.
func (b build) lists(was, is string) bool {
	old, now := strings.SplitAfter(was, ")"), strings.SplitAfter(is, ")")
	if len(old) != len(now) {
		return false
	}
	for i := range now {
		words := strings.Fields(strings.ReplaceAll(now[i], ")", " )"))
		before := strings.Fields(strings.ReplaceAll(old[i], ")", " )"))
		if !slices.Equal(before, words) && (!listed.MatchString(strings.TrimLeft(now[i], "\n")) ||
			!slices.Equal(before, b.without(words))) {
			return false
		}
	}
	return true
}
