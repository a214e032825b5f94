package alike

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// documents are how files are called in which people tell others of their work.
var documents = pattern.New(`(?i)^(readme|changelog|changes|history|news|contributing|todo|notes)` +
	`(\.(md|rst|txt|adoc|markdown))?$|\.(md|rst|adoc|markdown)$`)

// told are documents that agents obey.
var told = pattern.New(`(?i)^(agents|claude|gemini|skill|copilot.*)\.md$|\.(prompt|instructions)\.md$`)

// isText reports whether a file is one that only people read.
func isText(p string) bool {
	name := path.Base(p)
	switch {
	case told.MatchString(name) || name == "CMakeLists.txt" || strings.HasPrefix(p, ".") || strings.Contains(p, "/."):
		return false
	case path.Ext(name) == ".txt" && pattern.New(`(^|/)docs?/`).MatchString(p):
		return true
	}
	return documents.MatchString(name)
}

// isIgnore reports whether a file says what tools leave out.
func isIgnore(name string) bool {
	return slices.Contains([]string{".gitignore", ".dockerignore", ".npmignore", ".prettierignore", ".eslintignore"},
		name)
}

// IsIgnore reports whether a file says what git leaves out.
func IsIgnore(p string) bool {
	return path.Base(p) == ".gitignore" || strings.HasSuffix("/"+p, "/.git/info/exclude")
}

var testFile = pattern.New(`^(.*_test\.go|test_.*\.py|.*_test\.py|.*\.(test|spec)\.([cm]?[jt]sx?)|.*_(spec|test)\.rb)$`)

// IsTest reports whether a file is called as those are that hold tests.
func IsTest(p string) bool { return testFile.MatchString(path.Base(p)) }

// growers compare two texts of files that may hold more than they did, by how they are
// called.
var growers = []struct {
	is    func(name string) bool
	grown func(was, is []byte) bool
}{
	{named("package-lock.json", "npm-shrinkwrap.json"), moreLocked},
	{named("Cargo.lock", "poetry.lock", "uv.lock"), morePackages},
	{named("pnpm-lock.yaml"), moreYAML},
	{named("yarn.lock"), moreParagraphs},
	{named("pyproject.toml"), moreSettings},
	{named("Makefile", "makefile"), moreTargets},
	{func(name string) bool { ok, _ := path.Match("*requirements*.txt", name); return ok }, moreRequired},
	{ending(".snap"), moreParagraphs},
	{ending(".ambr"), moreParagraphs},
}

func grower(p string) func(was, is []byte) bool {
	for _, g := range growers {
		if g.is(path.Base(p)) {
			return g.grown
		}
	}
	return nil
}

// Runs reports whether programs run what a file says, or obey it, of those that Grown
// compares.
func Runs(p string) bool {
	return IsTest(p) || named("Makefile", "makefile", "pyproject.toml")(path.Base(p))
}

// Grown reports whether a text of documentation, of what is left out, of what is needed, or
// of tests has all it had, in its order, and only more. Tests that were there must go on
// running as they did, as far as that can be read.
func Grown(p string, was, is []byte) bool {
	if more := grower(p); more != nil {
		return more(was, is)
	}
	if !isText(p) && !isIgnore(path.Base(p)) && !IsIgnore(p) && !IsTest(p) {
		return false
	}
	chunks, ok := inserted(lines(was), lines(is))
	switch {
	case ok && (isIgnore(path.Base(p)) || IsIgnore(p)):
		return !slices.ContainsFunc(slices.Concat(chunks...), ofAll.MatchString)
	case !ok || !IsTest(p):
		return ok
	}
	return !slices.ContainsFunc(chunks, func(c []string) bool { return hinders(string(was), c) })
}

// ofAll are patterns that leave out everything, or take in what others leave out.
var ofAll = pattern.New(`^(!.*|([/*.?]|\[[^\]]*\])+)$`)

// Edited reports whether documentation has most of its lines still, in their order, three
// of four at the least, and no fewer than it had.
func Edited(p string, was, is []byte) bool {
	if !isText(p) {
		return false
	}
	a, b := written(was), written(is)
	return len(b) >= len(a) && len(a)-common(a, b) <= len(a)/4
}

// written are the lines that say something.
func written(text []byte) []string {
	return slices.DeleteFunc(lines(text), func(l string) bool { return strings.TrimSpace(l) == "" })
}

// maxEdited bounds the lines of documentation that are compared.
const maxEdited = 2000

// common counts the lines of a that b has in the same order.
func common(a, b []string) int {
	if len(a) > maxEdited || len(b) > maxEdited {
		return 0
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		last := 0
		for j, y := range b {
			up := row[j+1]
			if x == y {
				row[j+1] = last + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			last = up
		}
	}
	return row[len(b)]
}

func lines(text []byte) []string {
	return strings.Split(strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
}

// inserted gives what stands between the lines that were there; not ok: not all of them
// are.
func inserted(was, is []string) (chunks [][]string, ok bool) {
	var chunk []string
	i := 0
	for _, line := range is {
		if i < len(was) && strings.TrimRight(line, " \t") == strings.TrimRight(was[i], " \t") {
			if chunk != nil {
				chunks, chunk = append(chunks, chunk), nil
			}
			i++
			continue
		}
		chunk = append(chunk, line)
	}
	if chunk != nil {
		chunks = append(chunks, chunk)
	}
	return chunks, i == len(was)
}

var (
	// leaves is what keeps a test from coming to its end, or stands in its place.
	leaves = pattern.New(`\b(return|skip|skipIf|Skip|SkipNow|Skipf|skipTest|exit|Exit|_exit|todo|only|xfail|` +
		`expectedFailure|raise|throw|panic|continue|break|goto|del|Goexit)\b`)
	// rules is what says how other tests run, or what they ask with.
	rules = pattern.New(
		`\b(TestMain|load_tests|setUpModule|autouse|monkeypatch|jest\.mock|vi\.mock|__eq__|sys\.modules|` +
			`os\.Exit|os\._exit|process\.exit|__test__|collect_ignore\w*|pytest_plugins|(jest|vi)\.(setTimeout|setConfig))\b|` +
			`^//go:build|^// ?\+build|\b(beforeEach|beforeAll|before)\(|\.only\(|^func init\(`)
	// begins is how a test or helper of its own begins.
	begins = pattern.New(`^\s*(func \w|(async )?def \w|class \w|@|(test|it|describe)\(|` +
		`(const|let|var|function|async function) )`)
	declares = pattern.New(`^\s*(?:class|def|async def) (\w+)`)
)

// hinders reports whether lines that were put between those of a test file may keep the
// tests that are there from saying what they said.
func hinders(was string, chunk []string) bool {
	first := ""
	for _, line := range chunk {
		if t := strings.TrimSpace(line); t != "" && !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "#") {
			first = line
			break
		}
	}
	own := begins.MatchString(first)
	return slices.ContainsFunc(chunk, func(line string) bool {
		if m := declares.FindStringSubmatch(line); m != nil && (strings.HasPrefix(strings.TrimSpace(line), "class") ||
			strings.HasPrefix(m[1], "test")) && declared(was, m[1]) {
			return true // what comes later under a name is what counts
		}
		return rules.MatchString(line) || !own && leaves.MatchString(line)
	})
}

// declared reports whether a text of Python declares a name.
func declared(was, name string) bool {
	return slices.ContainsFunc(lines([]byte(was)), func(line string) bool {
		m := declares.FindStringSubmatch(line)
		return m != nil && m[1] == name
	})
}
