package testrun

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// asMain is a program of Python that runs a module with arguments as if it were a script.
const asMain = `import sys, json, os
here = os.path.dirname(os.path.abspath(__file__))
if sys.path and os.path.abspath(sys.path[0]) == here:
    sys.path[:1] = FIRST
args = json.loads(ARGS)
sys.argv[:] = ["/usr/local/bin/app"]
if hasattr(sys, "orig_argv"): sys.orig_argv[:] = ["python3", "/usr/local/bin/app"]
__file__ = "/usr/local/bin/app"
del here
`

const asUnittest = "import unittest\nunittest.main(module=None, argv=[\"app\"] + args)\n"

// asPytest leaves out of a process what pytest has changed in it, as far as tests can do without: who catches
// faults and listens to what is logged, and who finds modules. With -s nobody catches what is printed.
const asPytest = `import faulthandler, logging, pytest
class Plain:
    def _plain(self):
        faulthandler.disable()
        for kept in sys.meta_path, logging.getLogger().handlers:
            kept[:] = [x for x in kept if not type(x).__module__.startswith("_pytest")]
    @pytest.hookimpl(tryfirst=True)
    def pytest_collectstart(self, collector):
        self._plain()
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item):
        if "caplog" not in getattr(item, "fixturenames", ()):
            self._plain()
sys.exit(pytest.main(args, plugins=[Plain()]))
`

// Where Python looks first for modules: with -m in the directory it is started in, and in none of
// the project's where a program is started by its name.
const (
	firstHere = "[os.getcwd()]"
	firstNone = "[]"
)

// itsPython makes of a program that is written in Python, $1, its interpreter with options: py. Where
// that is a wrapper, a Python beside it is taken.
const itsPython = `f=$(command -v -- "$1") || exit 127; shift; IFS= read -r line < "$f"; py=(); ` +
	`case $line in "#!"*python*) read -r -a py <<< "${line#??}" ;; ` +
	`*) for x in python3 python; do if [ -x "${f%/*}/$x" ]; then py=("${f%/*}/$x"); break; fi; done ;; esac; ` +
	`[ ${#py[@]} -gt 0 ] || exit 125; set -- "${py[@]}" "$@"; `

func disguisedUnittest(argv []string, _ Disguise) []string {
	_, args := runnerOf(argv)
	if loudUnittest(argv, "") == nil {
		return nil
	}
	return asScript(pythonScript{head: argv[:len(argv)-len(args)-2], first: firstHere, args: args, text: asUnittest})
}

func disguisedPytest(argv []string, _ Disguise) []string {
	_, args := runnerOf(argv)
	head := argv[:len(argv)-len(args)]
	if loudPytest(argv, "") == nil {
		return nil
	}
	args = append(slices.Clone(args), "-p", "no:cacheprovider", "-s")
	if !strings.HasPrefix(path.Base(argv[0]), "python") {
		return asScript(pythonScript{head: head, find: itsPython, first: firstNone, args: args, text: asPytest})
	}
	return asScript(pythonScript{head: head[:len(head)-2], first: firstHere, args: args, text: asPytest})
}

// pythonScript is a program of Python that is run from a file of its own.
type pythonScript struct {
	head  []string // the interpreter with its options, or what find makes one of
	find  string
	first string // where it looks first for modules
	args  []string
	text  string
}

func asScript(s pythonScript) []string {
	list, err := json.Marshal(append([]string{}, s.args...))
	if err != nil {
		return nil
	}
	quoted, err := json.Marshal(string(list)) // a string of JSON is one of Python
	if err != nil {
		return nil
	}
	program := strings.NewReplacer("ARGS", string(quoted), "FIRST", s.first).Replace(asMain) + s.text
	return inShell(apart+`p=$1; shift; `+s.find+`printf %s "$p" > "$d/app"; : > "$d/in"; unset OLDPWD; `+
		`"$@" "$d/app" < "$d/in" > "$d/out" 2>&1; s=$?; cat "$d/out"; exit $s`, append([]string{program}, s.head...)...)
}
