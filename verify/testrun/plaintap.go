package testrun

import (
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

var (
	tapPlan  = pattern.New(`(?m)^(TAP version \d+|1\.\.\d+)[ \t]*\r?(#.*)?$`)
	plainTap = pattern.New(`^(not )?ok\b(?: +\d+)?(?: +-)?(?: +(\S.*))?$`)
)

// printsTap reports whether a program that nobody knows prints TAP, the Test Anything
// Protocol: a plan, and a line for each test.
func printsTap(r sandbox.Result) bool { return tapPlan.Match(r.Stdout) }

// readPlainTap reads what any program prints as TAP: tests that have a name, at the
// beginning of a line. What stands deeper is part of a test.
func readPlainTap(r sandbox.Result) *Results {
	out := newResults(r)
	for line := range strings.Lines(string(r.Stdout)) {
		m := plainTap.FindStringSubmatch(strings.TrimRight(line, " \t\r\n"))
		if m == nil {
			continue
		}
		name := tapIdle.ReplaceAllString(" "+m[2], "")
		idle := name != " "+m[2]
		if name = strings.TrimSpace(name); name == "" || strings.HasPrefix(name, "# ") {
			continue
		}
		switch t := out.test(tapMean.Replace(name)); {
		case idle:
			t.skipped++
		case m[1] != "":
			t.Failed++
		default:
			t.Passed++
		}
	}
	return out
}
