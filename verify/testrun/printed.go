package testrun

import (
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// PrintedTests is the runner of a command that leads to none that is known: it is run as it stands, and its tests are
// those that it prints in a form that many programs have in common.
const PrintedTests = "what is printed"

func printedRunner() *Runner {
	return &Runner{Name: PrintedTests, Read: readPrinted, Short: same}
}

// printedForms are these forms.
var printedForms = []struct {
	name string
	is   func(r sandbox.Result) bool
	read func(r sandbox.Result) *Results
}{
	{"TAP", printsTap, readTape},
	{"automake", func(r sandbox.Result) bool { return automakeSum.Match(r.Stdout) }, readAutomake},
	{"shunit2", func(r sandbox.Result) bool { return shunitSum.MatchString(newResults(r).output) }, readShunit},
}

// formOf gives the name and the tests of what a program printed; "": it is none of these forms.
func formOf(r sandbox.Result) (string, *Results) {
	for _, f := range printedForms {
		if f.is(r) {
			return f.name, f.read(r)
		}
	}
	return "", nil
}

// readPrinted reads whatever form it is.
func readPrinted(r sandbox.Result, _ string) *Results {
	if _, read := formOf(r); read != nil {
		return read
	}
	return newResults(r)
}

var (
	// automakeSum is the head of the sums that "make check" of automake prints; DejaGnu has the same lines.
	automakeSum  = pattern.New(`(?m)^(# TOTAL: +\d+|# of expected passes\s+\d+)\r?$`)
	automakeLine = pattern.New(`(?m)^(PASS|FAIL|ERROR|XPASS|XFAIL|SKIP): (\S.*?)\r?$`)
)

// readAutomake reads the line that automake prints for each test.
func readAutomake(r sandbox.Result) *Results {
	out := newResults(r)
	for _, m := range automakeLine.FindAllStringSubmatch(out.output, -1) {
		switch t := out.test(m[2]); m[1] {
		case "PASS":
			t.Passed++
		case "XFAIL", "XPASS":
			t.excused = true
		case "SKIP":
			t.skipped++
		default:
			t.Failed++
		}
	}
	return out
}

var (
	shunitSum  = pattern.New(`(?m)^Ran \d+ tests?\.\r?$`)
	shunitTest = pattern.New(`^test\w*$`)
	shunitFail = pattern.New(`^(ASSERT:|shunit2:ERROR )`)
)

// readShunit reads what shunit2 prints: the name of each test as it begins, and below it what did not hold.
func readShunit(r sandbox.Result) *Results {
	out := newResults(r)
	at, failed := "", false
	ends := func() {
		switch {
		case at == "":
		case failed:
			out.test(at).Failed++
		default:
			out.test(at).Passed++
		}
		at, failed = "", false
	}
	for line := range strings.Lines(string(r.Stdout)) {
		line = colours.ReplaceAllString(strings.TrimRight(line, "\r\n"), "")
		switch {
		case shunitTest.MatchString(line):
			ends()
			at = line
		case shunitFail.MatchString(line):
			failed = true
		case shunitSum.MatchString(line):
			ends()
		}
	}
	if at != "" { // it ended before its sum
		out.open(at)
	}
	return out
}
