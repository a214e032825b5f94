package testrun

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// Disguise is how the process of tests is made to look as if it were none: another program,
// with other arguments, parents, variables and files. The tests and what they ask are the
// same.
type Disguise string

// Disguises. Undisguised is none.
const (
	Undisguised Disguise = ""
	OtherNames  Disguise = "names"  // all but the directory
	OtherPlace  Disguise = "places" // the directory has another name, too
)

// Disguises are those that a runner has, the strictest first.
func (r *Runner) Disguises() []Disguise {
	switch {
	case r.disguised == nil:
		return nil
	case r.Name == "go test":
		return []Disguise{OtherPlace, OtherNames}
	}
	return []Disguise{OtherNames}
}

// apart makes a directory that is gone with the shell: $d. It is not where programs that are
// only tests are built.
const apart = `d=$(mktemp -d -p "$HOME" 2> /dev/null || mktemp -d) || exit; trap "rm -rf \"$d\"" EXIT; `

// inShell is a command for a script that is given arguments.
func inShell(script string, args ...string) []string {
	return slices.Concat([]string{"bash", "-c", script, "sh"}, args)
}

// asApp runs a test binary of Go, $1, by another name, from another directory, without the
// arguments that only tests have, its output to a file as much as its input.
const asApp = apart + `cp "$1" "$d/app" || exit; shift; ` +
	`a=(); for x in "$@"; do case $x in -test.paniconexit0|-test.timeout=*|-test.v=*|-test.count=1) ;; *) a+=("$x") ;; esac; done; ` +
	`PATH=${PATH#"$(go env GOROOT)/bin:"}; PLACE: > "$d/in"; "$d/app" "${a[@]}" < "$d/in" > "$d/out" 2>&1; ` +
	`s=$?; cat "$d/out"; exit $s`

func disguisedGo(argv []string, how Disguise) []string {
	_, args := runnerOf(argv)
	kept := loudGo(argv, "")
	if kept == nil || slices.ContainsFunc(args, goElse.MatchString) {
		return nil
	}
	at := len(argv) - len(args)
	place := ""
	if how == OtherPlace {
		place = `ln -s "$PWD" "$d/src" && cd -L "$d/src" || exit; `
	}
	script := strings.ReplaceAll(asApp, "PLACE", place)
	return slices.Concat(kept[:at], []string{"-vet=off", "-count=1", "-exec=bash -c '" + script + "' sh"}, kept[at+1:])
}

// goElse are flags with which the tests of Go do something else, beside.
var goElse = pattern.New(`^--?(test\.)?(bench|cover|.*profile|trace)\b`)

// asMain is a program of Python that runs a module with arguments as if it were a script.
const asMain = `import sys, json, os
here = os.path.dirname(os.path.abspath(__file__))
if sys.path and os.path.abspath(sys.path[0]) == here:
    sys.path[0] = os.getcwd()
args = json.loads(ARGS)
sys.argv[:] = ["/usr/local/bin/app"]
if hasattr(sys, "orig_argv"): sys.orig_argv[:] = ["python3", "/usr/local/bin/app"]
__file__ = "/usr/local/bin/app"
del here
`

const asUnittest = "import unittest\nunittest.main(module=None, argv=[\"app\"] + args)\n"

const asPytest = "import pytest\nsys.exit(pytest.main(args))\n"

func disguisedUnittest(argv []string, _ Disguise) []string {
	_, args := runnerOf(argv)
	if loudUnittest(argv, "") == nil {
		return nil
	}
	return asScript(argv[:len(argv)-len(args)-2], args, asUnittest)
}

func disguisedPytest(argv []string, _ Disguise) []string {
	_, args := runnerOf(argv)
	head := argv[:len(argv)-len(args)]
	if loudPytest(argv, "") == nil || !strings.HasPrefix(path.Base(argv[0]), "python") {
		return nil
	}
	return asScript(head[:len(head)-2], append(slices.Clone(args), "-p", "no:cacheprovider"), asPytest)
}

// asScript runs a program of Python from a file of its own; head is the interpreter with
// its options.
func asScript(head, args []string, text string) []string {
	list, err := json.Marshal(append([]string{}, args...))
	if err != nil {
		return nil
	}
	quoted, err := json.Marshal(string(list)) // a string of JSON is one of Python
	if err != nil {
		return nil
	}
	program := strings.Replace(asMain, "ARGS", string(quoted), 1) + text
	return inShell(apart+`p=$1; shift; printf %s "$p" > "$d/app"; : > "$d/in"; unset OLDPWD; `+
		`"$@" "$d/app" < "$d/in" > "$d/out" 2>&1; s=$?; cat "$d/out"; exit $s`, append([]string{program}, head...)...)
}

// asModule is what each process of node's tests is given to forget that it is one.
const asModule = `if (process.env.NODE_TEST_CONTEXT) {
  delete process.env.NODE_TEST_CONTEXT; delete process.env.NODE_OPTIONS; delete process.env.OLDPWD;
  process.argv.splice(1, process.argv.length, "/usr/local/bin/app"); process.execArgv.length = 0; process.title = "node";
}
`

func disguisedNode(argv []string, _ Disguise) []string {
	if loudNode(argv, "") == nil {
		return nil
	}
	return inShell(apart+`p=$1; shift; printf %s "$p" > "$d/app.cjs"; export NODE_OPTIONS="$NODE_OPTIONS --require=$d/app.cjs"; `+
		`"$@"; exit`, append([]string{asModule}, argv...)...)
}
