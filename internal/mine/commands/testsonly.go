package commands

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/shell"
	"cookoff/verify/testrun"
)

// RunsTestsOnly reports whether a test command is a runner of tests alone: it ends as the tests do.
func RunsTestsOnly(command string) bool {
	file := shell.Parsed(command)
	if file == nil || len(file.Stmts) != 1 || file.Stmts[0].Negated || file.Stmts[0].Background {
		return false
	}
	call, is := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !is {
		return false
	}
	words := shell.CommandWords(call)
	return len(words) > 0 && !strings.HasSuffix(shell.Text(words[0]), "sh") && testrun.Runs(command)
}
