package testrun

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// testResult is what a runner's record says of the tests of one name.
type testResult struct {
	Passed, Failed, skipped int
	excused                 bool   // one that is expected to fail
	output                  string // what it printed, where the record tells
	why                     string // what the record says of its failure; "": nothing
}

// OK reports whether every test of the name ran and passed.
func (r *testResult) OK() bool { return r != nil && r.Passed > 0 && r.Failed == 0 && !r.excused }

// Results are the tests that one run names: those that ran, or were skipped.
type Results struct {
	Tests  map[string]*testResult
	apart  bool   // the record tells which test printed what
	each   bool   // tests of one name are several, of which each prints
	output string // of the whole run

	unfinished map[string]bool // tests that began, and of which nothing more is said
}

func (r *Results) test(name string) *testResult {
	if r.Tests[name] == nil {
		r.Tests[name] = &testResult{}
	}
	return r.Tests[name]
}

// Saw reports whether a test printed one of the values.
func (r *Results) Saw(name string, values []string) bool {
	text := r.output
	if r.apart {
		text = r.Tests[name].output
	}
	if r.each {
		return !slices.ContainsFunc(values, func(v string) bool { return !strings.Contains(text, v) })
	}
	return slices.ContainsFunc(values, func(v string) bool { return strings.Contains(text, v) })
}

// Under gives the full names of the tests that a function, or a title, of this
// name stands for.
func (r *Results) Under(short func(string) string, name string) (full []string) {
	for n := range r.Tests {
		if short(n) == name {
			full = append(full, n)
		}
	}
	return full
}

func newResults(r sandbox.Result) *Results {
	return &Results{Tests: map[string]*testResult{}, output: colours.ReplaceAllString(string(slices.Concat(
		r.Stdout, []byte("\n"), r.Stderr)), "")}
}

// readGo reads the events of go test -json.
func readGo(r sandbox.Result, _ string) *Results {
	out := newResults(r)
	out.apart = true
	for line := range bytes.Lines(r.Stdout) {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(line, &e) != nil || e.Test == "" {
			continue
		}
		name := e.Package + " " + e.Test
		t := out.test(name)
		switch e.Action {
		case "run", "cont":
			out.open(name)
		case "pause", "pass", "fail", "skip":
			out.ended(name)
		}
		switch e.Action {
		case "pass":
			t.Passed++
		case "fail":
			t.Failed++
		case "skip":
			t.skipped++
		case "output":
			t.output += e.Output
		}
	}
	for name, t := range out.Tests { // begun, and never ended
		if *t == (testResult{output: t.output}) {
			delete(out.Tests, name)
		}
	}
	return out
}

// colours are what a terminal is told of the looks of a text, as projects have it that ask for colours always.
var colours = pattern.New(`\x1b\[[0-9;]*m`)

// pytestLine is a line of pytest's summary; ERROR: what is set up for a test, or taken down after it, failed.
// What stands in brackets are values of the test's parameters, which may hold anything.
var pytestLine = pattern.New(`(?m)^(PASSED|FAILED|ERROR|XFAIL|XPASS) (\S.*?::[^\[\n]*?(?:\[.*?\])?)( - .*)?\r?$`)

func readPytest(r sandbox.Result, _ string) *Results {
	out := newResults(r)
	for _, m := range pytestLine.FindAllStringSubmatch(out.output, -1) {
		if file, _, _ := strings.Cut(m[2], "::"); m[1] == "ERROR" && strings.Contains(file, " - ") {
			continue // a file that can't be imported, and why
		}
		switch t := out.test(m[2]); m[1] {
		case "PASSED":
			t.Passed++
		case "XFAIL", "XPASS":
			t.excused = true
		default:
			t.Failed++
		}
	}
	return out
}

// readUnittest reads what unittestRecord prints.
func readUnittest(r sandbox.Result, word string) *Results {
	out := newResults(r)
	for line := range strings.Lines(out.output) {
		rest, is := strings.CutPrefix(strings.TrimRight(line, "\r\n"), word+" ")
		status, name, named := strings.Cut(rest, " ")
		if !is || !named || strings.HasPrefix(name, "unittest.loader._FailedTest.") {
			continue
		}
		switch status {
		case "begin":
			out.open(name)
			continue
		case "end":
			out.ended(name)
			continue
		}
		switch t := out.test(name); status {
		case "pass":
			t.Passed++
		case "fail":
			t.Failed++
		case "skip":
			t.skipped++
		case "excused":
			t.excused = true
		}
	}
	return out
}

var (
	tapLine = pattern.New(`^(\s*)(not )?ok \d+ - (.*)$`)
	tapIdle = pattern.New(` # (?i:SKIP|TODO)\b.*$`)
	tapFile = pattern.New(`^(\S*/)?[\w.-]+\.[cm]?[jt]s$`) // a file is no test
	tapMean = strings.NewReplacer(`\\`, `\`, `\#`, `#`)
	tapKind = pattern.New(`^\s+type: 'suite'`)
)

// readTap reads node's TAP.
func readTap(r sandbox.Result, _ string) *Results {
	out := newResults(r)
	last, failed, counted := "", false, false
	for line := range strings.Lines(string(r.Stdout)) {
		line = strings.TrimRight(line, "\r\n")
		if tapKind.MatchString(line) && counted { // a group of tests is none
			if t := out.test(last); failed {
				t.Failed--
			} else {
				t.Passed--
			}
			counted = false
		}
		m := tapLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := tapIdle.ReplaceAllString(m[3], "")
		if tapFile.MatchString(name) {
			counted = false
			continue
		}
		failed, counted = m[2] != "", true
		last = tapMean.Replace(name)
		switch t := out.test(last); {
		case name != m[3]:
			t.skipped++
			counted = false
		case failed:
			t.Failed++
		default:
			t.Passed++
		}
	}
	for name, t := range out.Tests {
		if *t == (testResult{}) {
			delete(out.Tests, name)
		}
	}
	return out
}

// cargoLine is how cargo's tests are named.
var cargoLine = pattern.New(`(?m)^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b`)

func readCargo(r sandbox.Result, _ string) *Results {
	out := newResults(r)
	out.each = true
	for _, m := range cargoLine.FindAllStringSubmatch(string(r.Stdout), -1) {
		switch t := out.test(m[1]); m[2] {
		case "ok":
			t.Passed++
		case "FAILED":
			t.Failed++
		default:
			t.skipped++
		}
	}
	if m := cargoOpen.FindStringSubmatch(string(r.Stdout)); m != nil {
		out.open(m[1])
	}
	return out
}

// PassedNames gives the tests of a run that passed.
func (r *Results) PassedNames() map[string]bool {
	out := map[string]bool{}
	for name, t := range r.Tests {
		if t.OK() {
			out[name] = true
		}
	}
	return out
}

// RanNames gives the tests of a run that ran.
func (r *Results) RanNames() map[string]bool {
	out := map[string]bool{}
	for name, t := range r.Tests {
		if t.Passed+t.Failed > 0 {
			out[name] = true
		}
	}
	return out
}
