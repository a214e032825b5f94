// Package commands changes commands of tests: which tests they run, and when they end.
package commands

import (
	"strings"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// plain is a command whose words are themselves: nothing for a shell to do.
var plain = pattern.New(`^[A-Za-z0-9_./=:,@%+\- '"^$|()\\\[\]]*$`)

// Words splits a plain command; nil: it is none.
func Words(command string) []string {
	if !plain.MatchString(command) {
		return nil
	}
	calls := shell.Calls(command)
	if len(calls) != 1 {
		return nil
	}
	return strings.Fields(command)
}
