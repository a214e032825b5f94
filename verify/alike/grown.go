package alike

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// documents are how files are called in which people tell others of their work.
var documents = pattern.New(`(?i)^(readme|changelog|changes|history|news|contributing|todo|notes)` +
	`(\.(md|rst|txt|adoc|markdown))?$`)

func isText(name string) bool { return documents.MatchString(name) }

// isIgnore reports whether a file says what tools leave out.
func isIgnore(name string) bool {
	return slices.Contains([]string{".gitignore", ".dockerignore", ".npmignore", ".prettierignore", ".eslintignore"}, name)
}

// IsIgnore reports whether a file says what git leaves out.
func IsIgnore(p string) bool {
	return path.Base(p) == ".gitignore" || strings.HasSuffix("/"+p, "/.git/info/exclude")
}

var testFile = pattern.New(`^(.*_test\.go|test_.*\.py|.*_test\.py|.*\.(test|spec)\.([cm]?[jt]sx?)|.*_(spec|test)\.rb)$`)

// IsTest reports whether a file is called as those are that hold tests.
func IsTest(p string) bool { return testFile.MatchString(path.Base(p)) }

// Grown reports whether a text of documentation, of what is left out, or of tests has all
// its lines still, in their order, and only more of them. Tests that were there must go on
// running as they did, as far as that can be read.
func Grown(p string, was, is []byte) bool {
	name := path.Base(p)
	if !isText(name) && !isIgnore(name) && !IsIgnore(p) && !IsTest(p) {
		return false
	}
	chunks, ok := inserted(lines(was), lines(is))
	if !ok || !IsTest(p) {
		return ok
	}
	return !slices.ContainsFunc(chunks, func(c []string) bool { return hinders(string(was), c) })
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
	rules = pattern.New(`\b(TestMain|load_tests|setUpModule|autouse|monkeypatch|jest\.mock|vi\.mock|__eq__|sys\.modules|` +
		`os\.Exit|os\._exit|process\.exit)\b|\b(beforeEach|beforeAll|before)\(|\.only\(|^func init\(`)
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
