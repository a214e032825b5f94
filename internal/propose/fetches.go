package propose

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// environments are programs that make an environment of their own for the tests that they run, and those of their
// commands that do; none: all of them.
var environments = map[string][]string{"tox": nil, "nox": nil, "hatch": {"test", "run"}, "uv": {"run"},
	"poetry": {"run"}, "pdm": {"run"}, "pipenv": {"run"}}

// unreached is what is said where an environment can't be filled for want of a network.
var unreached = pattern.New(`(?i)no matching distribution found|could not find a version that satisfies|` +
	`name resolution|failed to lookup address|failed to establish a new connection|all attempts to connect|` +
	`(?m)^command not found: `)

// Fetches says of a test command that gets packages as it runs, which fails where there is no network, what it does, by
// what it printed; "": nothing tells. instead is the command that runs the tests themselves of a project in dir.
func Fetches(dir, test, printed string) (does, instead string) {
	name, run := environmentOf(test)
	if name == "" || !unreached.MatchString(printed) {
		return "", ""
	}
	does = name + " makes an environment of its own, and fills it by a network"
	if run != "" {
		return does, run
	}
	for _, c := range Commands(dir) {
		if other, _ := environmentOf(c.Text); other == "" {
			return does, c.Text
		}
	}
	return does, "python3 -m pytest"
}

// Run gives the command that a test command has run in an environment which its program makes by a network, as uv and
// poetry do, out of the project's own environment where that has one; "", "": it is no such call, or says more.
func Run(dir, test string) (program, command string) {
	program, command = environmentOf(test)
	if command == "" {
		return "", ""
	}
	set := sets.FindString(command)
	for _, venv := range []string{".venv", "venv"} {
		word, _, _ := strings.Cut(command[len(set):], " ")
		own := set + venv + "/bin/" + command[len(set):]
		if (project{dir}).first(venv+"/bin/"+word) != "" && inVenv.MatchString(own) {
			return program, own
		}
	}
	return program, command
}

// environmentOf gives the program of a test command that makes an environment, "" where none does, and the command
// that it runs there, "" where it does not say that.
func environmentOf(test string) (name, run string) {
	file := shell.Parsed(test)
	if file == nil {
		return "", ""
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		call, is := n.(*syntax.CallExpr)
		if !is || name != "" {
			return name == ""
		}
		words := shell.CommandWords(call)
		if len(words) == 0 {
			return true
		}
		program := path.Base(shell.Text(words[0]))
		of, known := environments[program]
		if !known || of != nil && (len(words) < 2 || !slices.Contains(of, shell.Text(words[1]))) {
			return true
		}
		name = program
		if of != nil && len(words) > 2 && len(file.Stmts) == 1 && file.Stmts[0].Cmd == syntax.Command(call) &&
			shell.Text(words[1]) == "run" && program != "hatch" && !strings.HasPrefix(shell.Text(words[2]), "-") {
			run = test[call.Pos().Offset():words[0].Pos().Offset()] + // what is set for it
				test[words[2].Pos().Offset():words[len(words)-1].End().Offset()]
		}
		return false
	})
	return name, run
}
