package testrun

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/testrun/planted"
)

// Runner is a program that runs tests and can name each of them.
type Runner struct {
	Name string
	// loud makes it name each test and run all of them, though one fails; word
	// marks what is its record. nil: it is told to do something else.
	loud func(argv []string, word string) []string
	// chosen reports whether it runs only some of the tests of its files.
	chosen func(args []string) bool
	// disguised runs the tests as a process that does not look like one of tests. nil: it
	// can't.
	disguised func(argv []string, how Disguise) []string
	Read      func(r sandbox.Result, word string) *Results
	Short     func(name string) string // the function or title that a test's name ends in
	Source    *planted.Language        // nil: nothing can be planted
}

// Runners are the programs of tests that are known, in the order in which a command is held
// against them.
func Runners() []*Runner {
	unit := &Runner{Name: "unittest", loud: loudUnittest, chosen: chosenUnittest, Read: readUnittest,
		Short: shortPython, Source: planted.Unittest(), disguised: disguisedUnittest}
	return append([]*Runner{
		{Name: "go test", loud: loudGo, chosen: chosenGo, Read: readGo, Short: shortGo, Source: planted.Go(),
			disguised: disguisedGo},
		{Name: "pytest", loud: loudPytest, chosen: chosenPytest, Read: readPytest, Short: shortPython,
			Source: planted.Pytest(), disguised: disguisedPytest},
		unit,
		{Name: Django, loud: loudDjango, chosen: chosenDjango, Read: readUnittest, Short: shortPython,
			Source: planted.Unittest()},
		{Name: Node, loud: loudNode, chosen: chosenNode, Read: readTap, Short: same, Source: planted.Node(),
			disguised: disguisedNode},
		{Name: "cargo test", loud: loudCargo, chosen: func([]string) bool { return true }, Read: readCargo,
			Short: shortRust, Source: planted.Rust(), disguised: disguisedCargo},
	}, reportRunners()...)
}

func same(s string) string { return s }

// runnerOf knows the runner that a command is, and gives the arguments behind it.
func runnerOf(argv []string) (*Runner, []string) {
	if len(argv) == 0 {
		return nil, nil
	}
	prog, rest := path.Base(argv[0]), argv[1:]
	name := ""
	switch {
	case prog == "go" && slices.Index(rest, "test") == 0:
		name, rest = "go test", rest[1:]
	case prog == "pytest" || prog == "py.test":
		name = "pytest"
	case strings.HasPrefix(prog, "python"):
		at := PythonModule(rest)
		if at < len(rest) && (rest[at] == "pytest" || rest[at] == "unittest") {
			name, rest = rest[at], rest[at+1:]
		} else if at = djangoTest(rest); at > 0 {
			name, rest = Django, rest[at:]
		}
	case prog == djangoProgram && len(rest) > 0 && rest[0] == "test":
		name, rest = Django, rest[1:]
	case prog == "node" && slices.Contains(rest, "--test"):
		name = Node
	case prog == "cargo" && slices.Index(rest, "test") == 0:
		name, rest = "cargo test", rest[1:]
	default:
		name, rest = reportRunnerOf(argv)
	}
	for _, r := range Runners() {
		if r.Name == name {
			return r, rest
		}
	}
	return nil, nil
}

// gluedModule is a flag of Python's with the name of the module that follows it, alone or behind others (-munittest,
// -Im pytest).
var gluedModule = pattern.New(`^(-[bBdEiIOPqsSuvx]*)m(\w[\w.]*)?$`)

// gotestsumValued are flags of gotestsum whose value is the word behind them.
var gotestsumValued = []string{"--format", "-f", "--format-hide-empty-pkg", "--format-icons", "--jsonfile",
	"--jsonfile-timing-events", "--junitfile", "--junitfile-project-name", "--junitfile-testcase-classname",
	"--junitfile-testsuite-name", "--max-fails", "--packages", "--post-run-command", "--rerun-fails-max-failures",
	"--rerun-fails-report", "--hide-summary", "--no-summary"}

