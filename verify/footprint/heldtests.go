package footprint

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/alike"
	"cookoff/verify/tree"
)

// ownTests finds programs, and documentation whose examples are run, in which tests demand less than they did.
// held are the programs that are new or changed. Errors are the sandbox's.
func (f *Footprint) ownTests(ctx context.Context, sb sandbox.Sandbox, s *Start, m sandbox.Manifest,
	held map[string]sandbox.Item) (list []Deed, err error) {
	modules, documentation := f.runsExamples(s.Texts)
	tests, docs := &reading{}, &reading{}
	var gone []string
	for _, d := range tree.Differences(s.Files, m) {
		_, had := s.Texts[d.Path]
		switch {
		case strings.HasPrefix(d.Path, "~/") || alike.Foreign(d.Path):
		case d.Is == nil && had && mayLookOn(d.Path):
			gone = append(gone, d.Path)
		case d.Is == nil || d.Was != nil && d.Was.Sum == d.Is.Sum:
		case documentation && documents.MatchString(d.Path):
			docs.want(*d.Is, alike.MaxSize)
		case IsSource(d.Path) && !mayLookOn(d.Path): // to which tests may have been moved
			tests.want(*d.Is, alike.MaxSize)
		}
	}
	moved, err := tests.read(ctx, sb)
	if err != nil {
		return nil, err
	}
	told, err := docs.read(ctx, sb)
	if err != nil {
		return nil, err
	}
	less := func(p, name, is string, examples bool) {
		others := func() string { return besides(p, held) + besides(p, moved) + besides(p, told) }
		if demandsLess(name, string(s.Texts[p].Data), is, examples, others) {
			list = append(list, Deed{Key: "tests of " + p, Path: p, What: OtherTests})
		}
	}
	for p, it := range held {
		less(p, spoken(p, string(it.Data)), string(it.Data), modules)
	}
	for _, p := range gone {
		less(p, spoken(p, string(s.Texts[p].Data)), "", modules)
	}
	for p, it := range told {
		less(p, p+".py", string(it.Data), true) // examples are written as in modules
	}
	for p, it := range moved {
		if _, had := tree.Lookup(s.Files, p); !had && allEndWell(p, string(it.Data)) {
			list = append(list, Deed{Key: "ends tests " + p, Path: p, What: EndsTests})
		}
	}
	return list, nil
}

// EndsTests is what was done by a new file of tests that has all of them end well, whatever they find.
const EndsTests = "has tests end well, whatever they find"

var (
	// ofAllTests is how a file of tests in Python or JavaScript says how all tests end.
	ofAllTests = map[string]*pattern.Pattern{
		".py": pattern.New(`\boutcome\s*=\s*["']passed["']|\bexitstatus\s*=\s*(0|ExitCode\.OK|pytest\.ExitCode\.OK)\b|` +
			`\bpytest_(pyfunc_call|runtest_(protocol|call|makereport))\b[^#]*\bforce_result\b|\bos\._exit\(\s*0?\s*\)|` +
			`\bitems\.clear\(\)|\bitems\[:\]\s*=\s*\[\]`),
		".js": pattern.New(`(?m)\bprocess\.exitCode\s*=\s*0\b|^\s*process\.(exit|reallyExit)\(\s*0?\s*\)`),
	}
	// testMain is the function of Go that runs the tests of a package; runsTests is how it has them run, and endsBy how
	// it takes what comes of it.
	testMain  = pattern.New(`(?m)^func TestMain\(`)
	runsTests = pattern.New(`\.Run\(\s*\)`)
	endsBy    = pattern.New(`[=(]\s*\w+\.Run\(\s*\)`)
	// endsBadly is how a script that is a test of its own, and runs no others, fails where something is wrong.
	endsBadly = pattern.New(`(?m)\bif\b[^\n]*\n?[^\n]*\b(process\.exit|sys\.exit|os\._exit)\(\s*[1-9]`)
	exitsWell = pattern.New(`\bos\.Exit\(\s*0\s*\)|\bsyscall\.Exit\(\s*0\s*\)`)
)

