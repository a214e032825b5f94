package commands

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/verify/testrun"
)

// belowCoverage is what runners say that fail though no test does: too little of the code was run, as where some
// of the tests are, or a fix is left out.
var belowCoverage = pattern.New(`(?m)Coverage failure: total of|Required test coverage of|coverage threshold for|` +
	`^ERROR: Coverage for \w+ \(.*\) does not meet`)

// Uncovered gives a test command that does not demand that so much of the code be run, for one that failed for that
// alone; false: it did not, or can't be told.
func Uncovered(command string, o *testrun.Outcome) (string, bool) {
	if o.OK() || o.Reason != "" || len(o.Failed) > 0 || len(o.Passed) == 0 ||
		!belowCoverage.MatchString(string(o.Stdout)) && !belowCoverage.MatchString(string(o.Stderr)) {
		return "", false
	}
	words := Words(command)
	flag := map[string]string{"pytest": "--cov-fail-under=0", "jest": "--coverage=false",
		"vitest": "--coverage.enabled=false"}[o.Runner]
	if words == nil || slices.Contains(words, "--") {
		return "", false
	}
	measures := func(w string) bool { return slices.Contains([]string{"nyc", "c8"}, path.Base(w)) }
	if at := slices.IndexFunc(words, measures); at >= 0 {
		return strings.Join(slices.Insert(words, at+1, "--check-coverage=false"), " "), true
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
