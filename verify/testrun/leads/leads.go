// Package leads knows the programs that run commands which a file of the project names, as make, npm and tox do, and
// asks them which.
package leads

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// Program is a program that runs the commands that a file of the project names.
type Program struct {
	names []string
	// may reports whether it runs tests so, by the words of a call alone ("": known only when it runs). nil: where a
	// word says that it tests.
	may func(argv []string) bool
	// ask gives a command that prints what it would run; "": that can't be told.
	ask func(argv []string) string
	// script gives the script that does the same, of what was printed. nil: what was printed is one.
	script func(argv []string, printed string) string
}

// programs are those that are known.
var programs = []Program{
	{names: []string{"make", "gmake"}, ask: func(argv []string) string {
		return quoted(argv) + " -n -s --no-print-directory"
	}},
	{names: []string{"just"}, ask: func(argv []string) string {
		return quoted(slices.Insert(slices.Clone(argv), 1, "--dry-run")) + " 2>&1"
	}},
	{names: []string{"task", "go-task"}, ask: askTask, script: ofTask},
	{names: shells, may: callsScript, ask: func(argv []string) string { return "cat -- " + quoted(argv[1:2]) },
		script: func(argv []string, printed string) string { return calledScript(argv[1:], printed) }},
	{names: runAll, may: func(argv []string) bool { return runsScripts(argv) != "" },
		ask: func(argv []string) string { return "printf %s " + quoted([]string{runsScripts(argv)}) }},
	{names: slices.Concat(managers, builders, packaged), may: mayRunScript, ask: askScript, script: ofNode},
	{names: []string{"composer"}, may: mayRunComposer, ask: askComposer},
	{names: []string{"tox"}, may: func([]string) bool { return true }, ask: askTox, script: ofTox},
	ofPython,
}

// shells run scripts.
var shells = []string{"sh", "bash", "dash"}

// packaged run a program of a package.
var packaged = []string{"npx", "pnpx", "bunx"}

// OfPackage reports whether a call runs a program of a package.
func OfPackage(argv []string) bool { return slices.Contains(packaged, path.Base(argv[0])) }

// Of gives the program that a call is of, and with which words, where it may run tests that a file of the project
// names; before are words in front of the call that start it. nil: it is of none.
func Of(before, argv []string) (*Program, []string) {
	if len(argv) == 0 {
		return nil, nil
	}
	if ofProject(argv[0]) {
		return &scriptOfProject, argv
	}
	if at := pythonRun(before); at < len(before) {
		switch {
		case path.Base(argv[0]) == "poe":
			return &ofPython, slices.Concat(before[at:], argv)
		case ofPythonProject(argv):
			return &ofPython, slices.Concat(before[at:at+2], argv)
		}
	}
	for i := range programs {
		if p := &programs[i]; slices.Contains(p.names, path.Base(argv[0])) {
			may := p.may
			if may == nil {
				may = saysTest
			}
			if !may(argv) {
				return nil, nil
			}
			return p, argv
		}
	}
	return nil, nil
}

// Ask gives a command that prints what a call would run, behind the words that start it; "": that can't be told.
func (p *Program) Ask(before, argv []string) string {
	ask := p.ask(argv)
	if by := Environment(before); ask != "" && len(by) > 0 && p != &ofPython { // which reads a file
		ask = quoted(by) + " " + ask
	}
	return ask
}

// Script is the script that does what a call does, of what Ask's command printed; "": that can't be told.
func (p *Program) Script(argv []string, printed string) string {
	if p.script == nil || printed == "" {
		return printed
	}
	return p.script(argv, printed)
}

// saysTest reports whether a word of a call, behind the program, says that it tests.
func saysTest(argv []string) bool {
	return slices.ContainsFunc(argv[1:], tests.MatchString)
}

var tests = pattern.New(`test|phpunit|^(check|units?|specs?|ci|verify|pest)$`)

// callsScript reports whether a shell is given a script.
func callsScript(argv []string) bool {
	return len(argv) > 1 && argv[1] != "" && !strings.HasPrefix(argv[1], "-")
}

// quoted are words as a shell reads them; "": it can't.
func quoted(words []string) string {
	text, err := shell.Quote(words)
	if err != nil {
		return ""
	}
	return text
}

// scriptOfProject is a script of the project for a shell, called by its path.
var scriptOfProject = Program{ask: func(argv []string) string { return "cat -- " + quoted(argv[:1]) },
	script: func(argv []string, printed string) string {
		if !strings.HasSuffix(argv[0], ".sh") && !shellBang.MatchString(printed) {
			return ""
		}
		return calledScript(argv, printed)
	}}

var (
	// testsByName is the name of a script, without an ending, that tests.
	testsByName = pattern.New(`(^|[-_.])(tests?|runtests?|checks?|specs?|ci|cibuild|verify)([-_]|$)`)
	shellBang   = pattern.New(`^#!\s*/\S+[/ ](ba|da)?sh\b`)
)

// ofProject reports whether a command is a script of the project for a shell, or may be one.
func ofProject(word string) bool {
	name := path.Base(word)
	return strings.Contains(word, "/") && !path.IsAbs(word) &&
		(strings.HasSuffix(word, ".sh") || path.Ext(name) == "" && testsByName.MatchString(name))
}

// calledScript is the text of a script, where it knows by which name it is called, and what it is told.
func calledScript(script []string, text string) string {
	return "BASH_ARGV0=" + quoted(script[:1]) + "; set -- " + quoted(script[1:]) + "\n" + ownName.Replace(text)
}

// ownName is the name of a file that is read, which a text that is no file has not.
var ownName = strings.NewReplacer("${BASH_SOURCE[0]}", "$0", "${BASH_SOURCE}", "$0", "$BASH_SOURCE", "$0")
