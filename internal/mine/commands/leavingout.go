package commands

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/shell"
	"cookoff/verify/testrun"
)

// goFunctions is a pattern, quoted for a shell, of the functions that tests of Go are of, by their names, "package
// Test/part"; false: they are not called so.
func goFunctions(names []string) (string, bool) {
	var fns []string
	for _, n := range names {
		_, fn, _ := strings.Cut(n, " ")
		fn, _, _ = strings.Cut(fn, "/")
		if fns = append(fns, fn); !goName.MatchString(fn) {
			return "", false
		}
	}
	slices.Sort(fns)
	return "'^(" + strings.Join(slices.Compact(fns), "|") + ")$'", true
}

// LeftOutWith reports whether a test does not run either where LeavingOut leaves others out: of Go, functions are, with
// all their parts.
func LeftOutWith(name, runner string, others []string) bool {
	if runner != "go test" {
		return false
	}
	fn, _ := goFunctions([]string{name})
	return slices.ContainsFunc(others, func(o string) bool { is, _ := goFunctions([]string{o}); return is == fn })
}

// LeavingOut gives a test command that does not run some tests; kept are others that it runs, as far as they are known.
func LeavingOut(command, runner string, names, kept []string) (string, bool) {
	switch runner {
	case "go test":
		fns, are := goFunctions(names)
		before, rest, ok := strings.Cut(command, "go test")
		ok = ok && !strings.Contains(rest, "-skip")
		return before + "go test -skip " + fns + rest,
			are && ok && (before == "" || strings.HasPrefix(before, "cd ") && strings.HasSuffix(before, " && "))
	case "pytest":
		for _, n := range names {
			quoted, err := syntax.Quote(n, syntax.LangBash) // ids hold whatever the values of parameters are
			if err != nil || !strings.Contains(n, "::") {
				return "", false
			}
			command += " --deselect " + quoted
		}
		return command, true
	case "cargo test":
		words := Words(command)
		if len(words) < 2 || words[0] != "cargo" || words[1] != "test" || !onlyFlags(words[2:]) {
			return "", false
		}
		command += " -- --exact" // else all tests are left out whose names hold one of these
		for _, n := range names {
			if !rustName.MatchString(n) {
				return "", false
			}
			command += " --skip " + n
		}
		return command, true
	case "mocha", "jest", "vitest", NodeSkips, NodeNames:
		return leavingOutNode(command, runner, names)
	}
	return leavingOutBy(command, runner, names, kept)
}

// NodeSkips is node --test of a version that can be told which tests not to run.
const NodeSkips = "node --test-skip-pattern"

// NodeNames is node --test of a version that can be told which tests to run alone: all but some, of those at the top of
// a file. What holds tests is run with all of them where its name is wanted, as is the root, which has one of its own.
const NodeNames = "node --test-name-pattern"

// leavingOutNode is LeavingOut of the runners of node, which take a pattern of names. Tests that hold others are not
// left out where one of these is.
func leavingOutNode(command, runner string, names []string) (string, bool) {
	words := Words(command)
	chooses := func(w string) bool {
		flag, _, _ := strings.Cut(w, "=")
		return slices.Contains([]string{"-t", "--testNamePattern", "-g", "--grep", "-f", "--fgrep", "-i", "--invert"}, flag) ||
			strings.HasPrefix(flag, "--test-")
	}
	if len(words) == 0 || strings.Join(words, " ") != command || len(names) == 0 || slices.ContainsFunc(words, chooses) {
		return "", false
	}
	var list []string
	for _, n := range names {
		if n = nodePattern(n, runner); n == "" {
			return "", false
		}
		list = append(list, n)
	}
	slices.Sort(list)
	those := "(" + strings.Join(slices.Compact(list), "|") + ")"
	switch runner {
	case "mocha":
		return handed(words, runner, []string{"--grep", "^" + those + "$", "--invert"})
	case NodeSkips, NodeNames:
		flag := "--test-skip-pattern=^" + those + "$"
		if runner == NodeNames {
			flag = "--test-name-pattern=^(?!(" + strings.Join(append(slices.Compact(list), "<root>"), "|") + ")$)."
		}
		at := slices.Index(words, "--test") + 1
		text, err := shell.Quote([]string{flag})
		if err != nil || at < 2 || path.Base(words[at-2]) != "node" {
			return "", false
		}
		return strings.Join(slices.Insert(words, at, text), " "), true
	}
	return handed(words, runner, []string{"-t", `^(?!\s*` + those + `\s*$)`}) // older ones put a space in front
}

// nodePattern is a pattern of the name of a test; "": there is none. mocha writes names into TAP without #.
func nodePattern(name, runner string) string {
	if strings.ContainsAny(name, "\r\n\x00") || strings.TrimSpace(name) == "" {
		return ""
	}
	if runner != "mocha" {
		return regexp.QuoteMeta(name)
	}
	parts := strings.Split(name, " ")
	for i, p := range parts {
		parts[i] = "#*" + regexp.QuoteMeta(p)
	}
	return strings.Join(parts, " ")
}

// rustName is how a test of Rust is named; those in documents, which have a file and a line, are not left out.
var rustName = pattern.New(`^\w+(::\w+)*$`)

// onlyFlags reports whether arguments of cargo test choose no tests by name.
func onlyFlags(args []string) bool {
	valued := []string{"-p", "--package", "-F", "--features", "--test", "--manifest-path", "--exclude"}
	for i := 0; i < len(args); i++ {
		if args[i] == "--" || !strings.HasPrefix(args[i], "-") {
			return false
		}
		if slices.Contains(valued, args[i]) {
			i++
		}
	}
	return true
}

var goName = pattern.New(`^\w+$`)

// Hasty gives a test command that ends with the first test that fails, where its runner can.
func Hasty(command, runner string) string {
	if Words(command) == nil {
		return command
	}
	switch before, rest, is := strings.Cut(command, "go test"); {
	case runner == "go test" && is && !strings.Contains(command, "-failfast"):
		return before + "go test -failfast" + rest
	case runner == "pytest" && !strings.Contains(command, " -- "):
		return command + " -x"
	case runner == "unittest" && (strings.HasSuffix(command, " -m unittest") ||
		strings.Contains(command, " -m unittest discover ")):
		return command + " -f"
	case strings.HasSuffix(command, " "+runner) && runner == testrun.Django:
		return command + " --failfast"
	}
	return command
}
