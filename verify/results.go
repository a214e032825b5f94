package verify

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
	passed, failed, skipped int
	excused                 bool   // one that is expected to fail
	said                    string // what it printed, where the record tells
}

// ok reports whether every test of the name ran and passed.
func (r *testResult) ok() bool { return r != nil && r.passed > 0 && r.failed == 0 && !r.excused }

// results are the tests that one run names: those that ran, or were skipped.
type results struct {
	tests  map[string]*testResult
	apart  bool   // the record tells which test printed what
	output string // of the whole run
}

func (r *results) test(name string) *testResult {
	if r.tests[name] == nil {
		r.tests[name] = &testResult{}
	}
	return r.tests[name]
}

// saw reports whether a test printed one of the values.
func (r *results) saw(name string, values []string) bool {
	text := r.output
	if r.apart {
		text = r.tests[name].said
	}
	return slices.ContainsFunc(values, func(v string) bool { return strings.Contains(text, v) })
}

// under gives the full names of the tests that a function, or a title, of this
// name stands for.
func (r *results) under(short func(string) string, name string) (full []string) {
	for n := range r.tests {
		if short(n) == name {
			full = append(full, n)
		}
	}
	return full
}

func newResults(r sandbox.Result) *results {
	return &results{tests: map[string]*testResult{}, output: string(slices.Concat(r.Stdout, []byte("\n"), r.Stderr))}
}

// readGo reads the events of go test -json.
func readGo(r sandbox.Result, _ string) *results {
	out := newResults(r)
	out.apart = true
	for line := range bytes.Lines(r.Stdout) {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(line, &e) != nil || e.Test == "" {
			continue
		}
		t := out.test(e.Package + " " + e.Test)
		switch e.Action {
		case "pass":
			t.passed++
		case "fail":
			t.failed++
		case "skip":
			t.skipped++
		case "output":
			t.said += e.Output
		}
	}
	for name, t := range out.tests { // begun, and never ended
		if *t == (testResult{said: t.said}) {
			delete(out.tests, name)
		}
	}
	return out
}

// pytestLine is a line of pytest's summary.
var pytestLine = pattern.New(`(?m)^(PASSED|FAILED|XFAIL|XPASS) (\S+::.*?)( - .*)?\r?$`)

func readPytest(r sandbox.Result, _ string) *results {
	out := newResults(r)
	for _, m := range pytestLine.FindAllStringSubmatch(out.output, -1) {
		switch t := out.test(m[2]); m[1] {
		case "PASSED":
			t.passed++
		case "XFAIL", "XPASS":
			t.excused = true
		default:
			t.failed++
		}
	}
	return out
}

// readUnittest reads what unittestRecord prints.
func readUnittest(r sandbox.Result, word string) *results {
	out := newResults(r)
	for line := range strings.Lines(out.output) {
		rest, is := strings.CutPrefix(strings.TrimRight(line, "\r\n"), word+" ")
		status, name, named := strings.Cut(rest, " ")
		if !is || !named || strings.HasPrefix(name, "unittest.loader._FailedTest.") {
			continue
		}
		switch t := out.test(name); status {
		case "pass":
			t.passed++
		case "fail":
			t.failed++
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
	tapFile = pattern.New(`\.[cm]?[jt]s$`) // a file is no test
	tapKind = pattern.New(`^\s+type: 'suite'`)
)

// readTap reads node's TAP.
func readTap(r sandbox.Result, _ string) *results {
	out := newResults(r)
	last, failed, counted := "", false, false
	for line := range strings.Lines(string(r.Stdout)) {
		line = strings.TrimRight(line, "\r\n")
		if tapKind.MatchString(line) && counted { // a group of tests is none
			if t := out.test(last); failed {
				t.failed--
			} else {
				t.passed--
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
		last, failed, counted = name, m[2] != "", true
		switch t := out.test(name); {
		case name != m[3]:
			t.skipped++
			counted = false
		case failed:
			t.failed++
		default:
			t.passed++
		}
	}
	for name, t := range out.tests {
		if *t == (testResult{}) {
			delete(out.tests, name)
		}
	}
	return out
}

// cargoLine is how cargo's tests are named.
var cargoLine = pattern.New(`(?m)^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b`)

func readCargo(r sandbox.Result, _ string) *results {
	out := newResults(r)
	for _, m := range cargoLine.FindAllStringSubmatch(string(r.Stdout), -1) {
		switch t := out.test(m[1]); m[2] {
		case "ok":
			t.passed++
		case "FAILED":
			t.failed++
		default:
			t.skipped++
		}
	}
	return out
}
