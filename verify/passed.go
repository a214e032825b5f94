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
	passedPytest   = regexp.MustCompile(`(?m)^PASSED \S.*$`)
	passedUnittest = regexp.MustCompile(`(?m)^(.* )?ok\r?$`)
	tapLine        = regexp.MustCompile(`(?m)^\s*ok \d+ - (.*)$`)
	tapIdle        = regexp.MustCompile(`# (?i:SKIP|TODO)\b|\.[cm]?[jt]s$`) // TAP's words for a test that did not run; a file is no test
)

// lines gives the lines of both streams that a pattern finds.
func lines(re *regexp.Regexp) func(sandbox.Result) []string {
	return func(r sandbox.Result) []string {
		return re.FindAllString(string(slices.Concat(r.Stdout, []byte("\n"), r.Stderr)), -1)
	}
}

// passedGo gives the tests that go test -json names as passed.
func passedGo(r sandbox.Result) []string {
	var out []string
	for line := range bytes.Lines(r.Stdout) {
		var e struct{ Action, Test string }
		if json.Unmarshal(line, &e) == nil && e.Action == "pass" && e.Test != "" {
			out = append(out, e.Test)
		}
	}
	return out
}

// passedTap gives the tests that TAP names as passed.
func passedTap(r sandbox.Result) []string {
	var out []string
	for _, m := range tapLine.FindAllSubmatch(r.Stdout, -1) {
		if name := strings.TrimSpace(string(m[1])); !tapIdle.MatchString(name) {
			out = append(out, name)
		}
	}
	return out
}
