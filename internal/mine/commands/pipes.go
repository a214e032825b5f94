package commands

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// Strict gives a test command that fails where any part of a pipe in it fails: what only
// shows what tests print would end well whatever they say.
func Strict(command string) string {
	file := shell.Parsed(command)
	if file == nil || strings.Contains(command, "pipefail") || strings.Contains(command, "PIPESTATUS") {
		return command
	}
	piped := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if b, ok := n.(*syntax.BinaryCmd); ok {
			piped = piped || b.Op == syntax.Pipe || b.Op == syntax.PipeAll
		}
		return true
	})
	if !piped {
		return command
	}
	return "set -o pipefail; " + command
}

// EachTime gives a test command whose tests of Go run each time: go keeps that tests passed, and would
// say so again of a test that passes by chance.
func EachTime(command string) string {
	file := shell.Parsed(command)
	if file == nil {
		return command
	}
	var at []int
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		words := shell.CommandWords(call)
		if len(words) < 2 || path.Base(shell.Text(words[0])) != "go" || shell.Text(words[1]) != "test" ||
			slices.ContainsFunc(words[2:], func(w *syntax.Word) bool { return counted.MatchString(shell.Text(w)) }) {
			return true
		}
		at = append(at, int(words[1].End().Offset()))
		return true
	})
	slices.Sort(at)
	for _, i := range slices.Backward(at) {
		command = command[:i] + " -count=1" + command[i:]
	}
	return command
}

var counted = pattern.New(`^--?(test\.)?count(=|$)`)
