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

var (
	tapVersion = pattern.New(`^TAP version \d+$`)
	tapCount   = pattern.New(`^1\.\.\d+$`)
	// tapHead is the title of a test as tape prints it, in front of what is asserted in it.
	tapHead = pattern.New(`^# (\S.*)$`)
	// tapTail are comments that are no titles.
	tapTail = pattern.New(`^# (Subtest: |(tests|suites|pass|fail|ok|cancelled|skipped|todo|duration_ms|time)\b)`)
)

// readTape is readPlainTap of what tape's way of TAP may be: a title, what is asserted in the test below it, and the
// plan at the end. There a title is a test as well, by which it is known though it throws, never ends or asserts
// nothing: it fails where one of its assertions does, and is open where what is printed ends before a plan.
func readTape(r sandbox.Result) *Results {
	out := readPlainTap(r)
	title := ""
	var t tape
	ends := func(done bool) {
		switch {
		case title == "":
		case t.failed:
			out.test(title).Failed++
		case !done:
			out.open(title)
		case t.passed:
			out.test(title).Passed++
		}
		title = ""
	}
	for line := range strings.Lines(string(r.Stdout)) {
		line = strings.TrimRight(line, " \t\r\n")
		m, head := plainTap.FindStringSubmatch(line), tapHead.FindStringSubmatch(line)
		switch {
		case tapVersion.MatchString(line):
			ends(false)
			t = tape{on: true}
		case !t.on:
		case tapCount.MatchString(line):
			ends(true)
			t.on = false
		case m != nil:
			t.passed, t.failed, t.named = true, t.failed || m[1] != "" && !tapIdle.MatchString(line), m[1] != ""
		case head == nil:
			t.named = false
		case !t.named && !tapTail.MatchString(line): // below a failed test a comment says why
			ends(true)
			t, title = tape{on: true}, tapMean.Replace(head[1])
		}
	}
	ends(false)
	return out
}

// tape is what readTape has read of a test.
type tape struct{ on, passed, failed, named bool }