// ungathered gives the command of Go's that gotestsum runs; the same command where it is none, or is told to do
// something else.
func ungathered(argv []string) []string {
	if len(argv) == 0 || path.Base(argv[0]) != "gotestsum" || slices.ContainsFunc(argv, func(a string) bool {
		return a == "--raw-command" || a == "--watch" || a == "tool" || a == "--version" || a == "--help" || a == "-h"
	}) {
		return argv
	}
	var packages []string
	at := 1
	for ; at < len(argv) && strings.HasPrefix(argv[at], "-"); at++ {
		if argv[at] == "--" {
			at++
			break
		}
		name, value, set := strings.Cut(argv[at], "=")
		if !set && slices.Contains(gotestsumValued, name) && at+1 < len(argv) {
			at++
			value = argv[at]
		}
		if name == "--packages" {
			packages = strings.Fields(value)
		}
	}
	args := slices.Concat(argv[min(at, len(argv)):], packages)
	if len(args) == 0 {
		args = []string{"./..."}
	}
	return append([]string{"go", "test"}, args...)
}

// unglued gives a command of Python's with -m in a word of its own, and that of Go's which another program runs.
func unglued(argv []string) []string {
	argv = ungathered(argv)
	if len(argv) == 0 || !strings.HasPrefix(path.Base(argv[0]), "python") {
		return argv
	}
	for i := 1; i < len(argv) && strings.HasPrefix(argv[i], "-") && argv[i] != "-m"; i++ {
		if argv[i] == "-X" || argv[i] == "-W" {
			i++
			continue
		}
		m := gluedModule.FindStringSubmatch(argv[i])
		if m == nil {
			continue
		}
		words := []string{m[1], "-m", m[2]}
		return slices.Concat(argv[:i], slices.DeleteFunc(words, func(w string) bool { return w == "" || w == "-" }),
			argv[i+1:])
	}
	return argv
}

// PythonModule gives the place of the module that Python's arguments name
// behind -m; behind the last where they name none.
func PythonModule(args []string) int {
	for i := 0; i < len(args) && strings.HasPrefix(args[i], "-"); i++ {
		switch args[i] {
		case "-m":
			return i + 1
		case "-X", "-W":
			i++
		}
	}
	return len(args)
}

// flagOf gives a Go flag's name without its dashes, and its value.
func flagOf(args []string, i int) (name, value string, is bool) {
	if !strings.HasPrefix(args[i], "-") {
		return "", "", false
	}
	name, value, has := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
	if !has && i+1 < len(args) {
		value = args[i+1]
	}
	return strings.TrimPrefix(name, "test."), value, true
}

// loudGo gives the command go test so changed that it runs all tests and prints the name of
// each; nil: it is no run of tests, or one whose output can not be had.
func loudGo(argv []string, _ string) []string {
	_, args := runnerOf(argv)
	var kept []string
	for i := range args {
		name, _, is := flagOf(args, i)
		if args[i] == "-args" {
			kept = append(kept, args[i:]...)
			break
		}
		if is && slices.Contains([]string{"c", "list", "n", "exec", "fuzz", "o"}, name) {
			return nil
		}
		if !is || name != "failfast" && name != "json" {
			kept = append(kept, args[i])
		}
	}
	return slices.Concat(argv[:len(argv)-len(args)], []string{"-json"}, kept)
}

// uncached gives a command of a runner that takes no result of an earlier run for one of this.
func uncached(r *Runner, argv []string) []string {
	if r.Name != "go test" || slices.ContainsFunc(argv, goCount.MatchString) {
		return argv
	}
	at := slices.Index(argv, "test") + 1
	return slices.Insert(slices.Clone(argv), at, "-count=1")
}

var goCount = pattern.New(`^--?(test\.)?count(=|$)`)

func chosenGo(args []string) bool {
	for i := range args {
		if args[i] == "-args" {
			return false
		}
		if name, value, is := flagOf(args, i); is && (name == "skip" || name == "run" && value != "" && value != "." &&
			value != "Test") {
			return true
		}
	}
	return false
}

// shortGo gives the function of "package TestName"; a test inside another has none.
func shortGo(name string) string {
	_, fn, _ := strings.Cut(name, " ")
	if strings.Contains(fn, "/") {
		return ""
	}
	return fn
}

// without gives the arguments but for some flags.
func without(args []string, flags ...string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return slices.Contains(flags, a) })
}

func loudPytest(argv []string, _ string) []string {
	_, args := runnerOf(argv)
	for _, a := range args {
		if a == "--collect-only" || a == "--co" || a == "-h" || a == "--help" || a == "--no-summary" ||
			strings.HasPrefix(a, "--lf") || strings.HasPrefix(a, "--ff") {
			return nil
		}
	}
	kept := without(args, "-x", "--exitfirst")
	kept = slices.DeleteFunc(kept, func(a string) bool { return strings.HasPrefix(a, "--maxfail") })
	return slices.Concat(argv[:len(argv)-len(args)], kept,
		[]string{"-rA", "--maxfail=1000000", "-p", "no:cacheprovider"})
}

