package mine

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

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
