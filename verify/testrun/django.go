package testrun

import (
	"path"
	"slices"
	"strings"
)

// Django is the name of the runner of Django's tests: manage.py test, which runs those of unittest.
const Django = "manage.py test"

// djangoProgram is how the script is called by which a project of Django's is worked with.
const djangoProgram = "manage.py"

// djangoTest gives the place of what stands behind "manage.py test" in the arguments of Python; 0: they
// run something else.
func djangoTest(args []string) int {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-X" || args[i] == "-W":
			i++
		case !strings.HasPrefix(args[i], "-"):
			if path.Base(args[i]) == djangoProgram && i+1 < len(args) && args[i+1] == "test" {
				return i + 2
			}
			return 0
		case args[i] == "-m" || args[i] == "-c":
			return 0
		}
	}
	return 0
}

// djangoRecord is Django's program with a unittest that says of each test what became of it.
const djangoRecord = unittestResult + `import os, runpy
unittest.TextTestRunner.resultclass = Result
sys.argv[:] = sys.argv[1:]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
`

// loudDjango gives the command so changed that all tests run and each is named; nil: it lists them, or is
// called by a name that doesn't say which Python runs it.
func loudDjango(argv []string, word string) []string {
	_, args := runnerOf(argv)
	at := len(argv) - len(args) - 2 // manage.py
	if at == 0 || slices.Contains(args, "-h") || slices.Contains(args, "--help") {
		return nil
	}
	return slices.Concat(argv[:at], []string{"-c", strings.ReplaceAll(djangoRecord, "WORD", word)}, argv[at:at+2],
		without(args, "-b", "--buffer", "--failfast"))
}

// djangoValues are flags of manage.py test that take a value of their own word.
var djangoValues = []string{"-v", "--verbosity", "--settings", "--pythonpath", "--testrunner", "-t",
	"--top-level-directory",
	"-p", "--pattern", "--parallel", "--shuffle"}

// chosenDjango reports whether labels or tags choose among the tests.
func chosenDjango(args []string) bool {
	for i := 0; i < len(args); i++ {
		switch name, _, has := strings.Cut(args[i], "="); {
		case name == "-k" || name == "--tag" || name == "--exclude-tag" || !strings.HasPrefix(name, "-"):
			return true
		case slices.Contains(djangoValues, name) && !has:
			i++
		}
	}
	return false
}
