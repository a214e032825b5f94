package verify

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"cookoff/sandbox"
)

// Lines in which test runners name a test that passed.
var (
	passedPytest   = regexp.MustCompile(`(?m)^PASSED \S`)
	passedUnittest = regexp.MustCompile(`(?m)(^| )ok\r?$`)
	tapLine        = regexp.MustCompile(`(?m)^\s*ok \d+ - (.*)$`)
	tapIdle        = regexp.MustCompile(`# (?i:SKIP|TODO)\b|\.[cm]?[jt]s$`) // a file is no test
)

// counting counts the lines of both streams that a pattern finds.
func counting(re *regexp.Regexp) func(sandbox.Result) int {
	return func(r sandbox.Result) int {
		return len(re.FindAllIndex(slices.Concat(r.Stdout, []byte("\n"), r.Stderr), -1))
	}
}

// passedGo counts the tests that go test -json names as passed.
func passedGo(r sandbox.Result) int {
	n := 0
	for line := range bytes.Lines(r.Stdout) {
		var e struct{ Action, Test string }
		if json.Unmarshal(line, &e) == nil && e.Action == "pass" && e.Test != "" {
			n++
		}
	}
	return n
}

// passedTap counts the tests that TAP names as passed.
func passedTap(r sandbox.Result) int {
	n := 0
	for _, m := range tapLine.FindAllSubmatch(r.Stdout, -1) {
		if !tapIdle.MatchString(strings.TrimSpace(string(m[1]))) {
			n++
		}
	}
	return n
}