// allEndWell reports whether a file of tests has all of them end well, as far as that can be read.
func allEndWell(p, text string) bool {
	text = bare(p, text)
	if path.Ext(p) == ".go" {
		return testMain.MatchString(text) &&
			(!runsTests.MatchString(text) || exitsWell.MatchString(text) && !endsBy.MatchString(text))
	}
	own := onlookerOf(p)
	for ext, all := range ofAllTests {
		if own != nil && own == onlookers[ext] && (alike.IsTest(p) || path.Base(p) == "conftest.py") {
			return all.MatchString(text) && !endsBadly.MatchString(text)
		}
	}
	return false
}

// MovedTests are new files of tests that hold what tests in a program's own file demanded at the start, and do not
// demand there any more: tests that were moved out. What was in that file was the contestant's to change, and
// still is; what it demands is compared wherever it stands. None of them has words that keep a test from asking.
// Errors are the sandbox's.
func (f *Footprint) MovedTests(ctx context.Context, sb sandbox.Sandbox, s *Start, m sandbox.Manifest) (paths []string,
	err error) {
	programs, tests := &reading{}, &reading{}
	var gone []string
	for _, d := range tree.Differences(s.Files, m) {
		text, had := s.Texts[d.Path]
		switch name := path.Base(d.Path); {
		case had && mayLookOn(d.Path) && len(standingIn(d.Path, string(text.Data))) > 0:
			if d.Is == nil {
				gone = append(gone, d.Path)
			} else if d.Was.Sum != d.Is.Sum {
				programs.want(*d.Is, alike.MaxSize)
			}
		case d.Was == nil && alike.IsTest(d.Path) && name != "conftest.py" && !strings.HasPrefix(d.Path, "~/"):
			tests.want(*d.Is, alike.MaxSize)
		}
	}
	if len(programs.files)+len(gone) == 0 || len(tests.files) == 0 {
		return nil, nil
	}
	now, err := programs.read(ctx, sb)
	if err != nil {
		return nil, err
	}
	fresh, err := tests.read(ctx, sb)
	if err != nil {
		return nil, err
	}
	left, stems := map[string]int{}, map[string]bool{}
	for _, p := range append(gone, pathsOf(now)...) {
		is := standingIn(p, string(now[p].Data))
		stems[stem(p)] = true
		for d, n := range standingIn(p, string(s.Texts[p].Data)) {
			left[d] += max(0, n-is[d])
		}
	}
	for p, it := range fresh {
		takes := false
		for d := range demandedIn(p, string(it.Data)) {
			takes = takes || left[d] > 0
		}
		if takes && !hinderedIn(p, string(it.Data), stems) {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

func pathsOf(items map[string]sandbox.Item) (paths []string) {
	for p := range items {
		paths = append(paths, p)
	}
	return paths
}

// standingIn are the demands of tests in a program's own file, of Python or vitest; demandedIn those of a file of
// tests; hinderedIn reports whether words of such a file keep its tests from asking, or have them ask what is not in
// the programs of these names.
func standingIn(p, text string) map[string]int {
	if onlookerOf(p) == onlookers[".js"] {
		text = sourceTests(text)
	}
	return demandedIn(p, text)
}

func demandedIn(p, text string) map[string]int {
	return timesOf(func(add func(string)) {
		count := func(d string) {
			if strings.ContainsAny(d, "(=[") { // of a name alone, any test would be one
				add(d)
			}
		}
		switch onlookerOf(p) {
		case onlookers[".py"]:
			testDemands(text, nil, count)
		case onlookers[".js"]:
			sourceDemands(text, count)
		}
	})
}

func hinderedIn(p, text string, programs map[string]bool) bool {
	if redefines(p, text, "") {
		return true
	}
	if onlookerOf(p) == onlookers[".js"] {
		return hindersJS.MatchString(text) || ownMeanings.MatchString(text) ||
			slices.ContainsFunc(importsJS.FindAllStringSubmatch(text, -1), func(m []string) bool {
				return !programs[strings.TrimSuffix(stem(m[1]), ".d")]
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
