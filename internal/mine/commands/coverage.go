package commands

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/shell"
	"cookoff/verify/testrun"
)

// belowCoverage is what runners say that fail though no test does: too little of the code was run, as where some
// of the tests are, or a fix is left out.
var belowCoverage = pattern.New(`(?m)Coverage failure: total of|Required test coverage of|coverage threshold for|` +
	`^ERROR: Coverage for \w+ \(.*\) does not meet`)

// measuring is a program that measures coverage, as a command calls it; demanding, a flag by which it fails where that
// is too little (c8 takes --100 for a demand whatever else it is told).
var (
	measuring = pattern.New(`((?:^|[\s/])(?:nyc|c8))(\s)`)
	demanding = pattern.New(` --(?:100|check-coverage(?:=\S*)?)(\s|$)`)
)

// Undemanding gives a test command whose nyc and c8 do not demand that so much of the code be run: a repair is judged
// by tests, and may have more code than they run.
func Undemanding(command string) string {
	if !measuring.MatchString(command) || shell.Parsed(command) == nil {
		return command
	}
	for demanding.MatchString(command) { // flags that follow one another share a space
		command = demanding.ReplaceAllString(command, "$1")
	}
	return measuring.ReplaceAllString(command, "$1 --check-coverage=false$2")
}

// Demanded reports whether a run of tests showed a demand that so much of the code be run, which was met or not.
func Demanded(o *testrun.Outcome) bool {
	return o.Reason == "" && len(o.Passed) > 0 &&
		(belowCoverage.MatchString(string(o.Stdout)) || belowCoverage.MatchString(string(o.Stderr)))
}

// Uncovered gives a test command that does not demand that so much of the code be run, for one that was seen to do so,
// whether it failed or not; false: it was not, or can't be told.
func Uncovered(command string, o *testrun.Outcome) (string, bool) {
	if !Demanded(o) {
		return "", false
	}
	words := Words(command)
	flag := map[string]string{"pytest": "--cov-fail-under=0", "jest": "--coverage=false",
		"vitest": "--coverage.enabled=false"}[o.Runner]
	if words == nil || slices.Contains(words, "--") || slices.Contains(words, flag) {
		return "", false
	}
	byName := slices.ContainsFunc(words, func(w string) bool {
		w = path.Base(w)
		return w == o.Runner || w == "py.test"
	})
	byScript := slices.ContainsFunc([]string{"npm ", "pnpm ", "yarn ", "CI=1 npm ", "CI=1 pnpm ", "CI=1 yarn "},
		func(p string) bool { return strings.HasPrefix(command, p) })
	switch {
	case flag == "" || !byName && !byScript:
		return "", false
	case !byName && strings.Contains(command, "npm ") && !strings.Contains(command, "pnpm "):
		return command + " -- " + flag, true
	}
	return command + " " + flag, true
}
