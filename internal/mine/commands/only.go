package commands

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/shell"
	"cookoff/verify/testrun"
)

// mostNamed is how many tests a command names.
const mostNamed = 20

// Only gives a test command that runs these tests alone, or few others: what it shows of them is asked before all are
// run. Where it names none that there are it may succeed. false: it can't be told to.
func Only(command, runner string, names []string) (string, bool) {
	words := Words(command)
	if len(words) == 0 || len(names) == 0 || len(names) > mostNamed || slices.Contains(words, "--") ||
		strings.ContainsAny(command, `'"\$`) {
		return "", false
	}
	switch runner {
	case "go test":
		fns, are := goFunctions(names)
		before, rest, ok := strings.Cut(command, "go test")
		return before + "go test -run " + fns + rest,
			are && ok && !strings.Contains(rest, "-run") && (before == "" || strings.HasSuffix(before, " && "))
	case "pytest":
		at := slices.Index(words, "pytest")
		if at < 0 {
			at = slices.IndexFunc(words, func(w string) bool { return path.Base(w) == "pytest" })
		}
		other := func(w string) bool { return !plainFlag(w) && path.Ext(w) != ".py" }
		if at < 0 || slices.ContainsFunc(words[at+1:], other) ||
			slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(n, "::") }) {
			return "", false
		}
		return and(slices.DeleteFunc(words, func(w string) bool { return path.Ext(w) == ".py" && w[0] != '-' }), names)
	case "unittest":
		if strings.HasSuffix(command, " -m unittest") {
			return and(words, names)
		}
	case testrun.Django:
		if strings.HasSuffix(command, " manage.py test") {
			return and(words, names)
		}
	case "jest", "vitest", "mocha":
		flag := "-t"
		if runner == "mocha" {
			flag = "--grep"
		}
		var list []string
		for _, n := range names {
			list = append(list, regexp.QuoteMeta(n))
		}
		return handed(words, runner, []string{flag, "^(" + strings.Join(list, "|") + ")$"})
	}
	return "", false
}

// handed gives a command with more words for the runner that it calls, itself or by a script of package.json; false:
// they may reach another.
func handed(words []string, runner string, more []string) (string, bool) {
	call := words[max(0, slices.IndexFunc(words, func(w string) bool { return !assigns.MatchString(w) })):]
	switch {
	case slices.Contains(words, "--") && call[0] != "npm":
		return "", false
	case slices.Contains([]string{"npm test", "npm run test"}, strings.Join(call, " ")):
		return and(append(slices.Clone(words), "--"), more)
	case slices.Contains([]string{"pnpm test", "pnpm run test", "yarn test", "yarn run test"}, strings.Join(call, " ")),
		call[0] == "npm" && slices.Contains(words, "--"):
		return and(words, more)
	case slices.ContainsFunc(call, func(w string) bool { return path.Base(w) == runner }):
		return and(words, more)
	}
	return "", false
}

// assigns are words in front of a command that set variables.
var assigns = pattern.New(`^\w+=`)

// plainFlag is a flag that stands for itself.
func plainFlag(w string) bool {
	return strings.HasPrefix(w, "--") && !slices.Contains([]string{"--deselect", "--ignore", "--rootdir"}, w) ||
		slices.Contains([]string{"-q", "-v", "-x", "-s", "-vv", "-qq"}, w)
}

// and is a command with words behind its own, which stand as they are written.
func and(words, more []string) (string, bool) {
	text, err := shell.Quote(more)
	return strings.Join(words, " ") + " " + text, err == nil
}
