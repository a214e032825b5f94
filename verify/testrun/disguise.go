package testrun

import (
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
	OtherPlace  Disguise = "places" // it lies elsewhere, or in a directory of another name, too
)

// Disguises are those that a runner has, the strictest first.
func (r *Runner) Disguises() []Disguise {
	switch {
	case r.disguised == nil:
		return nil
	case r.Name == "go test", r.Name == "cargo test":
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