func chosenPytest(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "-k") || strings.HasPrefix(a, "-m") || strings.HasPrefix(a, "--deselect") ||
			strings.Contains(a, "::")
	})
}

// unittestResult says of each test of unittest what became of it.
const unittestResult = `import sys, unittest
def say(status, test):
    sys.__stdout__.write("\nWORD " + status + " " + test.id() + "\n"); sys.__stdout__.flush()
class Result(unittest.TextTestResult):
    def startTest(self, test): super().startTest(test); say("begin", test)
    def stopTest(self, test): super().stopTest(test); say("end", test)
    def addSuccess(self, test): super().addSuccess(test); say("pass", test)
    def addError(self, test, err): super().addError(test, err); say("fail", test)
    def addFailure(self, test, err): super().addFailure(test, err); say("fail", test)
    def addSkip(self, test, reason): super().addSkip(test, reason); say("skip", test)
    def addExpectedFailure(self, test, err): super().addExpectedFailure(test, err); say("excused", test)
    def addUnexpectedSuccess(self, test): super().addUnexpectedSuccess(test); say("excused", test)
    def addSubTest(self, test, sub, err):
        super().addSubTest(test, sub, err)
        if err is not None: say("fail", test)
`

// unittestRecord is a unittest that does.
const unittestRecord = unittestResult + `class Runner(unittest.TextTestRunner):
    resultclass = Result
unittest.main(module=None, testRunner=Runner, argv=["python -m unittest"] + sys.argv[1:])
`

func loudUnittest(argv []string, word string) []string {
	_, args := runnerOf(argv)
	if slices.Contains(args, "-h") || slices.Contains(args, "--help") {
		return nil
	}
	head := argv[:len(argv)-len(args)-2] // without -m unittest
	return slices.Concat(head, []string{"-c", strings.ReplaceAll(unittestRecord, "WORD", word)},
		without(args, "-b", "--buffer", "-f", "--failfast"))
}

func chosenUnittest(args []string) bool {
	args = without(args, "-v", "--verbose", "-q", "--quiet", "-b", "--buffer", "-f", "--failfast")
	return len(args) > 0 && args[0] != "discover" || slices.Contains(args, "-k")
}

// shortRust is the function that a test's name ends in.
func shortRust(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// shortPython gives the function of a.b.C.test_x and of a/b.py::C::test_x[1].
func shortPython(name string) string {
	if at := strings.LastIndex(name, "::"); at >= 0 {
		name, _, _ = strings.Cut(name[at+2:], "[")
		return name
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Node is the name of the runner of tests that node has itself.
const Node = "node --test"

func loudNode(argv []string, _ string) []string {
	kept := slices.DeleteFunc(slices.Clone(argv[1:]),
		func(a string) bool { return strings.HasPrefix(a, "--test-reporter") })
	if slices.ContainsFunc(kept, func(a string) bool { return a == "--watch" || a == "--test-force-exit" }) {
		return nil
	}
	return slices.Concat(argv[:1], []string{"--test-reporter=tap", "--test-reporter-destination=stdout"}, kept)
}

func chosenNode(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "--test-name-pattern") || strings.HasPrefix(a, "--test-only") ||
			strings.HasPrefix(a, "--test-skip-pattern")
	})
}

// cargoQuiet are flags of cargo under which it does not name each test.
var cargoQuiet = pattern.New(`^(-q|--quiet|--no-run|--list|--format.*|-h|--help)$`)

// loudCargo gives the command cargo test so changed that it runs all tests and prints the
// name of each; nil where it was told to be quiet.
func loudCargo(argv []string, _ string) []string {
	_, args := runnerOf(argv)
	if slices.ContainsFunc(args, cargoQuiet.MatchString) {
		return nil
	}
	kept := slices.Clone(args)
	if !slices.Contains(kept, "--no-fail-fast") {
		kept = slices.Insert(kept, 0, "--no-fail-fast")
	}
	if !slices.Contains(kept, "--") {
		kept = append(kept, "--")
	}
	return append(slices.Concat(argv[:len(argv)-len(args)], kept), "--show-output")
}
