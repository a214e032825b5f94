package commands

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"cookoff/verify/testrun"
)

// leavingOutBy is LeavingOut of runners whose command is the last of its words' own: bats, CTest, PHPUnit, RSpec and
// minitest, called by itself or by rake. kept are the tests that are to run, for those that can be told nothing else.
func leavingOutBy(command, runner string, names, kept []string) (string, bool) {
	words := Words(command)
	if len(words) == 0 || strings.Join(words, " ") != command || len(names) == 0 ||
		slices.ContainsFunc(names, func(n string) bool { return strings.ContainsAny(n, "\r\n\x00") }) {
		return "", false
	}
	chooses := func(flags ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			flag, _, _ := strings.Cut(w, "=")
			return slices.Contains(flags, flag)
		})
	}
	switch runner {
	case "bats":
		kept = slices.DeleteFunc(slices.Clone(kept), func(n string) bool { return slices.Contains(names, n) })
		if len(kept) == 0 || chooses("-f", "--filter", "--filter-tags", "--filter-status", "--negative-filter") {
			return "", false
		}
		return handed(words, runner, []string{"--filter", oneOf(kept, regexp.QuoteMeta)})
	case "ctest":
		if chooses("-E", "--exclude-regex", "-I", "--tests-information") {
			return "", false
		}
		return handed(words, runner, []string{"-E", oneOf(names, regexp.QuoteMeta)})
	case "phpunit":
		if chooses("--filter", "--exclude-filter", "--testdox") {
			return "", false
		}
		return handed(words, runner, []string{"--filter", "~^(?!" + strings.TrimPrefix(oneOf(names, phpName), "^") + ")~"})
	case testrun.Ruby:
		return leavingOutRuby(words, names)
	}
	return "", false
}

// oneOf is a pattern of these names and no others.
func oneOf(names []string, quoted func(string) string) string {
	var list []string
	for _, n := range names {
		list = append(list, quoted(n))
	}
	slices.Sort(list)
	return "^(" + strings.Join(slices.Compact(list), "|") + ")$"
}

// phpName is a pattern of the name that PHPUnit has for a test which its record calls "Tests.PriceTest testTotal".
func phpName(name string) string {
	class, test, _ := strings.Cut(name, " ")
	text := strings.ReplaceAll(regexp.QuoteMeta(class), `\.`, `[.\\]`) + "::" + regexp.QuoteMeta(test)
	return strings.ReplaceAll(text, "~", `\~`)
}

// leavingOutRuby is leavingOutBy of what runs tests of Ruby. RSpec takes a pattern of whole descriptions; minitest one
// of what is not to run, behind the file that its tests are in, or from rake. In descriptions blanks are told as one.
func leavingOutRuby(words, names []string) (string, bool) {
	quoted := func(n string) string {
		return strings.ReplaceAll(strings.ReplaceAll(regexp.QuoteMeta(n), " ", `\s+`), "/", `\/`)
	}
	those := oneOf(names, quoted)
	last := path.Base(words[len(words)-1])
	is := func(program string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return path.Base(w) == program })
	}
	method := func(n string) bool { return strings.Contains(n, "#") }
	switch {
	case is("rspec"):
		if slices.ContainsFunc(words, func(w string) bool {
			return strings.HasPrefix(w, "-e") || strings.HasPrefix(w, "-E") || strings.HasPrefix(w, "--example")
		}) {
			return "", false
		}
		return handed(words, "rspec", []string{"--example-matches", "^(?!" + strings.TrimPrefix(those, "^") + ")"})
	case !each(names, method):
		return "", false
	case is("rake"):
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "TESTOPTS=") }) ||
			strings.Contains(those, "'") {
			return "", false
		}
		return and(words, []string{"TESTOPTS=--exclude='/" + those + "/'"})
	case is("ruby") && path.Ext(last) == ".rb" && !slices.Contains(words, "-e"):
		return and(words, []string{"--exclude", "/" + those + "/"})
	}
	return "", false
}

func each(names []string, is func(string) bool) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !is(n) })
}

// byName are programs that can be told which tests not to run, where they are called by themselves.
var byName = []string{"go test", "pytest", "cargo test", "mocha", "jest", "vitest", "bats", "ctest", "phpunit"}

// Stuck says why a command can't be told to leave tests out by name, and what can.
func Stuck(command, runner string) string {
	said := command + " can't be told to leave tests out by name"
	switch {
	case runner == testrun.Ruby:
		return said + ": minitest can, of one file (ruby -Ilib test/all_test.rb) or by rake, and RSpec, " +
			"called by themselves by --test"
	case slices.Contains(byName, runner):
		return said + ": " + runner + " can, called by itself by --test, and not told already which tests to run"
	case runner == "unittest" || runner == testrun.Django:
		return said + ": " + runner + " has no way to; pytest runs tests of unittest, too, and can"
	}
	return said + ": name a --test that does not run the file that they are in"
}
