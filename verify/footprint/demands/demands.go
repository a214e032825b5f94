// Package demands reads what tests demand that stand in programs and in files of tests, in one form for all that is
// written alike, so that those of before and now can be compared.
package demands

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/verify/alike"
	"cookoff/verify/footprint/questions"
)

// Less reports whether the tests that stood in a program's own file demand something no more that
// they did, there or in the texts of others that are new or changed; examples: the project has those of
// its modules run.
func Less(name, was, is string, examples bool, others func() string) bool {
	switch own := questions.Language(name); {
	case !questions.IsSource(name):
		return false
	case own == ".py":
		return pythonLess(was, is, examples, others)
	case own == ".js":
		return sourceLess(was, is, others)
	case path.Ext(name) != ".rs" || !strings.Contains(was, "#[test]") && !strings.Contains(was, "///"):
		return false
	}
	return lacks(demandsOf(was), demandsOf(is), func() map[string]int { return demandsOf(others()) })
}

// lacks reports whether some of what was demanded is not, there or in what others demand.
func lacks(before, now map[string]int, others func() map[string]int) bool {
	short := func() bool {
		for d, n := range before {
			if now[d] < n {
				return true
			}
		}
		return false
	}
	if !short() {
		return false
	}
	for d, n := range others() {
		now[d] += n
	}
	return short()
}

// timesOf gives how often each demand is made.
func timesOf(collect func(add func(string))) map[string]int {
	out := map[string]int{}
	collect(func(d string) { out[d]++ })
	return out
}

// Standing are the demands of tests in a program's own file, of Python or vitest.
func Standing(p, text string) map[string]int {
	if questions.Language(p) == ".js" {
		text = sourceTests(text)
	}
	return Demanded(p, text)
}

// Demanded are the demands of a file of tests, each with how often it is there.
func Demanded(p, text string) map[string]int {
	return timesOf(func(add func(string)) {
		count := func(d string) {
			if strings.ContainsAny(d, "(=[") { // of a name alone, any test would be one
				add(d)
			}
		}
		switch questions.Language(p) {
		case ".py":
			testDemands(text, nil, count)
		case ".js":
			sourceDemands(text, count)
		}
	})
}

// Hindered reports whether words of a file of tests keep its tests from asking, or have them ask what is not in the
// programs of these names.
func Hindered(p, text string, programs map[string]bool) bool {
	if questions.Redefines(p, text, "") {
		return true
	}
	if questions.Language(p) == ".js" {
		return hindersJS.MatchString(text) || ownMeanings.MatchString(text) ||
			slices.ContainsFunc(importsJS.FindAllStringSubmatch(text, -1), func(m []string) bool {
				return !programs[strings.TrimSuffix(strings.TrimSuffix(path.Base(m[1]), path.Ext(m[1])), ".d")]
			})
	}
	return testDemands(text, nil, func(string) {}) > 0 || slices.ContainsFunc(statements(text), func(s string) bool {
		m := importsPython.FindStringSubmatch(s)
		switch {
		case m != nil:
			from := m[1] + m[2]
			return from != "unittest" && !programs[from[strings.LastIndexByte(from, '.')+1:]]
		case alike.Indent(s) == 0: // no function, value or class but tests
			return !casesOf.MatchString(s) && !onlyText.MatchString(s) && !strings.HasPrefix(s, "if __name__")
		}
		return ownPython.MatchString(s)
	})
}

var (
	// ownMeanings are how a file of tests in JavaScript has what it tests, or what it asks with, be something else.
	ownMeanings = pattern.New(`\b(vi|jest)\.\w*([mM]ock|[sS]tub)|\b(function|class)\s+\w|\brequire\(|\bimport\(|` +
		`\b(const|let|var)\s+\w+[^=\n]*=\s*(async\s*)?(function\b|\([^()]*\)[^=\n]*=>|\w+\s*=>)`)
	importsJS     = pattern.New(`\b(?:from|import)\s*["'](\.[^"']*)["']`)
	importsPython = pattern.New(`^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w.]+)\s*$)`)
	ownPython     = pattern.New(`\blambda\b|^\s*(import|from)\b|^\s*def (?:[^ts]|t[^e]|s[^e])|^\s*class\b`)
)
