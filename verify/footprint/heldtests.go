package footprint

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/alike"
	"cookoff/verify/footprint/demands"
	"cookoff/verify/footprint/questions"
	"cookoff/verify/tree"
)

// ownTests finds programs, and documentation whose examples are run, in which tests demand less than they did.
// held are the programs that are new or changed. Errors are the sandbox's.
func (f *Footprint) ownTests(ctx context.Context, sb sandbox.Sandbox, s *Start, m sandbox.Manifest,
	held map[string]sandbox.Item) (list []Difference, err error) {
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
		case documentation && demands.Documents.MatchString(d.Path):
			docs.want(*d.Is, alike.MaxSize)
		case questions.IsSource(d.Path) && !mayLookOn(d.Path): // to which tests may have been moved
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
		others := func() string { return otherTexts(p, held) + otherTexts(p, moved) + otherTexts(p, told) }
		if demands.Less(name, string(s.Texts[p].Data), is, examples, others) {
			list = append(list, Difference{Key: "tests of " + p, Path: p, What: OtherTests})
		}
	}
	for p, it := range held {
		less(p, questions.Named(p, string(it.Data)), string(it.Data), modules)
	}
	for _, p := range gone {
		less(p, questions.Named(p, string(s.Texts[p].Data)), "", modules)
	}
	for p, it := range told {
		less(p, p+".py", string(it.Data), true) // examples are written as in modules
	}
	for p, it := range moved {
		if _, had := tree.Lookup(s.Files, p); !had && allEndWell(p, string(it.Data)) {
			list = append(list, Difference{Key: "ends tests " + p, Path: p, What: EndsTests})
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
	text = questions.WithoutComments(p, text)
	if path.Ext(p) == ".go" {
		return testMain.MatchString(text) &&
			(!runsTests.MatchString(text) || exitsWell.MatchString(text) && !endsBy.MatchString(text))
	}
	all := ofAllTests[questions.Language(p)]
	return all != nil && questions.IsSource(p) && (alike.IsTest(p) || path.Base(p) == "conftest.py") &&
		all.MatchString(text) && !endsBadly.MatchString(text)
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
		case had && mayLookOn(d.Path) && len(demands.Standing(d.Path, string(text.Data))) > 0:
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
		is := demands.Standing(p, string(now[p].Data))
		stems[stem(p)] = true
		for d, n := range demands.Standing(p, string(s.Texts[p].Data)) {
			left[d] += max(0, n-is[d])
		}
	}
	for p, it := range fresh {
		takes := false
		for d := range demands.Demanded(p, string(it.Data)) {
			takes = takes || left[d] > 0
		}
		if takes && !demands.Hindered(p, string(it.Data), stems) {
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

// OtherTests is what was done to a program in whose file its own tests stand, of which one
// demands no more what it did.
const OtherTests = "its tests demand something else"

// runsExamples reports whether a project has examples run: of its modules; of its documentation.
func (f *Footprint) runsExamples(texts map[string]sandbox.Item) (modules, documentation bool) {
	modules, documentation = demands.RunsExamples(f.About)
	for _, it := range texts {
		if text := string(it.Data); strings.Contains(text, "doctest") || strings.Contains(text, "test") {
			ofModules, ofDocuments := demands.RunsExamples(text)
			modules, documentation = modules || ofModules, documentation || ofDocuments
		}
	}
	return modules, documentation
}
