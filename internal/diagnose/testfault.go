package diagnose

import (
	"path"
	"strings"

	"cookoff/internal/pattern"
)

// testFile is the name of a file of tests, whose directory does not say it.
var testFile = pattern.New(`(?:^|/)test_[^/]*\.py$|_test\.(?:py|go)$|\.(?:test|spec)\.\w+$`)

// unreadable are what compilers and interpreters say of a file that no change of another one lets them read.
var unreadable = []*pattern.Pattern{
	pattern.New(`(?m)^(\S+_test\.go):\d+:\d+: (?:expected |syntax error|illegal |(?:string|rune) literal not terminated|` +
		`newline in string)`),
	pattern.New(`(?m)^.*File "([^"\n]+)", line \d+\n(?:.*\n){1,3}?.*\b(?:SyntaxError|IndentationError|TabError): `),
	pattern.New(`(?m)^(?:file://)?(/\S+):\d+\n(?:.*\n){1,4}?SyntaxError: ` +
		`(?:Unexpected (?:end of input|identifier|string|number|token '[^\w'])|Invalid or unexpected|missing )`),
}

// ofTypes are findings of vet that go away when what a test calls gets another type.
var ofTypes = pattern.New(`wrong type|impossible|implements`)

// vetted is what go vet says of a package, behind the line that names it.
var vetted = pattern.New(`(?m)^# \[\S+\]\n((?:\S+\.go:\d+:\d+: .*\n?)+)`)

// TestFault names a file of tests for which itself a test command fails, by its output, and says what to do; "": there
// is none. No repair that leaves tests alone could mend it.
func TestFault(test, output string) (file, hint string) {
	for _, p := range unreadable {
		for _, m := range p.FindAllStringSubmatch(output, -1) {
			if testFile.MatchString(m[1]) {
				return path.Clean(strings.TrimPrefix(m[1], "/work/")), "mend it first"
			}
		}
	}
	for _, m := range vetted.FindAllStringSubmatch(output, -1) {
		for _, line := range strings.Split(m[1], "\n") {
			if name, _, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "_test.go") && !ofTypes.MatchString(line) {
				hint = "mend it first"
				if strings.HasPrefix(test, "go test") {
					hint += ", or leave vet out: --test-command " + quoted1(strings.Replace(test, "go test", "go test -vet=off", 1))
				}
				return path.Clean(name), hint
			}
		}
	}
	return "", ""
}

var (
	// internal are the lines of a runner of tests that broke down itself, and frames the files of the project in them.
	internal = pattern.New(`(?m)^INTERNALERROR> .*$`)
	frames   = pattern.New(`File "/work/([^"\n]+)"`)
)

// RunnerFault reports whether the runner of tests broke down, by the output of a test command, and no file of the
// project had a part in it but tests: what configures it may not be changed by any repair, either.
func RunnerFault(output string) bool {
	lines := internal.FindAllString(output, -1)
	for _, line := range lines {
		if m := frames.FindStringSubmatch(line); m != nil && !strings.Contains(m[1], "/site-packages/") &&
			!testFile.MatchString(m[1]) && path.Base(m[1]) != "conftest.py" {
			return false
		}
	}
	return len(lines) > 0
}
