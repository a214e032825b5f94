package commands

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/internal/history"
	"cookoff/internal/mine/kind"
	"cookoff/internal/pattern"
	"cookoff/shell"
)

// Narrowed gives the test command for the tests that a commit changes alone, and
// whether it is narrower than the command. has are the files of the world.
func Narrowed(command string, changed []history.Change, has map[string]history.File) (string, bool) {
	if strings.ContainsAny(command, `'"\|()$`) {
		return command, false
	}
	words := Words(command)
	var which func(p string, has map[string]history.File) (string, bool)
	at := 0
	switch {
	case slices.Contains(words, "unittest"):
		if slices.ContainsFunc(changed, readByUnittest) {
			return command, false
		}
		only, ok := Discovered(command, changed, has)
		return cmp.Or(only, command), ok
	case len(words) > 1 && path.Base(words[0]) == "go" && words[1] == "test":
		which, at = goPackage, 2
	case slices.Contains(words, "pytest"):
		which, at = pythonFile, slices.Index(words, "pytest")+1
	case len(words) > 1 && path.Base(words[0]) == "node" && slices.Contains(words, "--test"):
		which, at = nodeFile, slices.Index(words, "--test")+1
	default:
		return command, false
	}
	if slices.Contains(words[at:], "--") || slices.Contains(words[at:], "-args") {
		return command, false
	}
	var targets []string
	for _, ch := range changed {
		if ch.Now.ID == "" || kind.IsManifest(ch.Path) {
			continue
		}
		t, ok := which(ch.Path, has)
		if !ok {
			return command, false
		}
		if t != "" && !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	runner := words[at-1]
	kept := slices.Clone(words[:at])
	var named []string
	for i := at; i < len(words); i++ {
		if !target(words[i], has) || i > at && takesValue(runner, words[i-1]) {
			kept = append(kept, words[i])
		} else {
			named = append(named, words[i])
		}
	}
	targets = slices.DeleteFunc(targets, func(t string) bool { return !chosen(runner, named, t) })
	if len(targets) == 0 {
		return command, false
	}
	slices.Sort(targets)
	within := ""
	if runner == "test" {
		var ok bool
		if within, targets, ok = inModule(targets, has); !ok {
			return command, false
		}
	}
	text, err := shell.Quote(targets)
	return within + strings.Join(kept, " ") + " " + text, err == nil // they stand as they were written
}

// inModule gives packages as go in the directory of their module takes them, and what
// goes there first: go at the root does not see a module below it, but by a workspace.
// false: they are of several.
func inModule(targets []string, has map[string]history.File) (within string, in []string, ok bool) {
	if _, workspace := has["go.work"]; workspace {
		return "", targets, true
	}
	module := ""
	for i, t := range targets {
		dir := path.Clean(t)
		for dir != "." {
			if _, is := has[dir+"/go.mod"]; is {
				break
			}
			dir = path.Dir(dir)
		}
		if i > 0 && dir != module {
			return "", nil, false
		}
		if module = dir; dir != "." {
			in = append(in, "./"+strings.TrimPrefix(strings.TrimPrefix(path.Clean(t), dir), "/"))
		} else {
			in = append(in, t)
		}
	}
	if module == "." {
		return "", targets, true
	}
	quoted, err := shell.Quote([]string{"cd", module})
	return quoted + " && ", in, err == nil
}

// target reports whether a word names what is tested.
func target(word string, has map[string]history.File) bool {
	if strings.HasPrefix(word, "-") {
		return false
	}
	if strings.HasPrefix(word, ".") || strings.Contains(word, "/") || path.Ext(word) != "" || kind.IsTestDir(word) {
		return true
	}
	for p := range has {
		if under(word, p) {
			return true
		}
	}
	return false
}

// goPackage is the package that a file's tests are in.
func goPackage(p string, has map[string]history.File) (string, bool) {
	dir := path.Dir(p)
	if !strings.HasSuffix(p, "_test.go") {
		if before, _, ok := strings.Cut("/"+dir+"/", "/testdata/"); ok {
			dir = strings.TrimPrefix(before, "/")
		}
		if dir == "" {
			dir = "."
		}
		for !holdsGoTest(dir, has) {
			if dir == "." {
				return "", false
			}
			dir = path.Dir(dir)
		}
	}
	if skipDir(dir) {
		return "", true
	}
	if dir == "." {
		return ".", true
	}
	return "./" + dir, true
}

// skipDir knows the directories that go leaves out.
func skipDir(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if part == "testdata" || part == "vendor" || part != "." && strings.HasPrefix(part, ".") ||
			strings.HasPrefix(part, "_") {
			return true
		}
	}
	return false
}

