package commands

import (
	"path"
	"slices"
	"strings"
)

var (
	// goSwitches are flags of go test that take no value; all others do.
	goSwitches = strings.Fields("a artifacts asan benchmem c cover failfast fullpath json linkshared modcacherw msan n race " +
		"short trimpath v work x")
	// valued are flags of pytest and node that do.
	valued = strings.Fields(`-k -m -c -n -o -p -r -W -C
--ignore --ignore-glob --deselect --rootdir --confcutdir --basetemp --junitxml --junit-xml --junit-prefix --log-file
--override-ini --config-file --pythonwarnings --maxfail --durations --durations-min --tb --color --capture --cov
--cov-report --cov-config --cov-fail-under --import-mode --numprocesses --dist --timeout --html --report-log --alluredir
--require --import --loader --experimental-loader --env-file --conditions --test-reporter --test-reporter-destination
--test-name-pattern --test-skip-pattern --test-concurrency --test-timeout --test-shard --test-global-setup
--test-coverage-include --test-coverage-exclude`)
)

// takesValue reports whether the word behind a flag of "go test" (test), pytest or node (--test) is its value.
func takesValue(runner, flag string) bool {
	if !strings.HasPrefix(flag, "-") || strings.Contains(flag, "=") {
		return false
	}
	if runner == "test" {
		return !slices.Contains(goSwitches, strings.TrimPrefix(strings.TrimLeft(flag, "-"), "test."))
	}
	return slices.Contains(valued, flag)
}

// chosen reports whether a test command that names these files, directories or packages runs a file or package. What is
// named otherwise, by globs or modules, may hold any.
func chosen(runner string, named []string, target string) bool {
	if len(named) == 0 {
		return true
	}
	target = path.Clean(target)
	return slices.ContainsFunc(named, func(word string) bool {
		word, _, _ = strings.Cut(word, "::")
		dir, below := strings.CutSuffix(word, "...")
		if strings.ContainsAny(dir, "*?[{~") || strings.HasPrefix(path.Clean(dir), "..") || path.IsAbs(dir) ||
			runner == "test" && !strings.HasPrefix(dir, ".") {
			return true
		}
		dir = path.Clean(dir)
		file := path.Ext(target) != ""
		return dir == target || (below || file) && under(dir, target)
	})
}