func holdsGoTest(dir string, has map[string]history.File) bool {
	for p := range has {
		if path.Dir(p) == dir && strings.HasSuffix(p, "_test.go") {
			return true
		}
	}
	return false
}

// pythonFile is a test file of pytest's; what others read has it run all.
func pythonFile(p string, _ map[string]history.File) (string, bool) {
	base := path.Base(p)
	if path.Ext(base) == ".py" && (strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py")) {
		return p, true
	}
	return "", base == "__init__.py"
}

var nodeTest = pattern.New(`(^|/)(test/.*|[^/]*[._-]test|test(-[^/]*)?)\.[cm]?[jt]s$`)

// nodeFile is a test file of node's.
func nodeFile(p string, _ map[string]history.File) (string, bool) {
	if nodeTest.MatchString(p) && !strings.Contains(p, "fixtures/") {
		return p, true
	}
	return "", false
}

// OfSources gives the test command for the tests that lie beside some sources, where that can be told; else the
// command. Only Go says which tests are a source's: those of its package. has are the project's files.
func OfSources(command string, sources, has []string) string {
	if words := Words(command); len(words) < 2 || path.Base(words[0]) != "go" || words[1] != "test" {
		return command
	}
	all := map[string]history.File{}
	for _, p := range has {
		all[p] = history.File{}
	}
	var list []history.Change
	for _, p := range sources {
		if !holdsGoTest(path.Dir(p), all) {
			return command
		}
		list = append(list, history.Change{Path: path.Dir(p) + "/x_test.go", Now: history.File{ID: "1"}})
	}
	out, _ := Narrowed(command, list, all)
	return out
}

// Discovered gives a command of Python's unittest that finds the tests which a commit changes alone: one
// module that can't be imported fails all others. false: it can't be told to.
func Discovered(command string, changed []history.Change, has map[string]history.File) (string, bool) {
	words := Words(command)
	at := slices.Index(words, "unittest") + 1
	if at < 2 || words[at-2] != "-m" {
		return "", false
	}
	var flags []string
	start := "."
	for i := at; i < len(words); i++ {
		switch w := words[i]; {
		case w == "discover" && i == at:
		case (w == "-s" || w == "--start-directory") && i+1 < len(words):
			i++
			start = path.Clean(words[i])
		case slices.Contains([]string{"-v", "-q", "-b", "-f", "--verbose", "--quiet", "--buffer", "--failfast"}, w):
			flags = append(flags, w)
		default:
			return "", false
		}
	}
	names := map[string]bool{}
	for _, ch := range changed {
		if base := path.Base(ch.Path); ch.Now.ID != "" && unittestName(base) && under(start, ch.Path) {
			names[base] = true
		}
	}
	all := map[string]bool{}
	for p := range has {
		if base := path.Base(p); unittestName(base) && under(start, p) {
			all[base] = true
		}
	}
	glob := globOf(names, all)
	if glob == "" {
		return "", false
	}
	text, err := shell.Quote([]string{"-s", start, "-p", glob})
	return strings.Join(append(append(slices.Clone(words[:at]), "discover"), flags...), " ") + " " + text, err == nil
}

// readByUnittest reports of a change whether tests of unittest's that it is not may read it.
func readByUnittest(ch history.Change) bool {
	base := path.Base(ch.Path)
	return ch.Now.ID != "" && !unittestName(base) && base != "__init__.py" && !kind.IsManifest(ch.Path)
}

func unittestName(base string) bool {
	return strings.HasPrefix(base, "test") && path.Ext(base) == ".py"
}

func under(dir, p string) bool { return dir == "." || strings.HasPrefix(p, dir+"/") }

// globOf gives a glob that matches these of all names, and no other; "": there is none.
func globOf(names, all map[string]bool) string {
	list := slices.Sorted(maps.Keys(names))
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	n := 0
	for n < len(list[0]) && strings.HasPrefix(list[len(list)-1], list[0][:n+1]) {
		n++
	}
	next := ""
	for _, name := range list {
		if c := name[n : n+1]; !strings.Contains(next, c) {
			next += c
		}
	}
	glob := list[0][:n] + "[" + next + "]*.py"
	for name := range all {
		if is, err := path.Match(glob, name); err != nil || is != names[name] {
			return ""
		}
	}
	return glob
}
